import FireLiteR4
import FireLiteSearch
import Foundation
import Testing

/// What is searched: contained resources, and `$everything` with what it refers to.
@Suite struct SearchScopeTests {
    private func sample() throws -> SearchStore {
        try SearchStore(
            ##"""
            {"resourceType":"MedicationRequest","id":"m1","status":"active","intent":"order","subject":{"reference":"Patient/1"},
             "medicationReference":{"reference":"#a"},"requester":{"reference":"Practitioner/d1"},
             "contained":[{"resourceType":"Medication","id":"a","code":{"coding":[{"code":"aspirin"}]}},
              {"resourceType":"Medication","id":"b","code":{"coding":[{"code":"other"}]},"manufacturer":{"reference":"Organization/o1"}}]}
            """##,
            #"""
            {"resourceType":"MedicationRequest","id":"m2","status":"active","intent":"order","subject":{"reference":"Patient/2"},
             "medicationReference":{"reference":"Medication/s"}}
            """#,
            #"{"resourceType":"Medication","id":"s","code":{"coding":[{"code":"aspirin"}]},"manufacturer":{"reference":"Organization/o1"}}"#,
            #"{"resourceType":"Patient","id":"1","managingOrganization":{"reference":"Organization/o2"},"link":[{"type":"seealso","other":{"reference":"Patient/2"}}]}"#,
            #"{"resourceType":"Patient","id":"2"}"#, #"{"resourceType":"Organization","id":"o1","name":"Maker"}"#,
            #"{"resourceType":"Organization","id":"o2","partOf":{"reference":"Organization/o3"}}"#,
            #"{"resourceType":"Organization","id":"o3"}"#, #"{"resourceType":"Practitioner","id":"d1"}"#,
            #"""
            {"resourceType":"Observation","id":"x","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"},
             "effectiveDateTime":"2020-05-01","hasMember":[{"reference":"Observation/y"}],"device":{"reference":"Device/e"}}
            """#,
            #"{"resourceType":"Observation","id":"y","status":"final","code":{"text":"y"},"subject":{"reference":"Patient/2"}}"#,
            #"{"resourceType":"Device","id":"e"}"#)
    }

    @Test(arguments: [
        ("Medication?code=aspirin", ["s"]), ("Medication?code=aspirin&_contained=false", ["s"]),
        ("Medication?code=aspirin&_contained=true", ["m1"]), ("Medication?code=aspirin&_contained=both", ["s", "m1"]),
        ("Medication?code=aspirin,other&_contained=true&_containedType=container", ["m1"]), ("Medication?code=no&_contained=both", []),
        ("Medication?_contained=true", ["m1"]), ("Medication?manufacturer.name=maker&_contained=both", ["s", "m1"]),
        ("Medication?code=aspirin&manufacturer.name=maker&_contained=true", []), ("Medication?_contained=both&_sort=-_id", ["s", "m1"]),
    ]) func containersOfMatchesAreResults(_ search: String, _ ids: [String]) throws {
        let result = try sample().store.search(search)
        #expect(result.matches.compactMap(\.id) == ids && result.total == ids.count)
    }

    @Test func searchesOfContainedResourcesHaveLimits() throws {
        let sample = try sample()
        for search in [
            "Medication?_has:MedicationRequest:medication:status=active&_contained=true",
            "Medication?_content=aspirin&_contained=true",
        ] {
            #expect(try sample.error(search)?.code == .notSupported, "\(search)")
        }
        for search in [
            "?_id=a&_contained=true", "Medication?_contained=maybe", "Patient/1/Medication?_contained=true",
            "Medication?_contained=true&_containedType=both",
        ] {
            #expect(try sample.error(search)?.code == .invalid, "\(search)")
        }
    }

    private func everything(_ sample: SearchStore, _ search: String) throws -> (matches: [String], included: [String]) {
        let result = try sample.store.search(search, options: sample.options)
        func names(_ resources: [FHIRResource]) -> [String] { resources.map { "\($0.resourceType)/\($0.id ?? "")" }.sorted() }
        return (names(result.matches), names(result.included))
    }

    @Test func everythingHasWhatItRefersTo() throws {
        let sample = try sample()
        let all = try everything(sample, "Patient/1/$everything")
        #expect(all.matches == ["MedicationRequest/m1", "Observation/x", "Patient/1"])
        // Observation y is of another patient, as is patient 2.
        #expect(all.included == ["Device/e", "Organization/o1", "Organization/o2", "Organization/o3", "Practitioner/d1"])
        let other = try everything(sample, "Patient/2/$everything")
        #expect(other.matches == ["MedicationRequest/m2", "Observation/y", "Patient/1", "Patient/2"])
        #expect(other.included == ["Medication/s", "Organization/o1", "Organization/o2", "Organization/o3"])
        let some = try everything(sample, "Patient/1/$everything?_type=Observation,Device")
        #expect(some.matches == ["Observation/x"] && some.included == ["Device/e"])
        let plain = try sample.store.search("Patient/1/*")
        #expect(plain.included.isEmpty)
    }

    @Test func everythingHasItsOwnParameters() throws {
        let sample = try sample()
        #expect(try everything(sample, "Patient/1/$everything?start=2020-06-01").matches == ["MedicationRequest/m1", "Patient/1"])
        #expect(try everything(sample, "Patient/1/$everything?start=2020-04&end=2020-06").matches.contains("Observation/x"))
        #expect(try everything(sample, "Patient/1/$everything?_since=2020").matches == [])
        for search in ["Patient/$everything", "Patient/1/$summary"] {
            #expect(throws: SearchError.self) { try SearchRequest(search) }
        }
    }
}
