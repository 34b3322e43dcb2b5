import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Imports that are cancelled, and imports of sequences.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct ImportCancellationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var options: ImportOptions {
        var options = ImportOptions()
        options.limits.chunk = 500
        options.limits.peek = 64
        options.transactions = .batches(20)
        return options
    }

    private func expectContinuation(_ store: FHIRStore, _ file: URL, _ committed: Int, of total: Int) throws {
        #expect(committed >= 20 && committed < total)
        #expect(try store.storedPatients() == committed)
        let again = try store.importResources(from: file)
        #expect(again.counts == ImportCounts(added: total - committed, unchanged: committed))
        #expect(try store.storedPatients() == total)
    }

    // MARK: - Cancellation

    /// import:  batch 1 committed ── progress ─┐ waits        ┌─ goes on, sees the cancellation
    /// test:                                    └─ task.cancel ┘
    @Test func cancellingLeavesWholeBatches() async throws {
        let store = try freshStore()
        let file = URL(fileURLWithPath: try folder.write("a.ndjson", TransferSamples.lines(1...400)))
        let (reached, signal) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let committed = Shared(0)
        let options = options
        let task = _Concurrency.Task {
            try await store.importResources(from: file, options: options) { progress in
                let isFirst = committed.value == 0 && progress.committed ?? 0 > 0
                committed.change { $0 = progress.committed ?? 0 }
                guard isFirst else { return }
                signal.yield()
                gate.wait()
            }
        }
        for await _ in reached { break }
        task.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        try expectContinuation(store, file, committed.value, of: 400)
    }

    @Test func theBlockingFormSeesTheCancellationOfItsTask() async throws {
        let store = try freshStore()
        let file = URL(fileURLWithPath: try folder.write("a.ndjson", TransferSamples.lines(1...400)))
        let committed = Shared(0)
        let options = options
        let task = _Concurrency.Task {
            func run() throws {
                try store.importResources(from: file, options: options) { progress in
                    committed.change { $0 = progress.committed ?? 0 }
                    if progress.committed != 0 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            try run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try expectContinuation(store, file, committed.value, of: 400)
    }

    @Test func nothingIsStoredOfACancelledFileThatIsOneTransaction() async throws {
        let store = try freshStore()
        let file = URL(fileURLWithPath: try folder.write("a.ndjson", TransferSamples.lines(1...400)))
        var options = options
        options.transactions = .files
        let chosen = options
        let task = _Concurrency.Task {
            func run() throws {
                try store.importResources(from: file, options: chosen) { progress in
                    #expect(progress.committed == 0)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            try run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try store.storedPatients() == 0)
    }

    @Test func anErrorOfTheProgressLeavesWholeBatches() async throws {
        struct Enough: Error {}
        let store = try freshStore()
        let file = URL(fileURLWithPath: try folder.write("a.ndjson", TransferSamples.lines(1...400)))
        let committed = Shared(0)
        await #expect(throws: Enough.self) {
            try await store.importResources(from: file, options: options) { progress in
                committed.change { $0 = progress.committed ?? 0 }
                if progress.resources ?? 0 >= 100 { throw Enough() }
            }
        }
        try expectContinuation(store, file, committed.value, of: 400)
    }

    /// import:  waits for its sequence ───────────────── goes on
    /// test:                            └─ write, read ─┘
    @Test func importsThatWaitHoldUpNobody() async throws {
        let store = try freshStore()
        let (ends, end) = AsyncStream.makeStream(of: Data.self)
        // As many as there are threads for anything else.
        let tasks = (0..<20).map { _ in
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            return (source, _Concurrency.Task { try await store.importResources(from: chunks) })
        }
        async let last = store.importResources(from: ends)
        end.yield(Data(TransferSamples.patient("last").utf8))
        end.finish()
        #expect(try await last.counts == ImportCounts(added: 1))
        try await store.write { _ = try $0.upsert(Patient { $0.id = "other" }) }
        #expect(try await store.count(Patient.self) == 2)
        for (source, task) in tasks {
            source.finish()
            #expect(try await task.value.counts == ImportCounts())
        }
    }

    // MARK: - Sequences

    @Test func aSequenceCutAnywhereGivesTheSameStore() async throws {
        for seed in UInt64(0)..<8 {
            let resources = TransferSamples.resources(seed: seed, 20)
            let data = Data(resources.joined(separator: "\n").utf8)
            let content = seed % 2 == 0 ? data : TransferSamples.gzip(data)
            var random = SeededGenerator(seed: seed)
            var chunks: [Data] = []
            var rest = content[...]
            while !rest.isEmpty {
                chunks.append(Data(rest.prefix(random.int(0...(seed < 4 ? 50 : 5_000)))))
                rest = rest.dropFirst(chunks[chunks.count - 1].count)
            }
            let stored = chunks
            var options = ImportOptions()
            options.limits.chunk = random.int(1...3_000)
            let plain = try freshStore()
            _ = try await plain.importResources(from: [URL(fileURLWithPath: folder.write("plain.ndjson", data))])
            let byChunks = try freshStore()
            let result = try await byChunks.importResources(from: sequence(of: stored), options: options)
            #expect(result.counts == ImportCounts(added: 20), "seed \(seed)")
            #expect(try byChunks.contents() == plain.contents(), "seed \(seed)")
            let byBytes = try freshStore()
            #expect(try await byBytes.importResources(from: sequence(of: Array(content))).counts == ImportCounts(added: 20))
            #expect(try byBytes.contents() == plain.contents(), "seed \(seed)")
        }
    }

    private func sequence<Element: Sendable>(of elements: [Element]) -> AsyncStream<Element> {
        AsyncStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }

    /// stream:  lines ──────────────── (silence) ────────────── lines, end
    /// import:         commits them ─┐             ┌─ commits the rest
    /// test:                         └─ writes ────┘
    @Test func aSilentSequenceHoldsNoLock() async throws {
        let store = try freshStore()
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let (commits, signal) = AsyncStream.makeStream(of: Int.self)
        var options = options
        options.transactions = .files
        let chosen = options
        async let result = store.importResources(from: chunks, options: chosen) { signal.yield($0.committed ?? 0) }
        source.yield(Data(TransferSamples.lines(1...100).utf8))
        for await committed in commits where committed >= 80 { break }
        let other = try await store.write { try $0.upsert([Patient { $0.id = "other" }]).counts.added }
        #expect(other == 1)
        source.yield(Data(TransferSamples.lines(101...120).utf8))
        source.finish()
        #expect(try await result.counts == ImportCounts(added: 120))
        #expect(try store.storedPatients() == 121)
    }

    @Test func anErrorOfTheSequenceEndsTheImportAndKeepsBatches() async throws {
        struct Lost: Error {}
        let store = try freshStore()
        let (chunks, source) = AsyncThrowingStream.makeStream(of: Data.self)
        source.yield(Data(TransferSamples.lines(1...200).utf8))
        source.finish(throwing: Lost())
        await #expect(throws: Lost.self) { try await store.importResources(from: chunks, options: options) }
        let again = try await store.importResources(from: sequence(of: [Data(TransferSamples.lines(1...200).utf8)]))
        #expect(again.counts.stored == 200 && again.counts.updated == 0)
        #expect(try store.storedPatients() == 200)
    }

    @Test func aFaultEndsAnEndlessSequence() async throws {
        struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
            func next() async -> Data? { Data(repeating: UInt8(ascii: "x"), count: 99_999) + Data("\n".utf8) }
            func makeAsyncIterator() -> Endless { self }
        }
        let store = try freshStore()
        let fault = await #expect(throws: ImportFault.self) { try await store.importResources(from: Endless()) }
        #expect(fault?.file == "stream" && fault?.line == 1)
    }

    @Test func aCancelledSequenceEnds() async throws {
        let store = try freshStore()
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data(TransferSamples.lines(1...10).utf8))
        let task = _Concurrency.Task { try await store.importResources(from: chunks) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
