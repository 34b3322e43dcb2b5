import FireLiteR4
import Testing

@testable import FireLite

struct BundleUnpackerTests {
    private static let uuid = "53fefa32-fcbb-4ff8-8a92-55ee120877b7"

    private func unpacked(_ entries: String, type: String = "collection") throws -> [String] {
        let bundle = try Bundle(json: #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries)]}"#)
        return BundleUnpacker.content(of: bundle).resources.map { FHIRJSON.string($0) }
    }

    private func unpacker(_ fullUrls: (url: String, type: String, id: String?)...) -> BundleUnpacker {
        var unpacker = BundleUnpacker(release: .r4)
        for entry in fullUrls { unpacker.note(fullUrl: entry.url, type: entry.type, id: entry.id) }
        return unpacker
    }

    @Test func referencesByUUIDAreRewritten() {
        let unpacker = unpacker(
            ("urn:uuid:\(Self.uuid)", "Patient", nil), ("urn:uuid:00000000-0000-0000-0000-000000000001", "Group", "own"),
            ("urn:oid:1.2.3", "Device", nil))
        #expect(unpacker.key(for: "urn:uuid:\(Self.uuid)") == "Patient/\(Self.uuid)")
        #expect(unpacker.key(for: "urn:uuid:\(Self.uuid.uppercased())") == "Patient/\(Self.uuid)")
        #expect(unpacker.key(for: "urn:uuid:\(Self.uuid)#x") == "Patient/\(Self.uuid)#x")
        #expect(unpacker.key(for: "urn:uuid:00000000-0000-0000-0000-000000000001") == "Group/own")
        #expect(unpacker.key(for: "urn:oid:1.2.3") == "Device/1.2.3")
        #expect(unpacker.key(for: "urn:uuid:00000000-0000-0000-0000-000000000002") == nil)
        #expect(unpacker.key(for: "urn:uuid:") == nil)
        #expect(unpacker.key(for: "#\(Self.uuid)") == nil)
        #expect(unpacker.key(for: "Patient/1") == nil)
    }

    @Test func referencesByURLAreRewritten() {
        let unpacker = unpacker(
            ("http://a/fhir/Patient/1", "Patient", "1"), ("http://b/x", "Group", "2"), ("https://c/Patient/old", "Patient", "new"),
            ("https://c/Observation/3", "Observation", nil))
        #expect(unpacker.key(for: "http://a/fhir/Patient/1") == "Patient/1")
        #expect(unpacker.key(for: "http://a/fhir/Patient/1/_history/2") == "Patient/1/_history/2")
        #expect(unpacker.key(for: "http://a/fhir/Patient/2") == nil)
        #expect(unpacker.key(for: "http://b/fhir/Patient/1") == nil)
        #expect(unpacker.key(for: "http://b/x") == "Group/2")
        #expect(unpacker.key(for: "https://c/Observation/3") == "Observation/3")
        // A relative reference is relative to the server of the entry it is in.
        #expect(unpacker.key(for: "Patient/old", base: "https://c/") == "Patient/new")
        #expect(unpacker.key(for: "Patient/old", base: "https://d/") == nil)
        #expect(unpacker.key(for: "Patient?identifier=x|1") == nil)
    }

    @Test func referencesAreFoundEverywhere() throws {
        let link = "urn:uuid:\(Self.uuid)"
        let observation = """
            {"fullUrl":"urn:uuid:00000000-0000-4000-8000-000000000001","resource":{"resourceType":"Observation","id":"o",
            "contained":[{"resourceType":"Specimen","id":"s","subject":{"reference":"\(link)"}}],
            "extension":[{"url":"http://e","valueReference":{"reference":"\(link)"}},{"url":"http://e","valueUri":"\(link)"},
            {"url":"http://e","valueString":"\(link)"},{"url":"http://e","valueIdentifier":{"system":"urn:ietf:rfc:3986","value":"\(link)"}}],
            "status":"final","code":{"text":"\(link)"},"subject":{"reference":"\(link)","_reference":{"id":"r"}},
            "specimen":{"reference":"#s"},"performer":[{"reference":"Practitioner/1"},{"reference":"\(link)"}]}}
            """
        let patient = #"{"fullUrl":"\#(link)","resource":{"resourceType":"Patient"}}"#
        let key = "Patient/\(Self.uuid)"
        let expected = """
            {"resourceType":"Observation","id":"o","contained":[{"resourceType":"Specimen","id":"s","subject":{"reference":"\(key)"}}],\
            "extension":[{"url":"http://e","valueReference":{"reference":"\(key)"}},{"url":"http://e","valueUri":"\(key)"},\
            {"url":"http://e","valueString":"\(link)"},{"url":"http://e","valueIdentifier":{"system":"urn:ietf:rfc:3986","value":"\(link)"}}],\
            "status":"final","code":{"text":"\(link)"},"subject":{"reference":"\(key)","_reference":{"id":"r"}},\
            "performer":[{"reference":"Practitioner/1"},{"reference":"\(key)"}],"specimen":{"reference":"#s"}}
            """
        #expect(try unpacked("\(observation),\(patient)") == [expected, #"{"resourceType":"Patient","id":"\#(Self.uuid)"}"#])
    }

    @Test func canonicalAddressesStay() throws {
        let url = "http://example.org/ValueSet/1"
        let entry = #"{"fullUrl":"\#(url)","resource":{"resourceType":"ValueSet","id":"1","url":"\#(url)","status":"draft"}}"#
        #expect(try unpacked(entry) == [#"{"resourceType":"ValueSet","id":"1","url":"\#(url)","status":"draft"}"#])
    }

    @Test func bundlesInsideStayAsTheyAre() throws {
        let link = "urn:uuid:\(Self.uuid)"
        let inner =
            #"{"resourceType":"Bundle","id":"b","type":"collection","entry":[{"fullUrl":"\#(link)","resource":{"resourceType":"Group","id":"g"}}]}"#
        let patient = #"{"fullUrl":"\#(link)","resource":{"resourceType":"Patient"}}"#
        #expect(try unpacked(#"{"resource":\#(inner)},\#(patient)"#).first == inner)
    }

    @Test func entriesWithoutResourcesAndIDs() throws {
        #expect(try unpacked(#"{"request":{"method":"GET","url":"Patient"}}"#, type: "batch") == [])
        #expect(try unpacked(#"{"resource":{"resourceType":"Patient"}}"#) == [#"{"resourceType":"Patient"}"#])
        #expect(
            try unpacked(#"{"fullUrl":"http://a/Patient/7","resource":{"resourceType":"Patient"}}"#) == [
                #"{"resourceType":"Patient","id":"7"}"#
            ])
        #expect(
            try unpacked(#"{"fullUrl":"http://a/Patient/a b","resource":{"resourceType":"Patient"}}"#) == [#"{"resourceType":"Patient"}"#])
    }
}
