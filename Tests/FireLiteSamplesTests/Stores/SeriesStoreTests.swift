import FireLiteR4
import FireLiteSamples
import Foundation
import TestSupport
import Testing

/// Samples that share Observations in the store.
@Suite(.timeLimit(.minutes(30))) struct SeriesStoreTests {
    private func engine(_ store: FHIRStore, _ source: MemorySampleSource, batchSize: Int = 100) -> SampleEngine {
        var configuration = SampleEngine.Configuration()
        configuration.batchSize = batchSize
        let local = LocalStore(store, series: [.heartRate: SampledSeries.Options()])
        return SampleEngine(store: store, source: source, destinations: [local], configuration: configuration)
    }

    /// One every 5 seconds, over two hours.
    private let samples = (0..<1_000).map { heartRate($0 + 1, FHIRDecimal(60 + $0 % 50), at: Double($0) * 5) }

    @Test(arguments: [7, 100, 5_000]) func samplesOfAWindowShareAnObservation(_ batchSize: Int) async throws {
        let store = try memoryStore()
        #expect(try await engine(store, MemorySampleSource(samples), batchSize: batchSize).run().added == 1_000)
        #expect(try await store.count(Observation.self) == 2)
        #expect(try await store.count(Device.self) == 1)
        #expect(try await store.samples(of: .heartRate) == samples)
        let hours = try await store.sampleStatistics(of: .heartRate, by: .hour, zone: .gmt)
        #expect(hours.map(\.count) == [720, 280])
        // The same samples again change nothing.
        let again = try await engine(store, MemorySampleSource(samples, name: "other"), batchSize: batchSize).run()
        #expect((again.added, again.updated, again.unchanged) == (0, 0, 1_000))
        #expect(try await store.check().isEmpty)
        let device = try await store.read { tx in
            var references: Set<String> = []
            try tx.forEach(Observation.self) { references.insert($0.device?.reference ?? "") }
            return references
        }
        #expect(device.count == 1 && device.first?.hasPrefix("Device/") == true)
    }

    @Test func aDeletedSampleLeavesItsSeries() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource(samples)
        let engine = engine(store, source)
        try await engine.run()
        source.delete([samples[3], samples[900]])
        #expect(try await engine.run().deleted == 2)
        #expect(try await store.count(Observation.self) == 2)
        var rest = samples
        rest.remove(at: 900)
        rest.remove(at: 3)
        #expect(try await store.samples(of: .heartRate) == rest)
        #expect(try await store.sampleStatistics(of: .heartRate, by: .whole, zone: .gmt).map(\.count) == [998])
        // What was deleted may come again, and a series without samples goes.
        source.add([samples[3]])
        #expect(try await engine.run().added == 1)
        source.delete(Array(samples[720...]))
        try await engine.run()
        #expect(try await store.count(Observation.self) == 1)
        #expect(try await store.samples(of: .heartRate) == Array(samples[..<720]))
    }

    @Test func aChangedSampleIsChangedInItsSeries() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource(samples)
        let engine = engine(store, source)
        try await engine.run()
        var changed = samples[5]
        changed.value = .quantity(200, unit: "count/min")
        source.add([changed])
        #expect(try await engine.run().updated == 1)
        #expect(try await store.samples(of: .heartRate)[5] == changed)
        #expect(try await store.sampleStatistics(of: .heartRate, by: .whole, zone: .gmt).first?.maximum == 200)
        #expect(try await store.count(Observation.self) == 2)
        // One that gets metadata has an Observation of its own from then on.
        changed.metadata = ["note": "x"]
        source.add([changed])
        try await engine.run()
        #expect(try await store.count(Observation.self) == 3)
        #expect(try await store.samples(of: .heartRate)[5] == changed)
    }

    @Test func whatASeriesCannotHoldIsStoredAlone() async throws {
        let store = try memoryStore()
        var noted = heartRate(1, at: 0)
        noted.metadata = ["note": "x"]
        let span = Sample(
            uuid: testUUID(2), type: .heartRate, start: testStart, end: testStart.addingTimeInterval(60),
            value: .quantity(60, unit: "count/min"))
        let twice = [heartRate(3, at: 10), heartRate(4, 61, at: 10)]
        let other = Sample(uuid: testUUID(5), type: .bodyMass, start: testStart, value: .quantity(70, unit: "kg"))
        try await engine(store, MemorySampleSource([noted, span] + twice + [other])).run()
        // Two of the same moment: one is in the series, the other is alone.
        #expect(try await store.count(Observation.self) == 5)
        #expect(Set(try await store.samples(of: .heartRate)) == Set([noted, span] + twice))
    }

    @Test func otherSourcesAndZonesHaveSeriesOfTheirOwn() async throws {
        let store = try memoryStore()
        var zoned = heartRate(3, at: 10)
        zoned.zone = TimeZone(identifier: "Europe/Berlin")
        let samples = [heartRate(1, at: 0), heartRate(2, at: 5, origin: testPhone), zoned, heartRate(4, at: 15)]
        try await engine(store, MemorySampleSource(samples)).run()
        #expect(try await store.count(Observation.self) == 3)
        #expect(try await store.samples(of: .heartRate) == samples)
    }

    /// Adds, changes and deletes at random, in batches of random sizes, and compares the store with a list.
    @Test(arguments: 1...10) func seriesAreLossless(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try memoryStore()
        let source = MemorySampleSource()
        var expected: [UUID: Sample] = [:]
        var next = 1
        for _ in 0..<6 {
            for _ in 0..<random.int(1...80) {
                switch random.int(0...9) {
                case 0...6:
                    var sample = heartRate(next, FHIRDecimal(random.int(40...180)), at: Double(random.int(0...9_000)))
                    if random.int(0...9) == 0 { sample.metadata = ["a": "b"] }
                    if random.int(0...4) == 0 { sample.origin = testPhone }
                    next += 1
                    expected[sample.uuid] = sample
                    source.add([sample])
                case 7:
                    guard var sample = expected.values.sorted(by: { $0.uuid.uuidString < $1.uuid.uuidString }).first else { continue }
                    sample.value = .quantity(FHIRDecimal(random.int(40...180)), unit: "count/min")
                    expected[sample.uuid] = sample
                    source.add([sample])
                default:
                    guard let sample = expected.values.max(by: { $0.uuid.uuidString < $1.uuid.uuidString }) else { continue }
                    expected[sample.uuid] = nil
                    source.delete([sample])
                }
            }
            try await engine(store, source, batchSize: random.int(1...50)).run()
            let stored = try await store.samples(of: .heartRate)
            #expect(stored.count == expected.count, "seed \(seed)")
            #expect(Set(stored) == Set(expected.values), "seed \(seed)")
        }
        #expect(try await store.check().isEmpty)
    }

    @Test func seriesAreSentOnAsSamples() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource(Array(samples[..<100]))
        let engine = engine(store, source)
        try await engine.run()
        let external = RecordingStore()
        let push = SampleEngine(store: store, source: StoredSamples(store), destinations: [external])
        #expect(try await push.run().added == 100)
        source.delete([samples[7]])
        try await engine.run()
        let result = try await push.run()
        #expect((result.deleted, result.added, result.updated) == (1, 0, 0))
        #expect(await Set(external.samples.values) == Set(samples[..<100]).subtracting([samples[7]]))
    }

    /// The third sample begins the series earlier, so that the others are not in its places any more.
    @Test func aSampleThatFitsNoMoreLeavesItsSeries() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource([heartRate(1, 61, at: 0.001), heartRate(2, 62, at: 5.001)])
        try await engine(store, source).run()
        #expect(try await store.count(Observation.self) == 1)
        source.add([heartRate(3, 63, at: 0)])
        try await engine(store, source).run()
        #expect(try await store.samples(of: .heartRate).map(\.uuid) == [testUUID(3), testUUID(1), testUUID(2)])
        #expect(try await store.count(Observation.self) == 3)
        #expect(try await store.check().isEmpty)
    }

    @Test func aSampleThatWasAloneJoinsWhenItChanges() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource([heartRate(1, 61, at: 0), heartRate(2, 62, at: 5)])
        try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run()
        #expect(try await store.count(Observation.self) == 2)
        source.add([heartRate(1, 71, at: 0), heartRate(2, 72, at: 5)])
        #expect(try await engine(store, source).run().updated == 2)
        #expect(try await store.count(Observation.self) == 1)
        #expect(try await store.samples(of: .heartRate) == [heartRate(1, 71, at: 0), heartRate(2, 72, at: 5)])
    }
}
