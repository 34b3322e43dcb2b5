import FireLiteR4
import Foundation
import Testing

@testable import FireLite
@testable import FireLiteSearch

/// Counted totals with indexes, for which the engine counts the resources that several indexes have in common.
@Suite struct TotalTests {
    private static let observations = 5_000

    /// Observations of three codes, some with two, with dates of every precision.
    private static func filled(containing: Bool = false) throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        let names = ["Ann", "Ändra", "anna", "Ben", "Ànn", "Carl"]
        let literals = ["", "T00:00:00Z", "T23:30:00Z", "T01:15:00+02:00", "T22:00:00.500-03:00"]
        func observation(_ number: Int) -> Observation {
            let observation = Observation()
            observation.id = "o\(number)"
            observation.status = .final
            observation.code = CodeableConcept { concept in
                concept.coding.append(Coding { $0.code = "c\(number % 3)" })
                if number % 7 == 0 { concept.coding.append(Coding { $0.code = "c\(number % 3)" }) }
                if number % 11 == 0 { concept.coding.append(Coding { $0.code = "c\((number + 1) % 3)" }) }
            }
            observation.subject = Reference { $0.reference = "Patient/\(number % 900)" }
            let day = "2023-0\(number / 28 % 9 + 1)-\(String(number % 28 + 101).dropFirst())"
            let literal = number % 50 == 0 ? String(day.prefix(number % 100 == 0 ? 4 : 7)) : day + literals[number % 5]
            observation.effectiveDateTime = FHIRDateTime(literal)
            return observation
        }
        try store.write { transaction in
            try transaction.upsert(
                (0..<900).map { number -> FHIRResource in
                    let patient = Patient()
                    patient.id = "\(number)"
                    patient.name.append(
                        HumanName {
                            $0.family = names[number % 6]
                            $0.given.append(names[number % 5])
                        })
                    if containing, number % 3 == 0 { patient.contained.append(observation(number + 1)) }
                    return patient
                })
            try transaction.upsert((0..<observations).map { observation($0) as FHIRResource })
        }
        return store
    }

    /// The numbers of all results of a search.
    private static func numbers(_ store: FHIRStore, _ search: String, _ options: SearchOptions) throws -> [Int64] {
        try store.read { transaction in
            let requests = try SearchRun(transaction, SearchRequest(search), options).requests().requests
            return try requests.flatMap { try transaction.roots($0.query) }
        }
    }

    private static let searches = [
        "Observation?code=c0&date=ge2023-02-01", "Observation?code=c1&date=gt2023-07-15", "Observation?code=c0,c2&date=2023-03",
        "Observation?code=c2&date=le2023-03-05T12:00:00Z", "Observation?code=c1&date=sa2023-08", "Observation?code=c0&code=c1",
        "Observation?code=c0&date=ge2023-01&date=lt2023-06-02", "Observation?code=c1&date=eb2023-01-01",
        "Observation?code=c0&date=ap2023-05-03",
        "Observation?date=ge2023-05-07", "Observation?date=ne2023-05-07&code=c2", "Patient?name=an", "Patient?name=an&given=b",
        "Observation?patient=Patient/1&code=c1", "Observation?code=c0&status=final", "Observation?code=none&date=ge2023",
    ]

    @Test(arguments: [false, true]) func totalsAreTheNumbersOfResults(isContaining: Bool) throws {
        let plain = try Self.filled(containing: isContaining)
        let indexed = try Self.filled(containing: isContaining)
        try indexed.createIndexes(forSearch: ["Patient.name", "Observation.code", "Observation.patient", "Observation.date"])
        for zone in ["GMT", "Europe/Berlin", "America/Los_Angeles"] {
            var options = SearchOptions()
            options.timeZone = try #require(TimeZone(identifier: zone))
            for search in Self.searches {
                let expected = try Self.numbers(plain, search, options)
                let found = try Self.numbers(indexed, search, options)
                let total = try indexed.search(search + "&_summary=count", options: options).total
                #expect(total == expected.count && found == expected, "\(search) in \(zone)")
            }
        }
    }

    /// Indexes and the number of other resources change nothing about matches that are contained.
    @Test func containedMatchesAreCountedAndPaged() throws {
        let store = try Self.filled(containing: true)
        let contained = (0..<900).filter { $0 % 3 == 0 }
        let both = contained.filter { ($0 + 1) % 11 == 0 }
        for isIndexed in [false, true] {
            if isIndexed { try store.createIndexes(forSearch: ["Observation.code", "Observation.patient", "Observation.date"]) }
            for (search, expected) in [
                ("code=c1", contained), ("code=c1&code=c2", both), ("code=c1&date=ge2023-01", contained), ("code=c0", []),
                (
                    "code=c1&patient.name=a",
                    contained.filter { [0, 1, 2, 4].contains(($0 + 1) % 900 % 6) || [0, 1, 2, 4].contains(($0 + 1) % 900 % 5) }
                ),
            ] {
                for limit in [2, 30, 1_000] {
                    let result = try store.search(
                        "Observation?\(search)&_contained=true&_containedType=contained&_total=accurate&_count=\(limit)")
                    #expect(result.total == expected.count, "\(search), indexed: \(isIndexed)")
                    #expect(result.matches.map(\.id) == expected.prefix(limit).map { "o\($0 + 1)" }, "\(search), indexed: \(isIndexed)")
                }
            }
        }
    }

    @Test func frequentConditionsAreCountedFromTheirIndexesAlone() throws {
        let store = try Self.filled()
        try store.createIndexes(forSearch: ["Patient.name", "Observation.code", "Observation.patient", "Observation.date"])
        func sets(_ search: String, in zone: String = "GMT") throws -> Int? {
            var options = SearchOptions()
            options.timeZone = try #require(TimeZone(identifier: zone))
            return try store.read { transaction in
                let requests = try SearchRun(transaction, SearchRequest(search), options).requests().requests
                return try transaction.statement(try #require(requests.first).query)?.keySets()?.count
            }
        }
        for zone in ["GMT", "Europe/Berlin"] {
            #expect(try sets("Observation?code=c0&date=ge2023-02-03", in: zone) == 2)
            #expect(try sets("Observation?code=c0&date=ge2023-01&date=lt2023-06-02", in: zone) == 3)
            #expect(try sets("Observation?date=ge2023-05-07", in: zone) == 1)
        }
        #expect(try sets("Patient?name=an") == 1)
        // Few rows are looked up, and a list's own rows are counted; another condition is tested on the rows.
        #expect(try sets("Observation?code=c0&patient=Patient/1") == nil)
        #expect(try sets("Observation?code=c0") == nil)
        #expect(try sets("Observation?code=c0&status=final") == nil)
    }

    @Test func datesUseTheirIndexInEveryZone() throws {
        let store = try Self.filled()
        try store.createIndexes(forSearch: ["Observation.date"])
        for zone in ["GMT", "Europe/Berlin"] {
            var options = SearchOptions()
            options.timeZone = try #require(TimeZone(identifier: zone))
            for date in ["ge2023-09-26", "gt2023-09-26", "2023-09-26", "sa2023-09-26", "ap2023-09-26", "2023-09-26,2023-09-27"] {
                let plan = try #require(try store.explainSearch("Observation?date=\(date)", options: options).statements.first?.plan)
                #expect(plan.contains("Observation__effectiveDateTime") && !plan.contains("SCAN r"), "\(date) in \(zone): \(plan)")
            }
        }
    }
}
