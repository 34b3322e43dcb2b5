import FireLiteR4
import FireLiteReleases
import FireLiteXML
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Servers that speak XML.
@Suite struct FormatTests {
    private func client(
        _ server: any HTTPTransport, release: FHIRRelease = .r4, _ change: (inout FHIRClient.Configuration) -> Void = { _ in }
    ) throws -> FHIRClient {
        var configuration = FHIRClient.Configuration()
        configuration.clock = TestClock().clock
        configuration.retry = .never
        change(&configuration)
        return try FHIRClient(base: testBase, release: release, configuration: configuration, transport: server)
    }

    private let model = ModelServer()

    // MARK: - Servers of XML alone

    @Test func everyInteractionWorksWithAServerOfXMLAlone() async throws {
        let server = XMLServer(model)
        let client = try client(server)
        let created = try await client.create(samplePatient("x", "O'Neil & \"Söhne\" <1>"))
        let id = try #require(created.id)
        #expect(created.status == 201 && created.version == "1")
        let patient = try await client.read(Patient.self, id: id)
        #expect(patient.name[0].family == "O'Neil & \"Söhne\" <1>")
        patient.name[0].family = "Two"
        #expect(try await client.update(patient, ifMatch: "1").version == "2")
        #expect(try await client.read(Patient.self, id: id).name[0].family == "Two")
        let error = await #expect(throws: FHIRClientError.self) { _ = try await client.update(patient, ifMatch: "1") }
        #expect(error?.code == .preconditionFailed && error?.issues.first?.code == "invalid")
        #expect(error?.outcome.map { String(decoding: $0, as: UTF8.self).hasPrefix("{\"resourceType\":\"OperationOutcome\"") } == true)
        for number in 0..<5 { model.put(samplePatient("p\(number)")) }
        var ids: [String?] = []
        for try await match in client.search(Patient.self, ["_count": "2"]).matches { ids.append(match.id) }
        #expect(ids.count == 6)
        #expect(try await client.count(Patient.self) == 6)
        var versions = 0
        for try await page in try client.history(Patient.self, id: id) { versions += page.entries.count }
        #expect(versions == 2)
        let results = try await client.submit(
            [FHIRBundleEntry(.create(samplePatient("y"))), FHIRBundleEntry(try .delete("Patient", id: "p0"))], as: .transaction)
        #expect(results.map(\.status) == [201, 204] && results[0].id != nil)
        try await client.delete(Patient.self, id: id)
        let gone = await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: id) }
        #expect(gone?.saysAbsent == true)
        // Only the first content was sent in the wrong format.
        #expect(server.refused == [415])
    }

    @Test func aServerOfJSONGetsJSON() async throws {
        let client = try client(model)
        _ = try await client.create(samplePatient("x"))
        #expect(model.requests.map { $0.fields["Accept"] } == ["application/fhir+json, application/fhir+xml;q=0.9"])
        #expect(model.requests[0].fields["Content-Type"] == "application/fhir+json")
    }

    @Test func theConfigurationChoosesTheFormat() async throws {
        let server = XMLServer(model)
        let client = try client(server) { $0.format = .xml }
        _ = try await client.create(samplePatient("x"))
        #expect(server.refused.isEmpty && server.requests.count == 1)
        #expect(server.requests[0].fields["Accept"] == "application/fhir+xml, application/fhir+json;q=0.9")
        #expect(server.requests[0].text.hasPrefix("<Patient xmlns=\"http://hl7.org/fhir\">"))
    }

    @Test func aServerThatRefusesXMLGetsJSON() async throws {
        let server = StubServer { request, _ in
            MediaType(request.fields["Content-Type"] ?? "").isFHIRXML
                ? HTTPResponse(415) : .json(#"{"resourceType":"Patient","id":"1"}"#, 201)
        }
        let client = try client(server) { $0.format = .xml }
        for _ in 0..<2 { _ = try await client.create(samplePatient("x")) }
        #expect(server.requests.map { MediaType($0.fields["Content-Type"] ?? "").isFHIRXML } == [true, false, false])
    }

    /// Some servers take one media type in `Accept`, and no list.
    @Test func aServerThatWantsOneMediaTypeGetsOne() async throws {
        model.put(samplePatient("a"))
        let server = XMLServer(model, wantsOneType: true)
        let client = try client(server)
        for _ in 0..<2 { #expect(try await client.read(Patient.self, id: "a").id == "a") }
        #expect(server.refused == [406] && server.requests.count == 3)
        #expect(server.requests[2].fields["Accept"] == "application/fhir+xml")
    }

    @Test func dstu2HasItsOwnMediaTypes() async throws {
        let server = StubServer { request, _ in
            request.fields["Content-Type"] == "application/xml+fhir"
                ? HTTPResponse(
                    201, fields: ["Content-Type": "application/xml+fhir"],
                    body: Data("<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"1\"/></Patient>".utf8)) : HTTPResponse(415)
        }
        let release = try #require(BundledRelease.named("DSTU2")).release
        let client = try client(server, release: release)
        let patient = try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","active":true}"#.utf8), release: release)
        #expect(try await client.create(patient).id == "1")
        #expect(server.requests[0].fields["Accept"] == "application/json+fhir, application/xml+fhir;q=0.9")
    }

    // MARK: - What is not done

    /// After 406 a write may have been done: it is not sent twice.
    @Test func whatMayHaveBeenDoneIsNotSentAgain() async throws {
        let server = StubServer { _, _ in HTTPResponse(406) }
        let client = try client(server)
        await #expect(throws: FHIRClientError.self) { _ = try await client.create(samplePatient("x")) }
        #expect(server.requests.count == 1)
        await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: "x") }
        #expect(server.requests.count == 3)
    }

    /// A format is tried once for each request, and kept only if it is taken.
    @Test func aServerThatTakesNoFormatIsAskedTwice() async throws {
        let server = StubServer { _, _ in HTTPResponse(415) }
        let client = try client(server)
        for _ in 0..<2 {
            let error = await #expect(throws: FHIRClientError.self) { _ = try await client.create(samplePatient("x")) }
            #expect(error?.status == 415)
        }
        let types = server.requests.map { $0.fields["Content-Type"] ?? "" }
        #expect(types == ["application/fhir+json", "application/fhir+xml", "application/fhir+json", "application/fhir+xml"])
    }

    /// What is not FHIR has no other format, and what asks for a format gets it as it is.
    @Test func onlyFHIRChangesItsFormat() async throws {
        let server = StubServer { _, _ in HTTPResponse(415) }
        await #expect(throws: FHIRClientError.self) { _ = try await client(server).patch(Patient.self, id: "1", json: Data("[]".utf8)) }
        #expect(server.requests.count == 1)
        let xml = HTTPResponse.xml("<Patient/>")
        let asked = FHIRRequest(.get, "Patient/1", fields: ["Accept": "application/fhir+xml"])
        #expect(try await client(StubServer { _, _ in xml }).send(asked).body == xml.body)
        let answer = try await client(StubServer { _, _ in xml }).send(FHIRRequest(.get, "Patient/1"))
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"resourceType":"Patient"}"#)
        #expect(answer.fields["Content-Type"] == "application/fhir+json")
    }

    @Test func whatXMLCannotHoldIsNotSent() async throws {
        let server = StubServer { _, _ in HTTPResponse(200) }
        let client = try client(server) { $0.format = .xml }
        let error = await #expect(throws: FHIRClientError.self) { _ = try await client.create(samplePatient("x", "secret\u{1}")) }
        #expect(error?.code == .invalidArgument && server.requests.isEmpty)
        #expect(error?.description.contains("Patient.name[0].family") == true && error?.description.contains("secret") == false)
    }

    // MARK: - What is received

    @Test(arguments: ["application/fhir+xml", "application/xml; charset=utf-8", "text/xml", "Application/XML+FHIR", nil])
    func xmlIsKnownByItsMediaTypeOrItsBeginning(_ type: String?) async throws {
        let server = StubServer { _, _ in .xml("<Patient><id value=\"1\"/></Patient>", type: type) }
        #expect(try await client(server).read(Patient.self, id: "1").id == "1")
    }

    @Test func invalidXMLIsRefusedWithItsPlaceAndNotItsValue() async throws {
        let server = StubServer { _, _ in .xml("<Patient><id value=\"1\"/><birthDate value=\"yesterday\"/></Patient>") }
        let error = await #expect(throws: FHIRClientError.self) { try await client(server).read(Patient.self, id: "1") }
        #expect(error?.code == .invalidResponse)
        #expect(error?.description.contains("Patient.birthDate") == true && error?.description.contains("yesterday") == false)
        #expect(try await client(server) { $0.readsLeniently = true }.read(Patient.self, id: "1").id == "1")
    }

    /// A page of a portal is no answer, whatever it says it is.
    @Test(arguments: ["application/xml", "text/html", "application/fhir+xml"]) func pagesProveNothing(_ type: String) async throws {
        let page = HTTPResponse(200, fields: ["Content-Type": type], body: Data("<html><body>Log in</body></html>".utf8))
        let client = try client(StubServer { _, _ in page })
        await #expect(throws: FHIRClientError.self) { _ = try await client.update(samplePatient("1")) }
        await #expect(throws: FHIRClientError.self) { try await client.confirmed(try .update(samplePatient("1"))) }
        await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: "1") }
        await #expect(throws: FHIRClientError.self) { try await client.delete(Patient.self, id: "1") }
    }

    /// A write whose answer cannot be read was done if the answer is the resource.
    @Test func evidenceNeedsNoMoreThanTypeAndID() async throws {
        let xml = "<Patient><id value=\"1\"/><meta><versionId value=\"7\"/></meta><birthDate value=\"yesterday\"/></Patient>"
        let client = try client(StubServer { _, _ in .xml(xml) })
        let receipt = try await client.confirmed(try .update(samplePatient("1"), ifMatch: "6"))
        #expect(receipt.id == "1" && receipt.version == "7")
        // An update that names no version is shown by its content alone.
        await #expect(throws: FHIRClientError.self) { try await client.confirmed(try .update(samplePatient("1"))) }
        await #expect(throws: FHIRClientError.self) { try await client.confirmed(try .update(samplePatient("2"))) }
    }

    @Test(
        arguments: [
            ("<Patient xmlns='http://hl7.org/fhir'><id value='1'/><meta><versionId value='2'/></meta></Patient>", "Patient 1 2"),
            (
                "<f:Patient xmlns:f='http://hl7.org/fhir'><f:contained><f:Basic><f:id value='9'/></f:Basic></f:contained></f:Patient>",
                "Patient - -"
            ),
            ("<Patient xmlns='http://hl7.org/fhir'><name><id value='9'/></name><id value='1'/></Patient>", "Patient 1 -"),
            ("<Patient><id value='1'/></Patient>", nil), ("<Patient xmlns='http://hl7.org/fhir'><id value='1'/>", nil), ("<", nil),
            ("<!DOCTYPE Patient><Patient xmlns='http://hl7.org/fhir'><id value='1'/></Patient>", nil),
            ("<Patient xmlns='http://hl7.org/fhir'><x xmlns='y'><id xmlns='http://hl7.org/fhir' value='9'/></x></Patient>", "Patient - -"),
        ] as [(String, String?)])
    func theHeadOfXMLIsTheResourcesOwn(_ xml: String, _ expected: String?) {
        let head = ResourceHead(Data(xml.utf8))
        #expect(head.map { "\($0.typeName) \($0.id ?? "-") \($0.version ?? "-")" } == expected)
    }

    // MARK: - Sync and outbox

    @Test func aStoreIsSynchronizedWithAServerOfXMLAlone() async throws {
        let server = XMLServer(model)
        for number in 0..<7 { model.put(samplePatient("p\(number)")) }
        model.put(sampleObservation("o", of: "p1"))
        let device = try Device(server) { $0.pageSize = 3 }
        #expect(try await device.sync().pulled == 8)
        try device.edit { tx in
            try tx.upsert(samplePatient("p1", "Changed"))
            try tx.upsert(samplePatient("new"))
            try tx.delete(typeName: "Patient", id: "p2")
        }
        model.put(samplePatient("p3", "There"))
        let result = try await device.sync()
        #expect(result.pushed == 3 && result.pulled == 1 && result.resolved + result.deferred == 0)
        #expect(try device.contents() == model.contents)
    }

    /// A resource that cannot be read hides no other, and is listed as a document that can be read again.
    @Test func anUnreadableResourceOfXMLHidesNoOther() async throws {
        for id in ["a", "b", "c"] { model.put(samplePatient(id)) }
        let server = XMLServer(model)
        server.changeAnswers { $0.replacing(#"<id value="b"/>"#, with: #"<id value="b"/><!-- --><wrong/>"#) }
        let device = try Device(server, scope: .types("Patient"))
        let result = try await device.sync()
        #expect(result.pulled == 2 && result.unreadable == 1)
        let listed = try await device.synchronizer.unreadable()
        #expect(listed.map(\.id) == ["b"] && listed[0].typeName == "Patient" && listed[0].version == "1")
        #expect(listed[0].text.hasPrefix("<Patient xmlns=\"http://hl7.org/fhir\"") && listed[0].text.hasSuffix("</Patient>"))
        var settings = FHIRClient.Configuration()
        settings.readsLeniently = true
        let client = try FHIRClient(base: testBase, release: .r4, configuration: settings, transport: server)
        let lenient = Synchronizer(device.store, client, scope: .types("Patient"))
        try await lenient.sync()
        #expect(try await lenient.unreadable().isEmpty)
        #expect(try device.contents().keys.sorted() == ["Patient/a", "Patient/b", "Patient/c"])
    }

    @Test func theOutboxSendsToAServerOfXMLAlone() async throws {
        let outbox = try outbox(XMLServer(model))
        try await outbox.enqueue(1...3)
        #expect(try await outbox.flush().ending == "done")
        #expect(model.contents.count == 3)
    }
}
