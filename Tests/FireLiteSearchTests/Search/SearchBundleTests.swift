import FireLiteR4
import FireLiteSearch
import Foundation
import Testing

/// What FHIR asks of a Bundle of type `searchset`.
@Suite struct SearchBundleTests {
    private func sample() throws -> SearchStore {
        var sample = try SearchStore(
            #"{"resourceType":"Patient","id":"1","generalPractitioner":[{"reference":"Practitioner/d1"}]}"#,
            #"{"resourceType":"Patient","id":"2"}"#, #"{"resourceType":"Practitioner","id":"d1"}"#)
        sample.options.handling = .lenient
        return sample
    }

    private func bundle(_ sample: SearchStore, _ search: String) throws -> FireLiteR4.Bundle {
        try #require(try sample.store.search(search, options: sample.options).bundle() as? FireLiteR4.Bundle)
    }

    @Test func fullURLsBeginWithTheBase() throws {
        var sample = try sample()
        for base in ["https://example.org/fhir", "https://example.org/fhir/"] {
            sample.options.base = base
            let bundle = try bundle(sample, "Patient?_include=Patient:general-practitioner&_sort=_id")
            #expect(
                bundle.entry.map(\.fullUrl) == [
                    "https://example.org/fhir/Patient/1", "https://example.org/fhir/Patient/2", "https://example.org/fhir/Practitioner/d1",
                ])
            #expect(bundle.link.map(\.url) == ["https://example.org/fhir/Patient?_include=Patient:general-practitioner&_sort=_id"])
            #expect(bundle.validate().isEmpty)
        }
    }

    @Test func withoutABaseFullURLsAreLastingUUIDs() throws {
        let sample = try sample()
        let bundle = try bundle(sample, "Patient?_sort=_id&nonsense=1")
        let urls = bundle.entry.compactMap(\.fullUrl)
        #expect(urls.count == 3 && Set(urls).count == 3)
        #expect(urls.allSatisfy { $0.wholeMatch(of: /urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil })
        let patient = try #require(try sample.store.resource(Patient.self, id: "1"))
        #expect(urls.first == "urn:uuid:\(patient.pk)")
        #expect(try self.bundle(sample, "Patient?_id=1").entry.first?.fullUrl == urls.first)
        #expect(bundle.validate().isEmpty)
    }

    @Test func linksStateWhatWasSearchedFor() throws {
        var sample = try sample()
        sample.options.base = "https://example.org/fhir"
        let first = try bundle(sample, "Patient?nonsense=1&identifier:not=urn:a|b&_sort=nonsense,-_id&_count=1")
        let own = "https://example.org/fhir/Patient?identifier:not=urn:a%7Cb&_sort=-_id&_count=1"
        #expect(first.link.map(\.relation) == ["self", "next"] && first.link.first?.url == own)
        let next = try #require(first.link.last?.url)
        #expect(next.hasPrefix(own + "&_cursor=") && URL(string: next) != nil)
        let second = try bundle(sample, next)
        #expect(second.entry.map(\.fullUrl) == ["https://example.org/fhir/Patient/1"])
        #expect(second.link.map(\.url) == [next])
    }
}
