import FireLite
import FireLiteR4
import FireLiteSearch
import Foundation
import Testing

/// Types, elements and includes that the release does not have.
struct UnknownNameTests {
    private let store: FHIRStore

    init() throws {
        store = try FHIRStore.inMemory(release: .r4)
        let json = [
            #"{"resourceType":"Patient","id":"1","gender":"male","managingOrganization":{"reference":"Organization/o"}}"#,
            #"{"resourceType":"Patient","id":"2","gender":"female"}"#, #"{"resourceType":"Organization","id":"o","name":"Clinic"}"#,
        ]
        try store.write { tx in for text in json { try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) } }
    }

    private func search(_ address: String, _ handling: SearchOptions.Handling) throws -> SearchResult {
        var options = SearchOptions()
        options.handling = handling
        return try store.search(address, options: options)
    }

    /// A request may have a name of any length, and an error shows its beginning and its end.
    @Test(arguments: [
        "Organization?#=x", "Organization?partof:#=x", "Organization?_has:#:a:b=x", "Organization?_has:Patient:#:name=x", "#?_id=1",
        "Organization?_sort=#", "Organization?_include=Organization:#", "Organization?_elements=#", "?_type=#",
        "Organization?_filter=# eq x",
    ])
    func longNamesAreShortened(_ address: String) throws {
        for name in [String(repeating: "partof", count: 2_400), String(repeating: "partof.", count: 2_000) + "name"] {
            let error = #expect(throws: SearchError.self) { try search(address.replacingOccurrences(of: "#", with: name), .strict) }
            #expect(try #require(error).description.utf8.count < 500)
            #expect(try #require(error).operationOutcome.utf8.count < 1_000)
        }
    }

    /// Searches with an unknown name, its message, and the address that the links of the Bundle have without it.
    private static let searches: [(address: String, message: String, understood: String)] = [
        (
            "Patient?_type=Foo", "_type: 'Foo' is not a resource type of FHIR R4", "Patient"
        ),
        (
            "?_type=Patient,Organisation&_sort=_id",
            "_type: 'Organisation' is not a resource type of FHIR R4: did you mean 'Organization'?",
            "?_type=Patient&_sort=_id"
        ),
        ("Patient?_elements=gendr", "_elements: Patient has no element 'gendr': did you mean 'gender'?", "Patient"),
        (
            "Patient?_elements=id,Patient.gendr", "_elements: Patient has no element 'Patient.gendr': did you mean 'gender'?",
            "Patient?_elements=id"
        ),
        (
            "?_type=Patient&_elements=code", "_elements: none of the types has an element 'code'", "?_type=Patient"
        ),
        (
            "Patient?_include=Patient:organisation,Patient:general-practitioner",
            "_include: Patient has no reference parameter 'organisation': did you mean 'organization'?",
            "Patient?_include=Patient:general-practitioner"
        ),
        (
            "Patient?_include=Pateint:organization", "_include: 'Pateint' is not a resource type of FHIR R4: did you mean 'Patient'?",
            "Patient"
        ),
        (
            "Patient?_include:iterate=Patient:organization:Organisation",
            "_include: 'Organisation' is not a resource type of FHIR R4: did you mean 'Organization'?", "Patient"
        ),
        (
            "Patient?_revinclude=Observation:pateint",
            "_revinclude: Observation has no reference parameter 'pateint': did you mean 'patient'?", "Patient"
        ),
    ]

    /// Also if the search only counts, or finds nothing.
    @Test(arguments: searches.indices) func strictSearchesRefuseThem(_ index: Int) throws {
        let (address, message, _) = Self.searches[index]
        for more in ["", "&_summary=count", "&_id=none"] {
            let error = #expect(throws: SearchError.self, "\(address)\(more)") { try search(address + more, .strict) }
            #expect(error?.description.hasPrefix(message) == true, "\(address)\(more): \(error?.description ?? "")")
        }
    }

    @Test(arguments: searches.indices) func lenientSearchesIgnoreAndListThem(_ index: Int) throws {
        let (address, message, understood) = Self.searches[index]
        for more in ["", "&_summary=count", "&_id=none"] {
            let result = try search(address + more, .lenient)
            #expect(result.issues.count == 1 && result.issues[0].description.hasPrefix(message), "\(address)\(more): \(result.issues)")
            #expect(result.total == (more == "&_id=none" ? 0 : 2), "\(address)\(more)")
        }
        let bundle = try #require(try search(address, .lenient).bundle() as? FireLiteR4.Bundle)
        #expect(bundle.link.map(\.url) == [try SearchRequest(understood).address], "\(address)")
        #expect(bundle.entry.compactMap { $0.search?.mode } == [.match, .match, .outcome], "\(address)")
        // Without the unknown one no element is asked for, and the resource is whole.
        let first = try #require(bundle.entry.first?.resource as? Patient)
        #expect((first.gender == .male) == !understood.contains("_elements"), "\(address)")
    }

    /// The known ones of a list stay, on the next page, too.
    @Test func theNextPageAsksForTheKnownOnes() throws {
        let first = try search("Patient?_sort=_id&_count=1&_include=Patient:organization,Patient:nonsense", .lenient)
        #expect(first.matches.compactMap(\.id) == ["1"] && first.included.compactMap(\.id) == ["o"])
        let next = try #require(first.nextAddress)
        #expect(next.contains("organization") && !next.contains("nonsense"))
        #expect(try search(next, .strict).matches.compactMap(\.id) == ["2"])
    }

    /// Otherwise all types would be searched.
    @Test func aTypeMustBeLeft() throws {
        for handling in [SearchOptions.Handling.strict, .lenient] {
            let error = #expect(throws: SearchError.self) { try search("?_type=Foo,Bar", handling) }
            #expect(error?.code == .unknownType)
        }
    }

    /// An element may be one of a choice's types, one of an included resource, or one of a resource that contains another.
    @Test(arguments: [
        "Patient?_elements=deceased", "Patient?_elements=deceasedBoolean,Patient.name",
        "Patient?_include=Patient:organization&_elements=alias", "Organization?_contained=true&_elements=managingOrganization",
        "?_elements=alias,gender", "Patient?_include=*", "Patient?_include=*:organization",
    ])
    func othersAreKnown(_ address: String) throws {
        #expect(try search(address, .strict).issues.isEmpty)
    }
}
