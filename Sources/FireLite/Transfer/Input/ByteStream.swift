import Foundation

/// Passes chunks of bytes from a task to the thread that reads them, a few at a time.
///
/// `@unchecked Sendable`: `condition` is held for every access.
package final class ByteStream: @unchecked Sendable {
    private static let capacity = 1 << 20

    private let condition = NSCondition()
    private var chunks: [Data] = []
    private var size = 0
    /// The number of bytes of the first chunk that were read.
    private var taken = 0
    private var end: Result<Void, any Error>?
    private var isUnwanted = false
    /// The writer that waits for room.
    private var waiting: CheckedContinuation<Bool, Never>?

    init() {}

    // MARK: - Writing task

    /// Waits for room and hands over a chunk.
    ///
    /// - Returns: false if nobody wants more.
    func put(_ chunk: Data) async -> Bool {
        guard !chunk.isEmpty else { return true }
        return await withCheckedContinuation { continuation in
            if let isWanted = add(chunk, continuation) { continuation.resume(returning: isWanted) }
        }
    }

    /// Adds the chunk; nil if the continuation waits for room.
    private func add(_ chunk: Data, _ continuation: CheckedContinuation<Bool, Never>) -> Bool? {
        condition.lock()
        defer { condition.unlock() }
        if isUnwanted || end != nil { return false }
        chunks.append(chunk)
        size += chunk.count
        condition.broadcast()
        if size < Self.capacity { return true }
        waiting = continuation
        return nil
    }

    /// Marks the end of the bytes, or a failure; only the first call counts.
    func finish(_ failure: (any Error)? = nil) {
        condition.lock()
        if end == nil { end = failure.map { .failure($0) } ?? .success(()) }
        let continuation = takeWaiting()
        condition.broadcast()
        condition.unlock()
        continuation?.resume(returning: false)
    }

    // MARK: - Reading thread

    /// Waits for bytes and reads some of them; 0 at the end.
    ///
    /// - Throws: what `finish` was given, without the bytes before it.
    func read(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        condition.lock()
        while chunks.isEmpty, end == nil, !isUnwanted { condition.wait() }
        if case .failure(let error)? = end {
            condition.unlock()
            throw error
        }
        guard let chunk = chunks.first else {
            condition.unlock()
            return 0
        }
        let number = min(memory.count, chunk.count - taken)
        chunk.dropFirst(taken).prefix(number).copyBytes(to: memory)
        taken += number
        if taken == chunk.count {
            chunks.removeFirst()
            size -= chunk.count
            taken = 0
        }
        let continuation = size < Self.capacity ? takeWaiting() : nil
        condition.unlock()
        continuation?.resume(returning: true)
        return number
    }

    /// Ends the work of both sides.
    func stop() {
        condition.lock()
        isUnwanted = true
        chunks = []
        (size, taken) = (0, 0)
        let continuation = takeWaiting()
        condition.broadcast()
        condition.unlock()
        continuation?.resume(returning: false)
    }

    private func takeWaiting() -> CheckedContinuation<Bool, Never>? {
        defer { waiting = nil }
        return waiting
    }
}
