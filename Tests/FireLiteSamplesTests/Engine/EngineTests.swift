import FireLiteR4
import FireLiteSamples
import Foundation
import Testing

@Suite(.timeLimit(.minutes(30))) struct SampleEngineTests {
    private struct Veto: SampleDelegate {
        let uuid: UUID
        let decision: SampleDecision

        func shouldAdd(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision {
            object.uuid == uuid ? decision : .proceed
        }
    }

    @Test func samplesBecomeObservationsOnce() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource((1...10).map { heartRate($0) })
        let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)])
        let first = try await engine.run()
        #expect((first.read, first.added, first.updated) == (10, 10, 0))
        #expect(try await store.count(Observation.self) == 10)
        #expect(try await store.count(Device.self) == 1)
        let second = try await engine.run()
        #expect((second.read, second.added, second.unchanged) == (0, 0, 0))
        // The same samples from another source are known.
        let again = SampleEngine(
            store: store, source: MemorySampleSource((1...10).map { heartRate($0) }, name: "other"), destinations: [LocalStore(store)])
        let third = try await again.run()
        #expect((third.read, third.added, third.unchanged) == (10, 0, 10))
        #expect(try await store.check().isEmpty)
    }

    @Test func samplesOfEverySourceAreFinite() async throws {
        let store = try memoryStore()
        let samples = [heartRate(1, 60), heartRate(2, "1e400"), bloodPressure(3, 120, "-1e400"), heartRate(6, 80)]
        let result = try await SampleEngine(store: store, source: MemorySampleSource(samples), destinations: [LocalStore(store)]).run()
        #expect(result.read == 2 && result.added == 2 && result.rejections.count == 2)
        #expect(
            Set(result.rejections.first) == [
                "\(samples[1]): the value of a quantity is too large", "\(samples[2]): the value of a quantity is too large",
            ])
        #expect(try await store.sampleStatistics(of: .heartRate, by: .whole, zone: .gmt).map(\.mean) == [70])
    }

    @Test func deletedSamplesLoseTheirObservations() async throws {
        let store = try memoryStore()
        let samples = (1...5).map { heartRate($0) }
        let source = MemorySampleSource(samples)
        let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)])
        try await engine.run()
        source.delete([samples[1], samples[3]])
        let result = try await engine.run()
        #expect(result.deleted == 2)
        #expect(try await store.samples(of: .heartRate).map(\.uuid) == [samples[0], samples[2], samples[4]].map(\.uuid))
        // What was deleted may come again.
        source.add([samples[1]])
        #expect(try await engine.run().added == 1)
        #expect(try await store.count(Observation.self) == 4)
        #expect(try await store.check().isEmpty)
    }

    @Test func deletesComeBeforeFetchAddAndUpdate() async throws {
        let store = try memoryStore()
        let external = RecordingStore()
        let source = MemorySampleSource([heartRate(1), heartRate(2)])
        let engine = SampleEngine(store: store, source: source, destinations: [external])
        try await engine.run()
        source.delete([heartRate(1)])
        source.add([heartRate(2, 61), heartRate(3)])
        try await engine.run()
        let calls = await external.calls
        #expect(calls == ["fetch 2", "add 2", "delete 1", "fetch 1", "add 1", "update 1"])
    }

    @Test func aVetoSkipsOneAndSendsTheRest() async throws {
        let store = try memoryStore()
        let external = RecordingStore()
        let engine = SampleEngine(
            store: store, source: MemorySampleSource((1...25).map { heartRate($0) }), destinations: [external],
            delegate: Veto(uuid: testUUID(3), decision: .skip))
        let result = try await engine.run()
        #expect((result.added, result.skipped) == (24, 1))
        #expect(await external.added == (1...25).filter { $0 != 3 }.map(testUUID))
        #expect(try await engine.run().read == 0)
    }

    @Test func aStopKeepsWhatWasDoneAndComesBack() async throws {
        let store = try memoryStore()
        let external = RecordingStore()
        let source = MemorySampleSource((1...25).map { heartRate($0) })
        let stopping = SampleEngine(
            store: store, source: source, destinations: [external], delegate: Veto(uuid: testUUID(3), decision: .stop))
        let result = try await stopping.run()
        #expect(result.isStopped)
        #expect(await external.added == [testUUID(1), testUUID(2)])
        let rest = try await SampleEngine(store: store, source: source, destinations: [external]).run()
        #expect((rest.added, rest.unchanged) == (23, 2))
        #expect(await external.added == (1...25).map(testUUID))
    }

    @Test func aFailureLeavesTheAnchorAndDuplicatesNothing() async throws {
        let store = try memoryStore()
        let external = RecordingStore()
        await external.fail(at: 3)
        let engine = SampleEngine(
            store: store, source: MemorySampleSource((1...25).map { heartRate($0) }), destinations: [external])
        await #expect(throws: RecordingStore.Failure.self) { try await engine.run() }
        #expect(await external.added.count == 3)
        await external.fail(at: nil)
        let result = try await engine.run()
        #expect((result.added, result.updated) == (22, 3))
        #expect(await external.added == (1...25).map(testUUID))
    }

    @Test func storesHaveTheirOwnAnchors() async throws {
        let store = try memoryStore()
        let (first, second) = (RecordingStore(name: "a"), RecordingStore(name: "b"))
        let source = MemorySampleSource([heartRate(1)])
        try await SampleEngine(store: store, source: source, destinations: [first]).run()
        try await SampleEngine(store: store, source: source, destinations: [first, second]).run()
        #expect(await first.added.count == 1)
        #expect(await second.added.count == 1)
    }

    @Test func batchesAndParallelTypesGiveTheSameStore() async throws {
        let samples = (1...40).map { heartRate($0) } + (41...60).map { bloodPressure($0 * 10, 120, 80) }
        var configuration = SampleEngine.Configuration()
        configuration.batchSize = 7
        configuration.parallelTypes = 2
        let store = try memoryStore()
        let result = try await SampleEngine(
            store: store, source: MemorySampleSource(samples), destinations: [LocalStore(store)], configuration: configuration
        ).run()
        #expect(result.added == 60)
        #expect(try await store.count(Observation.self) == 60)
    }

    @Test func observingBringsNewsUntilItIsCancelled() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource([heartRate(1)])
        let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)])
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let observing = _Concurrency.Task {
            try await engine.observe(types: [.heartRate]) { continuation.yield($0.added) }
        }
        var total = 0
        for await added in stream {
            total += added
            if total == 1 { source.add([heartRate(2)]) }
            if total == 2 { break }
        }
        observing.cancel()
        _ = await observing.result
        #expect(try await store.count(Observation.self) == 2)
    }

    /// While a batch is written, the next one is prepared, which must know what the first one does.
    @Test func aSampleInTwoBatchesIsStoredOnce() async throws {
        let store = try memoryStore()
        let other = MemorySampleSource([heartRate(1), heartRate(1, 61), heartRate(1, 61), heartRate(2)])
        var configuration = SampleEngine.Configuration()
        configuration.batchSize = 1
        let result = try await SampleEngine(
            store: store, source: other, destinations: [LocalStore(store)], configuration: configuration
        ).run()
        #expect((result.read, result.added, result.updated, result.unchanged) == (4, 2, 1, 1))
        #expect(try await store.samples(of: .heartRate) == [heartRate(1, 61), heartRate(2)])
    }

    /// What is stored later is sent on as long as somebody observes.
    @Test func storedSamplesReportNews() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource([heartRate(1)])
        let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)])
        try await engine.run()
        let external = RecordingStore()
        let push = SampleEngine(store: store, source: StoredSamples(store), destinations: [external])
        let (stream, continuation) = AsyncStream.makeStream(of: SampleRunResult.self)
        let observing = _Concurrency.Task { try await push.observe { continuation.yield($0) } }
        var changed = 0
        for await result in stream {
            changed += result.changed
            if changed == 1, await external.added.count == 1 {
                source.add([heartRate(2), heartRate(3)])
                try await engine.run()
            }
            if changed >= 3 { break }
        }
        observing.cancel()
        _ = await observing.result
        #expect(await external.added == [1, 2, 3].map(testUUID))
    }
}
