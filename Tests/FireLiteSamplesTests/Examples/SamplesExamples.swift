import FireLiteR4
import FireLiteSampleSync
import FireLiteSamples
import Foundation
import TestSupport
import Testing

// example Samples.md
struct NightFilter: SampleDelegate {
    func shouldAdd(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision {
        object.sample?.metadata["private"] == nil ? .proceed : .skip
    }
}
// end

/// The examples of the page on samples, with a server in memory.
@Suite(.timeLimit(.minutes(30))) struct SamplesExamples {
    @Test func importing() async throws {
        let temporary = try TemporaryFolder()
        let path = try temporary.write("export.xml", ExportText.of([ExportText.record("HeartRate", "60", "count/min", minute: 1)]))
        let store = try memoryStore()
        // example Samples.md
        let engine = SampleEngine(store: store, source: try AppleExport(URL(fileURLWithPath: path)), destinations: [LocalStore(store)])
        let result = try await engine.run { print("\($0.read) samples") }
        print(result.added, result.updated, result.unchanged)
        // end
        #expect(result.added == 1)
        // example Samples.md
        let own = Data(#"{"HeartRate": {"valueQuantity": {"unit": "bpm", "code": "/min"}}}"#.utf8)
        let mapping = try SampleMapping.standard.merging(json: own).about("Patient/1")
        let local = LocalStore(store, mapping: mapping)
        // end
        #expect(local.mapping.entries[.heartRate]?.unit?.unit == "bpm")
    }

    @Test func sending() async throws {
        let store = try memoryStore()
        try await SampleEngine(store: store, source: MemorySampleSource([heartRate(1)]), destinations: [LocalStore(store)]).run()
        let server = try #require(URL(string: "http://127.0.0.1:1/fhir"))
        // example FireLiteSampleSync.md
        let client = try FHIRClient(base: server, release: .r4)
        let push = SampleEngine(store: store, source: StoredSamples(store), destinations: [FHIRExternalStore(client)])
        let pushed = try await push.run()
        if let reason = pushed.waiting { print("waits in the outbox: \(reason)") }
        // end
        #expect(pushed.waiting != nil)
        #expect(try await store.read { try $0.outboxEntries().count } == 1)
    }

    @Test func sensors() throws {
        let samples = (0..<10).map { heartRate($0, at: Double($0) * 5, origin: SampleOrigin()) }
        // example Samples.md
        let grouping = SampledSeries.grouping(samples)
        for series in grouping.series {
            guard let observation = try series.observation(release: .r4) else { continue }
            print(try SampledSeries.samples(of: observation) == series.samples)
        }
        // end
        #expect(grouping.series.map(\.samples) == [samples])
    }

    @Test func sharing() async throws {
        let store = try memoryStore()
        // example Samples.md
        let shared = LocalStore(store, series: [.heartRate: SampledSeries.Options()])
        // end
        let samples = (0..<10).map { heartRate($0, at: Double($0) * 5) }
        try await SampleEngine(store: store, source: MemorySampleSource(samples), destinations: [shared]).run()
        #expect(try await store.count(Observation.self) == 1)
        // example Samples.md
        store.followSamples()
        let outdated = try await store.refreshSamples()
        // end
        #expect(outdated == 0)
    }

    @Test func readingBack() async throws {
        let store = try memoryStore()
        var secret = heartRate(2)
        secret.metadata = ["private": "1"]
        try await SampleEngine(
            store: store, source: MemorySampleSource([heartRate(1), secret]), destinations: [LocalStore(store)], delegate: NightFilter()
        ).run()
        let (start, end, zone) = (testStart, testStart.addingTimeInterval(3_600), TimeZone.gmt)
        // example Samples.md
        let rates = try await store.samples(of: .heartRate, from: start, to: end)
        let days = try await store.sampleStatistics(of: .heartRate, by: .day, zone: zone)
        let steps = try await store.sampleStatistics(of: .stepCount, by: .day, zone: zone, sources: ["Watch", "Phone"])
        for day in days where day.count > 0 { print(day.start, day.mean ?? 0) }
        // end
        #expect(rates.map(\.uuid) == [testUUID(1)])
        #expect(days.map(\.mean) == [60])
        #expect(steps.isEmpty)
    }
}
