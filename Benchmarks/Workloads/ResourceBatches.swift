import FireLite
import Foundation

/// Batches of resources on their way from the thread that reads them to the one that stores them, a few at a time.
///
/// `@unchecked Sendable`: `condition` is held for every access. A batch belongs to the thread that puts it, then to the one that takes it.
final class ResourceBatches: @unchecked Sendable {
    /// Resources and the digests of their contents.
    struct Batch {
        var resources: [FHIRResource] = []
        var digests: [ContentDigest.Value] = []
    }

    private let condition = NSCondition()
    private var waiting: [Batch] = []
    /// Batches that are stored, for the reading thread to free, which has less to do.
    private var stored: [Batch] = []
    private var isFinished = false
    private var failure: (any Error)?
    private static let capacity = 4
    private static let batchSize = 512
    private static let chunkSize = 1 << 20

    /// Starts to read an NDJSON file on a thread of its own.
    func start(_ path: String, into store: FHIRStore, release: FHIRRelease) {
        let thread = Thread { [self] in
            var result: (any Error)?
            do { try read(path, store, release) } catch { result = error }
            condition.lock()
            failure = result
            isFinished = true
            condition.broadcast()
            condition.unlock()
        }
        thread.stackSize = 16 << 20
        thread.start()
    }

    private func read(_ path: String, _ store: FHIRStore, _ release: FHIRRelease) throws {
        guard let file = fopen(path, "r") else { throw BenchmarkFailure("cannot read \(path)") }
        defer { fclose(file) }
        let reader = FHIRJSONReader(release: release)
        var batch = Batch()
        var bytes = [UInt8](repeating: 0, count: Self.chunkSize)
        var kept = 0
        while true {
            if kept == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
            let capacity = bytes.count
            let number = bytes.withUnsafeMutableBytes { fread($0.baseAddress.map { $0 + kept }, 1, capacity - kept, file) }
            guard number > 0 else { break }
            let end = kept + number
            kept = try bytes.withUnsafeBufferPointer { buffer in
                let text = UnsafeBufferPointer(rebasing: buffer[..<end])
                return end - (try readLines(text, reader, store, &batch))
            }
            bytes.withUnsafeMutableBytes { raw in
                guard let base = raw.baseAddress else { return }
                memmove(base, base + end - kept, kept)
            }
        }
        if !batch.resources.isEmpty { put(batch) }
    }

    /// Reads the complete lines and returns how many bytes they are.
    private func readLines(
        _ text: UnsafeBufferPointer<UInt8>, _ reader: FHIRJSONReader, _ store: FHIRStore, _ batch: inout Batch
    ) throws -> Int {
        guard let base = text.baseAddress else { return 0 }
        var start = 0
        while start < text.count, let found = memchr(base + start, 10, text.count - start) {
            let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            if end > start {
                let resource = try reader.resource(from: UnsafeBufferPointer(rebasing: text[start..<end]))
                batch.resources.append(resource)
                batch.digests.append(store.digest(of: resource))
            }
            if batch.resources.count == Self.batchSize {
                put(batch)
                batch = Batch()
            }
            start = end + 1
        }
        return start
    }

    private func put(_ batch: Batch) {
        // What `offer` returns is freed after it, without the lock.
        while !offer(batch).isTaken {}
    }

    /// Waits until there is room for the batch, or others have come back.
    private func offer(_ batch: Batch) -> (isTaken: Bool, stored: [Batch]) {
        condition.lock()
        defer { condition.unlock() }
        while waiting.count >= Self.capacity, stored.isEmpty { condition.wait() }
        var done: [Batch] = []
        swap(&done, &stored)
        guard waiting.count < Self.capacity else { return (false, done) }
        waiting.append(batch)
        condition.broadcast()
        return (true, done)
    }

    /// Gives a batch back that is stored.
    func giveBack(_ batch: consuming Batch) {
        condition.lock()
        defer { condition.unlock() }
        stored.append(batch)
        condition.broadcast()
    }

    /// Waits for the next batch; nil after the last one.
    func next() throws -> Batch? {
        condition.lock()
        defer { condition.unlock() }
        while waiting.isEmpty, !isFinished { condition.wait() }
        if let failure { throw failure }
        guard !waiting.isEmpty else { return nil }
        condition.broadcast()
        return waiting.removeFirst()
    }
}
