import FireLite
import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport
import Testing

@Suite struct RandomSearchTests {
    static let types = [
        "Patient", "Observation", "Condition", "Encounter", "MedicationRequest", "Procedure", "Immunization", "Organization",
        "Practitioner",
        "Location", "DiagnosticReport", "Claim", "ExplanationOfBenefit", "Coverage", "AllergyIntolerance", "CarePlan", "Composition",
        "ValueSet",
    ]

    private static var options: SearchOptions {
        var options = SearchOptions()
        options.timeZone = .gmt
        options.handling = .strict
        return options
    }

    /// Every search finds what an evaluation of FHIRPath in memory finds, without indexes and with them.
    @Test func searchesFindWhatAnEvaluationInMemoryFinds() throws {
        let resources = try SearchSample.resources()
        let oracle = SearchOracle(resources: resources.map { $0.copy() }, release: .r4)
        let store = try SearchSample.store(resources)
        let present = Self.types.filter { type in resources.contains { $0.resourceType == type } }
        let random = try RandomSearch(oracle, types: present)
        let seeds = 0..<UInt64(Effort.isNightly ? 3_000 : Effort.count(100))
        var searches: [(seed: UInt64, search: RandomSearch.Search, ids: Set<String>)] = []
        for seed in seeds {
            guard let search = try random.make(seed: seed) else { continue }
            searches.append((seed, search, try oracle.ids(search.type, search.parameters)))
        }
        #expect(searches.count > seeds.count / 2)
        #expect(searches.filter { !$0.ids.isEmpty }.count > searches.count / 3)
        for isIndexed in [false, true] {
            if isIndexed {
                for set in StoreIndexSet.all { try store.createIndexes(set) }
                try store.createIndexes(forSearch: [
                    "Patient.name", "Patient.family", "Patient.address", "Organization.name", "Practitioner.name",
                ])
            }
            for (seed, search, ids) in searches {
                let found: SearchResult
                do {
                    found = try store.search(search.request, options: Self.options)
                } catch {
                    Issue.record("seed \(seed): \(search.request.address): \(error)")
                    continue
                }
                let foundIDs = Set(found.matches.compactMap(\.id))
                #expect(
                    foundIDs == ids,
                    "seed \(seed), indexed \(isIndexed): \(search.request.address): also \(foundIDs.subtracting(ids).sorted().prefix(3)), not \(ids.subtracting(foundIDs).sorted().prefix(3))"
                )
                #expect(found.total == ids.count, "seed \(seed)")
            }
        }
    }
}

extension StoreIndexSet {
    fileprivate static let all: [StoreIndexSet] = [.references, .identifiers, .codes, .dates]
}
