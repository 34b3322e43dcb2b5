import FireLiteR4
import FireLiteSamples
import Foundation
import Testing

/// Types are read one after the other, or at the same time by choice.
@Suite(.timeLimit(.minutes(30))) struct ParallelTypesTests {
    /// Two types, whose reading waits until both are read where `waits` says so.
    private actor MeetingSource: SampleSource {
        nonisolated let name = "meeting"
        private let waits: Bool
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private(set) var active = 0
        private(set) var most = 0

        init(waits: Bool) { self.waits = waits }

        nonisolated func types() async throws -> [SampleType] { [.heartRate, .stepCount] }

        func changes(of type: SampleType, after anchor: SampleAnchor?, limit: Int) async throws -> SampleChanges {
            active += 1
            most = max(most, active)
            defer { active -= 1 }
            if waits {
                if waiting.isEmpty {
                    await withCheckedContinuation { waiting.append($0) }
                } else {
                    for continuation in waiting { continuation.resume() }
                    waiting = []
                }
            }
            let sample =
                type == .heartRate ? heartRate(1) : steps(2, 10, from: testStart, for: 60, origin: testWatch)
            return SampleChanges(added: [sample], anchor: SampleAnchor(data: Data("1".utf8)), isComplete: true)
        }
    }

    private func run(_ source: MeetingSource, parallelTypes: Int) async throws -> SampleRunResult {
        var configuration = SampleEngine.Configuration()
        configuration.parallelTypes = parallelTypes
        let store = try memoryStore()
        let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)], configuration: configuration)
        let result = try await engine.run()
        #expect(try await store.count(Observation.self) == 2)
        return result
    }

    @Test func oneTypeAtATimeIsTheDefault() async throws {
        #expect(SampleEngine.Configuration().parallelTypes == 1)
        let source = MeetingSource(waits: false)
        #expect(try await run(source, parallelTypes: 1).added == 2)
        #expect(await source.most == 1)
    }

    /// Each type waits for the other: one at a time would never end.
    @Test func typesRunAtTheSameTimeByChoice() async throws {
        let source = MeetingSource(waits: true)
        #expect(try await run(source, parallelTypes: 2).added == 2)
        #expect(await source.most == 2)
    }

    @Test func cancellingEndsARunBetweenBatches() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource((1...100).map { heartRate($0) })
        var configuration = SampleEngine.Configuration()
        configuration.batchSize = 10
        let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)], configuration: configuration)
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let running = _Concurrency.Task {
            try await engine.run { result in
                continuation.yield(result.added)
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        for await _ in stream { break }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        let stored = try await store.count(Observation.self)
        #expect(stored % 10 == 0 && stored < 100)
        // The next run goes on where it was.
        #expect(try await engine.run().added == 100 - stored)
    }
}
