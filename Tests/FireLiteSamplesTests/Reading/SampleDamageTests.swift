import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteSamples

/// Whatever the tables of samples say: `check` sees it or the statistics are right, and a refresh makes them as a new import would.
@Suite(.timeLimit(.minutes(30))) struct SampleDamageTests {
    private func filled(series: Bool) async throws -> FHIRStore {
        let store = try memoryStore()
        let hearts = (1...9).map { heartRate($0, FHIRDecimal(60 + $0), at: Double($0) * 5) }
        let walks = (10...15).map { number in
            steps(
                number, FHIRDecimal(number * 10), from: testStart.addingTimeInterval(Double(number) * 40), for: 60,
                origin: number.isMultiple(of: 2) ? testWatch : testPhone)
        }
        let local = LocalStore(store, series: series ? [.heartRate: SampledSeries.Options()] : [:])
        try await SampleEngine(store: store, source: MemorySampleSource(hearts + walks), destinations: [local]).run()
        return store
    }

    private func figures(_ store: FHIRStore) async throws -> [Double?] {
        var figures: [Double?] = []
        for type in [SampleType.heartRate, .stepCount] {
            for interval in try await store.sampleStatistics(of: type, by: .minutes(1), zone: .gmt) {
                figures += [Double(interval.count), interval.minimum, interval.maximum, interval.sum]
            }
        }
        return figures
    }

    private func run(_ store: FHIRStore, _ sql: String) async throws {
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, sql) }
    }

    private func rows(_ store: FHIRStore) async throws -> [Int64?] {
        try await store.read { tx in
            try tx.sampleRows("SELECT count(*), count(DISTINCT uuid), count(start) FROM _samples").first.map { row in
                (0..<3).map { row[$0].integer }
            } ?? []
        }
    }

    @Test(
        arguments: [false, true],
        [
            "uuid = randomblob(16)", "uuid = NULL", "uuid = zeroblob(number)", "value = NULL", "start = NULL", "finish = NULL",
            "type = NULL", "series = 7", "origin = NULL", "digest = NULL", "value = 'abc'", "start = NULL, series = NULL",
        ])
    func aChangedColumnIsFoundAndMended(inSeries series: Bool, _ assignment: String) async throws {
        for condition in ["", " WHERE number = 3"] {
            let store = try await filled(series: series)
            let (before, count) = try await (figures(store), rows(store))
            try await run(store, "UPDATE _samples SET \(assignment)\(condition)")
            #expect(try await !store.check().isEmpty, "\(condition)")
            #expect(try await store.refreshSamples() > 0, "\(condition)")
            #expect(try await store.check().isEmpty, "\(condition)")
            #expect(try await figures(store) == before, "\(condition)")
            #expect(try await rows(store) == count, "\(condition)")
            #expect(try await store.refreshSamples() == 0, "\(condition)")
        }
    }

    /// A row that nobody has written is removed; that of a sample whose Observation is gone stays as a deleted one.
    @Test func aRowOfNoSampleIsRemoved() async throws {
        let store = try await filled(series: false)
        let (before, count) = try await (figures(store), rows(store))
        let columns = "type, start, finish, value, origin, digest, series"
        for uuid in ["randomblob(16)", "NULL"] {
            try await run(store, "INSERT INTO _samples SELECT 500, \(uuid), \(columns) FROM _samples WHERE number = 3")
            #expect(try await store.check().contains { $0.text.hasPrefix("1 sample in _samples is not that") })
            #expect(try await store.refreshSamples() == 1)
            #expect(try await store.check().isEmpty)
            #expect(try await figures(store) == before)
            #expect(try await rows(store) == count)
        }
    }

    /// An Observation of a sample that came from elsewhere counts after a refresh.
    @Test func samplesFromElsewhereGetRows() async throws {
        let (store, other) = try await (filled(series: false), memoryStore())
        let id = testUUID(1).lowercased
        let observation = try #require(try await store.read { try $0.resource(Observation.self, id: id)?.copy() })
        try await SampleEngine(store: other, source: MemorySampleSource([heartRate(2)]), destinations: [LocalStore(other)]).run()
        let text = FHIRJSON.string(observation)
        try await other.write { tx in _ = try tx.upsert(try Observation(json: Data(text.utf8))) }
        #expect(try await other.check().isEmpty)
        #expect(try await other.refreshSamples() == 1)
        #expect(try await other.check().isEmpty)
        #expect(try await other.samples(of: .heartRate).map(\.uuid) == [testUUID(1), testUUID(2)])
        #expect(try await other.refreshSamples() == 0)
    }

    private static func damage(_ random: inout SeededGenerator) -> String {
        func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
        switch Int.random(in: 0..<10, using: &random) {
        case 0...4:
            let column = pick(["uuid", "type", "start", "finish", "value", "origin", "digest", "series"])
            let value = column == "uuid" ? pick(["NULL", "x'00'", "randomblob(16)"]) : pick(["NULL", "'abc'", "77", "x'0102'"])
            let place = Int.random(in: 0..<15, using: &random)
            return "UPDATE _samples SET \(column) = \(value) WHERE number = (SELECT number FROM _samples LIMIT 1 OFFSET \(place))"
        case 5:
            return "DELETE FROM _samples WHERE number % 5 = \(Int.random(in: 0..<5, using: &random))"
        case 6:
            let uuid = pick(["NULL", "randomblob(16)"])
            return """
                INSERT INTO _samples SELECT (SELECT max(number) FROM _samples) + 1, \(uuid), type, start, finish, value, origin, digest, series
                FROM _samples WHERE start IS NOT NULL LIMIT 1
                """
        case 7:
            let assignment = pick(["observation = NULL", "observation = x'00'", "type = NULL", "start = NULL", "finish = 0"])
            return "UPDATE _samples_series SET \(assignment)"
        case 8:
            return pick(["DELETE FROM _samples_series", "INSERT INTO _samples_series(type, start) VALUES (1, 0)"])
        default:
            let place = Int.random(in: 0..<4, using: &random)
            let row = "number = (SELECT number FROM _samples_name WHERE kind IN ('type', 'origin') LIMIT 1 OFFSET \(place))"
            let assignment = pick(["kind = NULL", "name = NULL", "name = 'x' || number", "label = NULL", "label = 'x'", ""])
            return assignment.isEmpty ? "DELETE FROM _samples_name WHERE \(row)" : "UPDATE _samples_name SET \(assignment) WHERE \(row)"
        }
    }

    @Test(arguments: [false, true]) func damageIsFoundAndMended(inSeries series: Bool) async throws {
        for seed in 0..<60 {
            var random = SeededGenerator(seed: UInt64(seed))
            let store = try await filled(series: series)
            let (before, count) = try await (figures(store), rows(store))
            let statements = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.damage(&random) }
            for statement in statements { try await run(store, statement) }
            let isSound = try await store.check().isEmpty
            // Statistics of times that no sample has are an error.
            let now = try? await figures(store)
            #expect(!isSound || now == before, "\(seed): \(statements)")
            _ = try await store.refreshSamples()
            #expect(try await store.check().isEmpty, "\(seed): \(statements)")
            #expect(try await figures(store) == before, "\(seed): \(statements)")
            #expect(try await rows(store).last == count.last, "\(seed): \(statements)")
            #expect(try await store.refreshSamples() == 0, "\(seed): \(statements)")
        }
    }
}
