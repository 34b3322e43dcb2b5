import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// The rules of transactions about what entries have in common (FHIR, RESTful API, Transaction Processing Rules).
@Suite struct TransactionRuleTests {
    private struct Entry {
        var method: String
        var url: String
        var resource: String?
        var fullUrl: String?
        var ifNoneExist: String?

        init(_ method: String, _ url: String, _ resource: String? = nil, full: String? = nil, unless: String? = nil) {
            (self.method, self.url, self.resource, fullUrl, ifNoneExist) = (method, url, resource, full, unless)
        }

        var json: String {
            let parts = [
                fullUrl.map { #""fullUrl":"\#($0)","# } ?? "", resource.map { #""resource":\#($0),"# } ?? "",
                #""request":{"method":"\#(method)","url":"\#(url)"\#(ifNoneExist.map { #","ifNoneExist":"\#($0)""# } ?? "")}"#,
            ]
            return "{" + parts.joined() + "}"
        }
    }

    private func send(_ sample: ServiceSample, _ entries: [Entry], _ fields: HTTPFields = [:]) async -> ServiceSample.Reply {
        await sample.send(
            .post, "", #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.map(\.json).joined(separator: ","))]}"#, fields)
    }

    private static func patient(_ id: String? = nil, _ values: String..., more: String = "") -> String {
        let identifiers = values.map { #"{"system":"http://s","value":"\#($0)"}"# }.joined(separator: ",")
        let list = values.isEmpty ? "" : #","identifier":[\#(identifiers)]"#
        return #"{"resourceType":"Patient"\#(id.map { #","id":"\#($0)""# } ?? "")\#(list)\#(more)}"#
    }

    private static func observation(_ subject: String, _ id: String? = nil) -> String {
        #"{"resourceType":"Observation"\#(id.map { #","id":"\#($0)""# } ?? ""),"status":"final","code":{"text":"x"},"subject":{"reference":"\#(subject)"}}"#
    }

    private static func patch(_ path: String, _ value: String) -> String {
        let json = #"[{"op":"add","path":"\#(path)","value":\#(value)}]"#
        return
            #"{"resourceType":"Binary","contentType":"application/json-patch+json","data":"\#(Data(json.utf8).base64EncodedString())"}"#
    }

    private static let x = "Patient?identifier=http://s%7Cx"

    /// Entries that change the same resource, by id or by condition; a Patient `a` with the identifier `x` is there.
    private static let overlapping: [(String, [Entry])] = [
        ("a deletion by condition and an update", [Entry("DELETE", x), Entry("PUT", "Patient/a", patient("a"))]),
        ("a deletion and an update by condition", [Entry("DELETE", "Patient/a"), Entry("PUT", x, patient("a", "x"))]),
        (
            "an update and a patch by condition",
            [Entry("PUT", "Patient/a", patient("a", "x")), Entry("PATCH", x, patch("/active", "true"))]
        ),
        ("two patches by condition", [Entry("PATCH", x, patch("/gender", "\"male\"")), Entry("PATCH", x, patch("/active", "true"))]),
        (
            "a patch and one by condition",
            [Entry("PATCH", "Patient/a", patch("/gender", "\"male\"")), Entry("PATCH", x, patch("/active", "true"))]
        ),
        (
            "a creation and a patch of it by condition",
            [Entry("POST", "Patient", patient(nil, "y")), Entry("PATCH", "Patient?identifier=http://s%7Cy", patch("/active", "true"))]
        ),
        (
            "a creation and an update of it by condition",
            [Entry("POST", "Patient", patient(nil, "y")), Entry("PUT", "Patient?identifier=http://s%7Cy", patient(nil, "y"))]
        ),
        (
            "two updates by a condition that nothing meets",
            [
                Entry("PUT", "Patient?identifier=http://s%7Cz", patient(nil, "z")),
                Entry("PUT", "Patient?identifier=http://s%7Cz", patient(nil, "z", more: #","active":true"#)),
            ]
        ),
        (
            "two updates by conditions, of which the second is met by what the first makes",
            [
                Entry("PUT", "Patient?identifier=http://s%7Cz", patient(nil, "z", "w")),
                Entry("PUT", "Patient?identifier=http://s%7Cw", patient(nil, "w")),
            ]
        ),
        ("two updates", [Entry("PUT", "Patient/a", patient("a")), Entry("PUT", "Patient/a", patient("a", "x"))]),
        (
            "two entries with one fullUrl",
            [
                Entry("POST", "Patient", patient(nil, "one"), full: "urn:uuid:11111111-1111-4111-8111-111111111111"),
                Entry("POST", "Patient", patient(nil, "two"), full: "urn:uuid:11111111-1111-4111-8111-111111111111"),
            ]
        ),
    ]

    @Test(arguments: overlapping.indices) func aResourceIsChangedOnceInATransaction(_ index: Int) async throws {
        let (name, entries) = Self.overlapping[index]
        for order in [entries, entries.reversed()] {
            let sample = try ServiceSample("R4", Self.patient("a", "x"))
            let reply = await send(sample, order)
            #expect(reply.status == 400 && reply.issue == "duplicate", "\(name): \(reply.text)")
            #expect(await sample.get("/Patient").ids == ["a"])
            #expect(await sample.get("/Patient/a").version == "1")
        }
    }

    /// Conditions of different resources, and an exchange of what they are found by.
    @Test func differentResourcesMayBeChangedByConditions() async throws {
        let sample = try ServiceSample("R4", Self.patient("a", "x"), Self.patient("b", "y"))
        let reply = await send(
            sample,
            [
                Entry("PUT", Self.x, Self.patient(nil, "y")), Entry("PUT", "Patient?identifier=http://s%7Cy", Self.patient(nil, "x")),
                Entry("PUT", "Patient?identifier=http://s%7Cz", Self.patient(nil, "z")), Entry("POST", "Patient", Self.patient(nil, "w")),
            ])
        #expect(reply.status == 200, "\(reply.text)")
        #expect(await sample.get("/" + Self.x).ids == ["b"])
        #expect(await sample.get("/Patient?_summary=count").json?["total"] == .number("4"))
    }

    /// The order of the parameters of a condition means nothing.
    @Test func equalConditionsCreateOnce() async throws {
        let sample = try ServiceSample()
        let reply = await send(
            sample,
            [
                Entry("POST", "Patient", Self.patient(nil, "x"), unless: "identifier=http://s%7Cx&active=true"),
                Entry("POST", "Patient", Self.patient(nil, "x"), unless: "active=true&identifier=http://s%7Cx"),
            ])
        #expect(reply.entries.map { $0["response"]?["status"]?.text?.prefix(3) } == ["201", "200"], "\(reply.text)")
        #expect(await sample.get("/Patient").ids.count == 1)
    }

    /// The condition of a creation may be in its address, as some clients write it.
    @Test func theAddressOfACreationMayHaveItsCondition() async throws {
        let sample = try ServiceSample("R4", Self.patient("a", "x"))
        let reply = await send(sample, [Entry("POST", Self.x, Self.patient(nil, "x"))])
        #expect(reply.entries.first?["response"]?["status"]?.text?.hasPrefix("200") == true, "\(reply.text)")
        #expect(await sample.get("/Patient").ids == ["a"])
    }

    @Test func valuesOfPatchesReferToEntries() async throws {
        let sample = try ServiceSample("R4", Self.observation("Patient/none", "o"))
        let uuid = "urn:uuid:11111111-1111-4111-8111-111111111111"
        let parts =
            #"{"name":"type","valueCode":"replace"},{"name":"path","valueString":"Observation.subject"},{"name":"value","valueReference":{"reference":"\#(uuid)"}}"#
        let patch = #"{"resourceType":"Parameters","parameter":[{"name":"operation","part":[\#(parts)]}]}"#
        let reply = await send(sample, [Entry("PATCH", "Observation/o", patch), Entry("POST", "Patient", Self.patient(), full: uuid)])
        #expect(reply.status == 200, "\(reply.text)")
        let ids = await sample.get("/Patient").ids
        #expect(await sample.get("/Observation/o").json?["subject"]?["reference"]?.text == "Patient/\(ids.first ?? "")")
    }

    /// The digits of a UUID may be written in capitals or not (RFC 9562).
    @Test func uuidsOfEntriesAreComparedWithoutCase() async throws {
        let sample = try ServiceSample()
        let (low, high) = ("urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a", "urn:uuid:61EBE359-BFDC-4613-8BF2-C5E300945F0A")
        let twice = await send(
            sample, [Entry("POST", "Patient", Self.patient(), full: low), Entry("POST", "Patient", Self.patient(), full: high)])
        #expect(twice.status == 400 && twice.issue == "duplicate", "\(twice.text)")
        let div = #"<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"\#(low)\">x</a></div>"#
        let observation = Self.observation(low, "o").replacing(
            #""status""#, with: #""text":{"status":"generated","div":"\#(div)"},"status""#)
        let reply = await send(
            sample, [Entry("PUT", "Observation/o", observation), Entry("PUT", "Patient/p", Self.patient("p"), full: high)])
        #expect(reply.status == 200, "\(reply.text)")
        let stored = await sample.get("/Observation/o").json
        #expect(stored?["subject"]?["reference"]?.text == "Patient/p")
        #expect(stored?["text"]?["div"]?.text?.contains(#"<a href="Patient/p">"#) == true)
    }

    /// `Type/id` is no uuid and no oid, so that such a value becomes a uri.
    @Test func valuesOfTypeUUIDAndOIDThatNameEntriesLeadToThem() async throws {
        let sample = try ServiceSample()
        let (uuid, oid) = ("urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a", "urn:oid:1.2.3")
        let others = ["urn:uuid:11111111-1111-4111-8111-111111111111", "urn:oid:1.2.4"]
        let values = [("valueUuid", uuid), ("valueOid", oid), ("valueUuid", others[0]), ("valueOid", others[1])]
            .map { #"{"url":"http://example.org/e","\#($0.0)":"\#($0.1)","_\#($0.0)":{"id":"i"}}"# }.joined(separator: ",")
        let reply = await send(
            sample,
            [
                Entry("PUT", "Basic/b", #"{"resourceType":"Basic","id":"b","code":{"text":"x"},"extension":[\#(values)]}"#),
                Entry("PUT", "Patient/p", Self.patient("p"), full: uuid), Entry("PUT", "Patient/q", Self.patient("q"), full: oid),
            ])
        #expect(reply.status == 200, "\(reply.text)")
        let found = await sample.get("/Basic/b").json?["extension"]?.items ?? []
        #expect(found.map { $0["valueUri"]?.text } == ["Patient/p", "Patient/q", nil, nil])
        #expect(found.map { ($0["valueUuid"] ?? $0["valueOid"])?.text } == [nil, nil] + others)
        #expect(found.map { ($0["_valueUri"] ?? $0["_valueUuid"] ?? $0["_valueOid"])?["id"]?.text } == ["i", "i", "i", "i"])
    }

    // MARK: - Conditional references

    /// The server's own address before a condition changes nothing; that of another server is no condition.
    @Test func conditionalReferencesMayHaveTheServersAddress() async throws {
        let sample = try ServiceSample("R4", Self.patient("a", "x"))
        let other = "http://other.example/fhir/Patient?identifier=x"
        let reply = await send(
            sample,
            [
                Entry("PUT", "Observation/o", Self.observation(ServiceSample.base + "/" + Self.x, "o")),
                Entry("PUT", "Observation/p", Self.observation(other, "p")),
            ])
        #expect(reply.status == 200, "\(reply.text)")
        #expect(await sample.get("/Observation/o").json?["subject"]?["reference"]?.text == "Patient/a")
        #expect(await sample.get("/Observation/p").json?["subject"]?["reference"]?.text == other)
        let none = ServiceSample.base + "/Patient?identifier=http://s%7Cnone"
        #expect(await send(sample, [Entry("POST", "Observation", Self.observation(none))]).status == 412)
    }

    private func subject(_ reply: ServiceSample.Reply, _ index: Int) -> String? {
        reply.entries[index]["resource"]?["subject"]?["reference"]?.text
    }

    private static let whole: HTTPFields = ["Prefer": "return=representation"]

    /// They are resolved after everything else.
    @Test func conditionalReferencesSeeWhatTheTransactionStores() async throws {
        let sample = try ServiceSample("R4", Self.patient("a", "old"), Self.patient("b", "x"), Self.observation("Patient/b", "o"))
        let new = await send(
            sample,
            [
                Entry("PUT", "Patient/a", Self.patient("a", "new")),
                Entry("POST", "Observation", Self.observation("Patient?identifier=http://s%7Cnew")),
                Entry("PUT", "Observation/o", Self.observation("Patient?identifier=http://s%7Cnew", "o")),
            ], Self.whole)
        #expect(new.status == 200 && subject(new, 1) == "Patient/a" && subject(new, 2) == "Patient/a", "\(new.text)")
        #expect(await sample.get("/Observation/o").json?["subject"]?["reference"]?.text == "Patient/a")
        let old = await send(
            sample,
            [
                Entry("PUT", "Patient/a", Self.patient("a", "newer")),
                Entry("POST", "Observation", Self.observation("Patient?identifier=http://s%7Cnew")),
            ])
        #expect(old.status == 412)
        let two = await send(
            sample,
            [Entry("POST", "Patient", Self.patient(nil, "x")), Entry("POST", "Observation", Self.observation(Self.x))])
        #expect(two.status == 412)
        let gone = await send(sample, [Entry("DELETE", "Patient/b"), Entry("POST", "Observation", Self.observation(Self.x))])
        #expect(gone.status == 412)
        #expect(await sample.get("/Patient").ids.sorted() == ["a", "b"])
        // The same again makes no version.
        let again = await send(
            sample,
            [
                Entry("PUT", "Patient/a", Self.patient("a", "new")),
                Entry("PUT", "Observation/o", Self.observation("Patient?identifier=http://s%7Cnew", "o")),
            ])
        #expect(again.status == 200)
        #expect(await sample.get("/Observation/o").version == "2")
        #expect(await sample.get("/Patient/a").version == "2")
    }

    @Test func whatAConditionMadeSuperfluousNeedsNoReferences() async throws {
        let sample = try ServiceSample("R4", Self.patient("a", "x"))
        let more = #","managingOrganization":{"reference":"Organization?identifier=http://s%7Cnone"}"#
        let reply = await send(sample, [Entry("POST", "Patient", Self.patient(nil, "x", more: more), unless: "identifier=http://s%7Cx")])
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// A reference to what the transaction creates is checked like any other.
    @Test func referencesOfAWrongTypeAreRefused() async throws {
        let organization = #"{"resourceType":"Organization","identifier":[{"system":"http://s","value":"o"}],"name":"O"}"#
        let wrong =
            #"{"resourceType":"Encounter","status":"planned","class":{"code":"AMB"},"subject":{"reference":"Organization?identifier=http://s%7Co"}}"#
        for isThere in [true, false] {
            let sample = try ServiceSample()
            if isThere { #expect(await sample.send(.post, "/Organization", organization).status == 201) }
            let entries = (isThere ? [] : [Entry("POST", "Organization", organization)]) + [Entry("POST", "Encounter", wrong)]
            #expect(await send(sample, entries).status == 422)
            #expect(await sample.get("/Encounter").ids.isEmpty)
        }
    }

    // MARK: - XML

    /// What is stored is not answered with a refusal.
    @Test func whatXMLCannotHoldIsAnsweredInJSON() async throws {
        let sample = try ServiceSample()
        let json = "{\"resourceType\":\"Patient\",\"name\":[{\"text\":\"a\u{FFFE}\"}]}"
        let xml: HTTPFields = ["Accept": "application/fhir+xml", "Prefer": "return=representation"]
        let single = await sample.send(.post, "/Patient", json, xml)
        #expect(single.status == 201 && single.fields["Content-Type"]?.hasPrefix("application/fhir+json") == true)
        let whole = await send(sample, [Entry("POST", "Patient", json)], xml)
        #expect(whole.status == 200 && whole.entries.count == 1)
        #expect(await sample.get("/Patient").ids.count == 2)
        #expect(await sample.get("/Patient/\(single.id)", ["Accept": "application/fhir+xml"]).status == 406)
    }
}
