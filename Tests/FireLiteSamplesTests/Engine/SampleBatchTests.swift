import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteSamples

/// What is known of a sample decides whether it is added, updated or left alone.
@Suite(.timeLimit(.minutes(30))) struct SampleBatchTests {
    /// Writes the first batch only when the second one is prepared, so that the second one was compared before the first was committed.
    ///
    /// `@unchecked Sendable`: the lock guards the lists.
    private final class GatedStore: CommittingStore, @unchecked Sendable {
        let name = "gated"
        let isLocal = false
        private let lock = NSLock()
        private let isPrepared = DispatchSemaphore(value: 0)
        private var prepared = 0
        private var batches: [(added: Int, updated: Int)] = []

        var committed: [(added: Int, updated: Int)] { lock.withLock { batches } }

        func prepare(_ batch: SampleBatch) throws -> PreparedSamples? {
            let number = lock.withLock {
                prepared += 1
                return prepared
            }
            if number == 2 { isPrepared.signal() }
            return nil
        }

        func commit(_ batch: SampleBatch, _ prepared: PreparedSamples?, in tx: WriteTransaction) throws {
            let isFirst = lock.withLock { batches.isEmpty }
            // Long, as tests in parallel keep the threads that prepare.
            if isFirst, isPrepared.wait(timeout: .now() + 600) != .success { throw CancellationError() }
            lock.withLock { batches.append((batch.added.count, batch.updated.count)) }
        }

        func existingLocations(of objects: [ExternalObject]) async throws -> [UUID: String] { [:] }
        func add(_ objects: [ExternalObject]) async throws -> [UUID: String] { [:] }
        func update(_ objects: [ExternalObject]) async throws {}
        func delete(_ objects: [ExternalObject]) async throws {}
    }

    @Test func aBatchKnowsTheOneThatIsStillWritten() async throws {
        // In a file, which can be read while it is written to.
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.file("samples.sqlite"), release: .r4)
        let gated = GatedStore()
        var configuration = SampleEngine.Configuration()
        configuration.batchSize = 1
        let source = MemorySampleSource([heartRate(1, 60), heartRate(1, 61)])
        let result = try await SampleEngine(
            store: store, source: source, destinations: [gated], configuration: configuration
        ).run()
        #expect((result.added, result.updated) == (1, 1))
        #expect(gated.committed.map(\.added) == [1, 0])
        #expect(gated.committed.map(\.updated) == [0, 1])
    }

    @Test func theLastOfAUUIDInABatchCounts() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource([heartRate(1, 60), heartRate(2), heartRate(1, 61)])
        let result = try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run()
        #expect((result.read, result.added, result.unchanged) == (3, 2, 1))
        #expect(try await store.samples(of: .heartRate) == [heartRate(1, 61), heartRate(2)])
    }

    @Test func anotherMappingWritesAllObservationsAgain() async throws {
        let store = try memoryStore()
        let samples = [heartRate(1), heartRate(2)]
        try await SampleEngine(store: store, source: MemorySampleSource(samples), destinations: [LocalStore(store)]).run()
        let other = LocalStore(store, mapping: .standard.about("Patient/1"))
        let result = try await SampleEngine(store: store, source: MemorySampleSource(samples, name: "other"), destinations: [other]).run()
        #expect((result.added, result.updated, result.unchanged) == (0, 2, 0))
        let subjects = try await store.read { tx in
            var subjects: [String?] = []
            try tx.forEach(Observation.self) { subjects.append($0.subject?.reference) }
            return subjects
        }
        #expect(subjects == ["Patient/1", "Patient/1"])
    }

    /// A run was killed between adding the sample and noting it, and then the sample was deleted.
    @Test func whatTheFileDoesNotKnowIsDeletedToo() async throws {
        let store = try memoryStore()
        let external = RecordingStore()
        _ = try await external.add([ExternalObject(uuid: testUUID(1), sample: heartRate(1))])
        let source = MemorySampleSource([heartRate(1)])
        source.delete([heartRate(1)])
        let result = try await SampleEngine(store: store, source: source, destinations: [external]).run()
        #expect(result.deleted == 1)
        #expect(await external.samples.isEmpty)
    }
}
