import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteSamples

/// Samples and statistics follow Observations that something else than an engine changes.
@Suite(.timeLimit(.minutes(30))) struct SampleKeeperTests {
    private func fill(_ store: FHIRStore, series: Bool = false) async throws {
        let samples = [heartRate(1, 60, at: 0), heartRate(2, 70, at: 5), heartRate(3, 80, at: 10)]
        let local = LocalStore(store, series: series ? [.heartRate: SampledSeries.Options()] : [:])
        try await SampleEngine(store: store, source: MemorySampleSource(samples), destinations: [local]).run()
    }

    private func id(_ number: Int) -> String { testUUID(number).uuidString.lowercased() }

    /// Replaces a text in an Observation, as an app would change an element.
    private func edit(_ store: FHIRStore, _ id: String, _ old: String, _ new: String) async throws {
        try await store.write { tx in
            let observation = try #require(try tx.resource(Observation.self, id: id))
            let text = FHIRJSON.string(observation)
            #expect(text.contains(old))
            try tx.upsert(try Observation(json: Data(text.replacing(old, with: new).utf8)))
        }
    }

    private func figures(_ store: FHIRStore) async throws -> [Double?] {
        try await store.sampleStatistics(of: .heartRate, by: .whole, zone: .gmt).flatMap {
            [Double($0.count), $0.minimum, $0.maximum, $0.mean]
        }
    }

    @Test func statisticsFollowAChangedNumber() async throws {
        let store = try memoryStore()
        try await fill(store)
        #expect(try await figures(store) == [3, 60, 80, 70])
        try await edit(store, id(2), "\"value\":70,", "\"value\":100,")
        #expect(try await figures(store) == [3, 60, 100, 80])
        #expect(try await store.samples(of: .heartRate)[1].value == .quantity(100, unit: "count/min"))
    }

    @Test func statisticsFollowAChangedTimeAndADeletion() async throws {
        let store = try memoryStore()
        try await fill(store)
        try await edit(store, id(3), "2026-01-01T01:00:10+01:00", "2026-01-03T01:00:00+01:00")
        let days = try await store.sampleStatistics(of: .heartRate, by: .day, zone: .gmt)
        #expect(days.map(\.count) == [2, 0, 1])
        let first = id(1)
        try await store.write { tx in try tx.delete(typeName: "Observation", id: first) }
        #expect(try await figures(store) == [2, 70, 80, 75])
        #expect(try await store.samples(of: .heartRate).map(\.uuid) == [testUUID(2), testUUID(3)])
    }

    @Test(arguments: [false, true]) func checkComparesSamplesWithTheirObservations(inSeries series: Bool) async throws {
        let store = try memoryStore()
        try await fill(store, series: series)
        #expect(try await store.check().isEmpty)
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "UPDATE _samples SET value = 61 WHERE value = 60") }
        #expect(try await store.check().map(\.kind) == [.mismatch])
        #expect(try await store.check().first?.text.hasPrefix("1 sample in _samples") == true)
        _ = try await store.refreshSamples()
        #expect(try await store.check().isEmpty)
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "UPDATE _samples SET start = start + 1, finish = finish + 1")
        }
        #expect(try await store.check().first?.text.hasPrefix("3 samples in _samples") == true)
    }

    /// Rows say which Observations are samples: the file notes what they add up to, so that lost ones are found, and written again.
    @Test(arguments: [false, true]) func lostRowsAreReportedAndWrittenAgain(inSeries series: Bool) async throws {
        let store = try memoryStore()
        try await fill(store, series: series)
        // An Observation of a sample that came from elsewhere has no row, and none is missing.
        let foreign = #"{"resourceType":"Observation","id":"00000000-0000-4000-8000-000000000009","status":"final","code":{"text":"x"}}"#
        try await store.write { tx in _ = try tx.upsert(try Observation(json: Data(foreign.utf8))) }
        let before = try await figures(store)
        #expect(try await store.check().isEmpty)
        for lost in [1, 2, 3] {
            _ = try await store.write { tx in
                try tx.run(on: SampleTables.module, "DELETE FROM _samples WHERE uuid IN (SELECT uuid FROM _samples LIMIT \(lost))")
            }
            let text = lost == 1 ? "1 row of _samples is missing" : "\(lost) rows of _samples are missing"
            #expect(try await store.check().map(\.kind) == [.mismatch])
            #expect(try await store.check().first?.text.hasPrefix(text) == true)
            #expect(try await store.refreshSamples() == lost)
            #expect(try await store.check().isEmpty)
            #expect(try await figures(store) == before)
        }
        #expect(try await store.samples(of: .heartRate).map(\.uuid) == [testUUID(1), testUUID(2), testUUID(3)])
    }

    /// What check finds, a refresh mends, whatever the rows say: also those of a series that are outside its times, or of no series.
    @Test(
        arguments: [false, true],
        [
            "UPDATE _samples SET value = value + 1", "UPDATE _samples SET type = 99", "UPDATE _samples SET start = 0 WHERE value = 60",
            "UPDATE _samples SET start = start + 100000000000, finish = finish + 100000000000", "DELETE FROM _samples",
            "DELETE FROM _samples_series",
        ])
    func afterARefreshTheFileIsSound(inSeries series: Bool, _ damage: String) async throws {
        let store = try memoryStore()
        try await fill(store, series: series)
        let before = try await figures(store)
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, damage) }
        let found = try await store.check()
        #expect(found.allSatisfy { $0.kind == .mismatch && $0.text.hasSuffix("run `firelite samples refresh`, or call refreshSamples") })
        let changed = try await store.refreshSamples()
        #expect((changed > 0) == !found.isEmpty)
        #expect(found.isEmpty == (!series && damage == "DELETE FROM _samples_series"))
        #expect(try await store.check().isEmpty)
        #expect(try await figures(store) == before)
        #expect(try await store.refreshSamples() == 0)
        // The series takes part in edits again.
        let held = try await store.read { tx in
            try tx.sampleRows("SELECT observation FROM _samples_series").first.flatMap { SampleLedger.uuid($0[0]) }
        }
        #expect((held != nil) == series)
        let first = held?.lowercased ?? id(1)
        try await store.write { tx in try tx.delete(typeName: "Observation", id: first) }
        #expect(try await store.check().isEmpty)
        #expect(try await figures(store).first ?? 0 == (series ? 0 : 2))
    }

    @Test func anErrorOfTheProgressEndsARefresh() async throws {
        struct Stop: Error {}
        let store = try memoryStore()
        let samples = (1...1000).map { heartRate($0) }
        try await SampleEngine(store: store, source: MemorySampleSource(samples), destinations: [LocalStore(store)]).run()
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "UPDATE _samples SET value = value + 1") }
        await #expect(throws: Stop.self) {
            try await store.refreshSamples { count in
                #expect(count == 1000)
                throw Stop()
            }
        }
        #expect(try await store.check().first?.text.hasPrefix("1000 samples in _samples") == true)
    }

    /// A file that earlier versions have written notes nothing of its rows: the next write of samples counts them.
    @Test func aFileWithoutTheNoteIsTakenUp() async throws {
        let store = try memoryStore()
        try await fill(store)
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "DELETE FROM _samples_name WHERE kind = 'census'") }
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "DELETE FROM _meta WHERE key = 'samples.census'") }
        #expect(try await store.check().isEmpty)
        try await edit(store, id(2), "\"value\":70,", "\"value\":100,")
        #expect(try await store.check().isEmpty)
        // Such a version writes rows without the note.
        _ = try await store.write { tx in
            try tx.run(on: SampleTables.module, "INSERT INTO _samples(number, uuid) VALUES (9, x'00000000000040008000000000000009')")
        }
        #expect(try await store.check().isEmpty)
        try await edit(store, id(2), "\"value\":100,", "\"value\":110,")
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "DELETE FROM _samples WHERE number = 9") }
        #expect(try await store.check().first?.text.hasPrefix("1 row of _samples is missing") == true)
    }

    /// What the rows add up to is noted in two places, so that it is known if all rows of both tables are lost.
    @Test func allRowsWithTheirNamesAreMissed() async throws {
        let store = try memoryStore()
        try await fill(store)
        let before = try await figures(store)
        for table in ["_samples", "_samples_name"] {
            _ = try await store.write { tx in try tx.run(on: SampleTables.module, "DELETE FROM \(table)") }
        }
        #expect(try await store.check().map(\.kind) == [.mismatch])
        #expect(try await store.check().first?.text.hasPrefix("3 rows of _samples are missing") == true)
        #expect(try await store.refreshSamples() == 3)
        #expect(try await store.check().isEmpty)
        #expect(try await figures(store) == before)
    }

    /// Lost rows that a source brings again are counted once.
    @Test func rowsThatAreReadAgainAreMissingNoLonger() async throws {
        let store = try memoryStore()
        try await fill(store)
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "DELETE FROM _samples WHERE number <= 2") }
        #expect(try await store.check().first?.text.hasPrefix("2 rows of _samples are missing") == true)
        func read(_ samples: [Sample], _ name: String) async throws {
            try await SampleEngine(store: store, source: MemorySampleSource(samples, name: name), destinations: [LocalStore(store)]).run()
        }
        try await read([heartRate(1, 60, at: 0), heartRate(4, 90, at: 15)], "second")
        #expect(try await store.check().first?.text.hasPrefix("1 row of _samples is missing") == true)
        try await read([heartRate(2, 70, at: 5)], "third")
        #expect(try await store.check().isEmpty)
        #expect(try await figures(store).first == 4)
        // An Observation that came from elsewhere gets a row as a sample that is new.
        let foreign = try #require(try await store.read { try $0.resource(Observation.self, id: id(1)).map { FHIRJSON.string($0) } })
        try await store.write { tx in _ = try tx.upsert(try Observation(json: Data(foreign.replacing(id(1), with: id(5)).utf8))) }
        try await read([heartRate(5, 60, at: 20)], "fourth")
        #expect(try await store.check().isEmpty)
    }

    /// Those who read by number remember the last one: numbers of deleted rows are not given again.
    @Test func numbersAreNotGivenAgain() async throws {
        let store = try memoryStore()
        try await fill(store)
        let external = RecordingStore()
        let push = SampleEngine(store: store, source: StoredSamples(store), destinations: [external])
        try await push.run()
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "DELETE FROM _samples") }
        let later = MemorySampleSource([heartRate(4, 90, at: 15)], name: "later")
        try await SampleEngine(store: store, source: later, destinations: [LocalStore(store)]).run()
        #expect(try await push.run().added == 1)
        #expect(await external.samples[testUUID(4)]?.value == .quantity(90, unit: "count/min"))
    }

    @Test func statisticsFollowASeries() async throws {
        let store = try memoryStore()
        try await fill(store, series: true)
        let observations = try await store.read { tx in
            var ids: [String] = []
            try tx.forEach(Observation.self) { ids.append($0.id ?? "") }
            return ids
        }
        let series = try #require(observations.first)
        #expect(observations.count == 1)
        try await edit(store, series, "\"data\":\"60 70 80\"", "\"data\":\"60 100 80\"")
        #expect(try await figures(store) == [3, 60, 100, 80])
        try await store.write { tx in try tx.delete(typeName: "Observation", id: series) }
        #expect(try await figures(store).first == nil)
        #expect(try await store.samples(of: .heartRate).isEmpty)
    }

    @Test func aRolledBackChangeLeavesNoTrace() async throws {
        struct Failure: Error {}
        let store = try memoryStore()
        try await fill(store)
        let first = id(1)
        await #expect(throws: Failure.self) {
            try await store.write { tx in
                try tx.delete(typeName: "Observation", id: first)
                throw Failure()
            }
        }
        #expect(try await figures(store) == [3, 60, 80, 70])
    }

    @Test func changesOfTheAppAreSentOn() async throws {
        let store = try memoryStore()
        try await fill(store)
        let external = RecordingStore()
        let push = SampleEngine(store: store, source: StoredSamples(store), destinations: [external])
        try await push.run()
        try await edit(store, id(2), "\"value\":70,", "\"value\":100,")
        let first = id(1)
        try await store.write { tx in try tx.delete(typeName: "Observation", id: first) }
        let result = try await push.run()
        #expect((result.added, result.updated, result.deleted) == (0, 1, 1))
        #expect(await external.samples[testUUID(2)]?.value == .quantity(100, unit: "count/min"))
    }

    /// The source has not changed the sample, so the app's change stays.
    @Test func aRunKeepsWhatTheAppChanged() async throws {
        let store = try memoryStore()
        try await fill(store)
        try await edit(store, id(2), "\"value\":70,", "\"value\":100,")
        let again = MemorySampleSource([heartRate(2, 70, at: 5)], name: "other")
        let result = try await SampleEngine(store: store, source: again, destinations: [LocalStore(store)]).run()
        #expect(result.unchanged == 1)
        #expect(try await figures(store) == [3, 60, 100, 80])
    }

    @Test func refreshingFindsWhatAnotherStoreObjectChanged() async throws {
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        try await fill(store)
        let other = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        try await edit(other, id(2), "\"value\":70,", "\"value\":100,")
        let first = id(1)
        try await other.write { tx in try tx.delete(typeName: "Observation", id: first) }
        #expect(try await figures(store) == [3, 60, 80, 70])
        #expect(try await store.refreshSamples() == 2)
        #expect(try await figures(store) == [2, 80, 100, 90])
        #expect(try await store.refreshSamples() == 0)
        // A store object that follows needs no refreshing.
        other.followSamples()
        try await edit(other, id(2), "\"value\":100,", "\"value\":90,")
        #expect(try await figures(store) == [2, 80, 90, 85])
    }

    @Test func otherResourcesAndStoresWithoutSamplesAreLeftAlone() async throws {
        let store = try memoryStore()
        store.followSamples()
        try await store.write { tx in
            try tx.upsert(
                try Observation(json: Data(#"{"resourceType":"Observation","id":"a","status":"final","code":{"text":"x"}}"#.utf8)))
        }
        #expect(try await store.refreshSamples() == 0)
        #expect(try await store.read { try $0.sampleTypes().isEmpty })
    }
}
