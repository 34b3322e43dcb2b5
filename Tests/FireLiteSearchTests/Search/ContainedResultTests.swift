import FireLiteR4
import FireLiteSearch
import Foundation
import Testing

/// Searches with `_containedType=contained`, whose matches are the contained resources themselves.
@Suite struct ContainedResultTests {
    private func sample() throws -> SearchStore {
        try SearchStore(
            ##"""
            {"resourceType":"MedicationRequest","id":"m1","status":"active","intent":"order","subject":{"reference":"Patient/1"},
             "medicationReference":{"reference":"#a"},
             "contained":[{"resourceType":"Medication","id":"a","status":"active","code":{"coding":[{"code":"aspirin"}]}},
              {"resourceType":"Organization","id":"g","name":"Maker"},
              {"resourceType":"Medication","id":"b","code":{"coding":[{"code":"other"}]},"manufacturer":{"reference":"Organization/o1"}},
              {"resourceType":"Medication","id":"c","code":{"coding":[{"code":"aspirin"}]},"manufacturer":{"reference":"#g"}}]}
            """##,
            #"{"resourceType":"Medication","id":"s","code":{"coding":[{"code":"aspirin"}]},"manufacturer":{"reference":"Organization/o1"}}"#,
            ##"""
            {"resourceType":"Medication","id":"k","code":{"coding":[{"code":"kit"}]},"ingredient":[{"itemReference":{"reference":"#a"}}],
             "contained":[{"resourceType":"Medication","id":"a","code":{"coding":[{"code":"aspirin"}]}}]}
            """##,
            #"{"resourceType":"Medication","id":"t","code":{"coding":[{"code":"aspirin"}]}}"#,
            ##"""
            {"resourceType":"MedicationAdministration","id":"n1","status":"completed","effectiveDateTime":"2020","subject":{"reference":"Patient/1"},
             "medicationReference":{"reference":"#z"},"contained":[{"resourceType":"Medication","id":"z","code":{"coding":[{"code":"aspirin"}]}}]}
            """##,
            #"{"resourceType":"MedicationRequest","id":"m2","status":"active","intent":"order","subject":{"reference":"Patient/1"},"medicationReference":{"reference":"Medication/a"}}"#,
            #"{"resourceType":"Organization","id":"o1","name":"Maker"}"#, #"{"resourceType":"Patient","id":"1"}"#)
    }

    private func references(_ result: SearchResult) -> [String] { result.matches.compactMap { result.reference(to: $0) } }

    private static let contained = "&_containedType=contained"

    @Test(arguments: [
        (
            "Medication?code=aspirin&_contained=true",
            ["Medication/k#a", "MedicationAdministration/n1#z", "MedicationRequest/m1#a", "MedicationRequest/m1#c"]
        ),
        (
            "Medication?code=aspirin&_contained=both",
            [
                "Medication/s", "Medication/k#a", "Medication/t", "MedicationAdministration/n1#z", "MedicationRequest/m1#a",
                "MedicationRequest/m1#c",
            ]
        ),
        ("Medication?code=aspirin&_contained=false", ["Medication/s", "Medication/t"]), ("Medication?code=no&_contained=both", []),
        ("Medication?code=other,kit&_contained=true", ["MedicationRequest/m1#b"]),
        ("Medication?code:not=aspirin&_contained=true", ["MedicationRequest/m1#b"]),
        ("Medication?status=active&_contained=true", ["MedicationRequest/m1#a"]),
        ("Medication?_id=a&_contained=both", ["Medication/k#a", "MedicationRequest/m1#a"]),
        ("Medication?manufacturer.name=maker&_contained=true", ["MedicationRequest/m1#b"]),
        ("Medication?manufacturer:missing=false&_contained=true", ["MedicationRequest/m1#b", "MedicationRequest/m1#c"]),
        (
            "Medication?code=aspirin&_contained=true&_sort=-_id",
            ["MedicationAdministration/n1#z", "MedicationRequest/m1#c", "Medication/k#a", "MedicationRequest/m1#a"]
        ),
        (
            "Medication?_contained=both&_sort=code,_id&_count=4",
            ["Medication/k#a", "MedicationRequest/m1#a", "MedicationRequest/m1#c", "Medication/s"]
        ),
        ("Organization?name=maker&_contained=true", ["MedicationRequest/m1#g"]), ("Patient?_contained=true", []),
        ("Device?_contained=both", []),
    ]) func matchesAreTheContainedResources(_ search: String, _ expected: [String]) throws {
        let sample = try sample()
        for isIndexed in [false, true] {
            if isIndexed {
                try sample.store.createIndexes(forSearch: [
                    "Medication.code", "Medication.manufacturer", "Medication.status", "Organization.name",
                ])
            }
            let result = try sample.store.search(search + Self.contained, options: sample.options)
            #expect(references(result) == expected, "indexed: \(isIndexed)")
            if !search.contains("_count") { #expect(result.total == expected.count) }
            #expect(result.matches.allSatisfy { $0.resourceType == search.prefix { $0 != "?" } })
        }
    }

    @Test(arguments: ["true", "both"], ["", "&_sort=code", "&_sort=-_id", "&_sort=status,-code"]) func pagesHaveEachMatchOnce(
        _ mode: String, _ sort: String
    ) throws {
        let store = try sample().store
        let search = "Medication?_contained=\(mode)\(sort)\(Self.contained)"
        let all = references(try store.search(search))
        #expect(all.count == (mode == "true" ? 5 : 8) && Set(all).count == all.count)
        for size in 1...4 {
            var found: [String] = []
            var page = try store.search("\(search)&_count=\(size)")
            found += references(page)
            #expect(page.total == all.count)
            while let next = page.nextAddress, found.count < 20 {
                page = try store.search(next)
                #expect(page.matches.count <= size)
                found += references(page)
            }
            #expect(found == all, "\(size) a page")
        }
    }

    /// Matches that are stored on their own and contained ones take turns in the order of storage.
    @Test func manyMatchesOfBothKindsHaveTheirPages() throws {
        let store = try SearchStore().store
        try store.write { tx in
            for number in 0..<40 {
                let medication = Medication {
                    $0.id = "\(number)"
                    $0.status = "active"
                }
                if number % 3 == 0 { medication.contained = [Medication { $0.id = "in" }] }
                try tx.upsert(medication)
            }
        }
        let all = (0..<40).flatMap { ["Medication/\($0)"] + ($0 % 3 == 0 ? ["Medication/\($0)#in"] : []) }
        for (search, expected) in [("", all), ("&status=active", all.filter { !$0.hasSuffix("in") })] {
            for size in [1, 3, 5, 17] {
                var page = try store.search("Medication?_contained=both\(search)&_count=\(size)\(Self.contained)")
                var found = references(page)
                while let next = page.nextAddress, found.count <= 60 {
                    page = try store.search(next)
                    found += references(page)
                }
                #expect(found == expected, "\(size) a page")
            }
        }
    }

    /// What a contained resource holds in turn is not contained in the resource that a condition is about.
    @Test func whatContainedResourcesHoldIsNoMatch() throws {
        let store = try SearchStore(
            ##"""
            {"resourceType":"List","id":"l","status":"current","mode":"working","contained":[
             {"resourceType":"Bundle","id":"b","type":"collection","entry":[{"resource":{"resourceType":"Organization","id":"deep","name":"x"}}]},
             {"resourceType":"Organization","id":"o","name":"x"}]}
            """##
        ).store
        #expect(try references(store.search("Organization?name=x&_contained=true" + Self.contained)) == ["List/l#o"])
        #expect(try store.search("Organization?_contained=true&_summary=count" + Self.contained).total == 1)
    }

    @Test func aContainedMatchKnowsItsContainer() throws {
        let sample = try sample()
        let result = try sample.store.search("Medication?code=aspirin&_contained=both&_type=Medication" + Self.contained)
        let match = try #require(result.matches(Medication.self).first { $0.id == "z" })
        #expect(result.container(of: match)?.id == "n1" && match.code?.coding.first?.code == "aspirin")
        let stored = try #require(result.matches.first { $0.id == "s" })
        #expect(result.container(of: stored) == nil && result.reference(to: stored) == "Medication/s")
    }

    @Test func fullURLsAreThoseOfTheContainerWithTheFragment() throws {
        var sample = try sample()
        sample.options.base = "https://example.org/fhir"
        let search = "Medication?code=aspirin&_contained=both" + Self.contained
        let bundle = try #require(try sample.store.search(search, options: sample.options).bundle() as? FireLiteR4.Bundle)
        let base = "https://example.org/fhir/"
        #expect(
            bundle.entry.map { $0.fullUrl?.replacing(base, with: "") } == [
                "Medication/s", "Medication/k#a", "Medication/t", "MedicationAdministration/n1#z", "MedicationRequest/m1#a",
                "MedicationRequest/m1#c",
            ])
        #expect(bundle.entry.allSatisfy { $0.resource is Medication && $0.search?.mode == .match })
        // The reference of c to what its container contains, too, leads out of the Bundle.
        #expect(bundle.total == 6)
        #expect(bundle.validate().map(\.path) == ["Bundle.entry[5].resource.manufacturer.reference"])

        sample.options.base = nil
        let plain = try #require(try sample.store.search(search, options: sample.options).bundle() as? FireLiteR4.Bundle)
        let request = try #require(try sample.store.resource(MedicationRequest.self, id: "m1"))
        #expect(plain.entry.last?.fullUrl == "urn:uuid:\(request.pk)#c")
        #expect(Set(plain.entry.map(\.fullUrl)).count == 6)
    }

    @Test func includesStartFromContainedMatches() throws {
        let store = try sample().store
        let forward = try store.search("Medication?_contained=true&_include=Medication:manufacturer" + Self.contained)
        #expect(forward.included.map { $0.id ?? "" } == ["o1"])
        // A reference to Medication/a is to a stored one, not to those contained in others.
        let backward = try store.search("Medication?_id=a&_contained=true&_revinclude=MedicationRequest:medication" + Self.contained)
        #expect(backward.matches.count == 2 && backward.included.isEmpty)
    }

    @Test func subsetsAreOfTheContainedResource() throws {
        let store = try sample().store
        let bundle =
            try store.search("Medication?_id=b&_contained=true&_elements=manufacturer" + Self.contained).bundle() as? FireLiteR4.Bundle
        let medication = try #require(bundle?.entry.first?.resource as? Medication)
        #expect(medication.id == "b" && medication.code == nil && medication.manufacturer?.reference == "Organization/o1")
        let count = try store.search("Medication?_contained=both&_summary=count" + Self.contained)
        #expect(count.total == 8 && count.matches.isEmpty)
    }

    @Test func explanationsNameTheTypeOfTheMatches() throws {
        let store = try sample().store
        let explanation = try store.explainSearch("Medication?code=aspirin&_contained=true" + Self.contained)
        #expect(Set(explanation.statements.map(\.type)) == ["Medication"] && explanation.missing.isEmpty)
        #expect(try store.explainSearch("Medication?code=aspirin&_contained=both" + Self.contained).missing == ["Medication.code"])
        #expect(try store.explainSearch("Medication?code=aspirin&_contained=true").missing.isEmpty)
    }

    @Test func changesInAWriteAreSeen() throws {
        let store = try sample().store
        try store.write { tx in
            let request = try #require(try tx.resource(MedicationRequest.self, id: "m1"))
            request.contained.removeFirst()
            let added = Medication()
            added.id = "new"
            added.status = "active"
            request.contained.append(added)
            let result = try tx.search(SearchRequest("Medication?_contained=true" + Self.contained))
            #expect(result.matches.compactMap(\.id).sorted() == ["a", "b", "c", "new", "z"])
            #expect(result.matches.contains { $0 === added })
        }
        #expect(try references(store.search("Medication?status=active&_contained=true" + Self.contained)) == ["MedicationRequest/m1#new"])
    }
}
