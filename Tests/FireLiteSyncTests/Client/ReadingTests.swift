import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct ReadingTests {
    @Test func aResourceIsReadWithTheFieldsOfFHIR() async throws {
        let server = StubServer { _, _ in .json(#"{"resourceType":"Patient","id":"1","birthDate":"1980-01-02"}"#) }
        let client = try testClient(server, base: address("https://fhir.example.org/base/"))
        let patient = try await client.read(Patient.self, id: "1")
        #expect(patient.birthDate == "1980-01-02")
        let request = server.requests[0]
        #expect(request.method == .get && request.url.absoluteString == "https://fhir.example.org/base/Patient/1")
        #expect(request.fields["Accept"] == "application/fhir+json, application/fhir+xml;q=0.9" && request.fields["Authorization"] == nil)
        #expect(request.fields["X-Request-Id"]?.count == 36 && request.fields["User-Agent"] == "FireLite")
        #expect(try await client.read(typeName: "Patient", id: "1") is Patient)
    }

    @Test func aVersionIsRead() async throws {
        let server = StubServer { request, _ in
            if request.fields["If-None-Match"] == "W/\"3\"" { return HTTPResponse(304) }
            return .json(#"{"resourceType":"Patient","id":"1"}"#)
        }
        let client = try testClient(server)
        _ = try await client.read(Patient.self, id: "1", version: "2")
        #expect(server.requests[0].url.path == "/base/Patient/1/_history/2")
        #expect(try await client.read(Patient.self, id: "1", unlessVersion: "3") == nil)
        #expect(try await client.read(Patient.self, id: "1", unlessVersion: "2")?.id == "1")
    }

    @Test func capabilitiesAreRead() async throws {
        let server = StubServer { _, _ in .json(#"{"resourceType":"CapabilityStatement","fhirVersion":"4.0.1"}"#) }
        let client = try testClient(server)
        #expect(try await client.capabilities(CapabilityStatement.self).fhirVersion?.rawValue == "4.0.1")
        #expect(try await client.capabilities().resourceType == "CapabilityStatement")
        #expect(server.requests[0].url.path == "/base/metadata")
    }

    /// An id must not lead to another address.
    @Test(arguments: ["", "../Group/1", "1?x=y", "a/b", "a b", "..", ".", "ä", String(repeating: "1", count: 65)])
    func invalidIDsAreRefusedBeforeAnythingIsSent(_ id: String) async throws {
        let server = StubServer { _, _ in HTTPResponse(200) }
        let client = try testClient(server)
        await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: id) }
        await #expect(throws: FHIRClientError.self) { try await client.delete(Patient.self, id: id) }
        await #expect(throws: FHIRClientError.self) { try await client.read(typeName: "Patient/1", id: "1") }
        #expect(server.requests.isEmpty)
    }

    @Test func plainHTTPNeedsAName() throws {
        let plain = address("http://fhir.example.org/base")
        func code(_ base: URL, _ change: (inout FHIRClient.Configuration) -> Void = { _ in }) throws -> FHIRClientError.Code? {
            do {
                _ = try testClient(StubServer { _, _ in HTTPResponse(200) }, base: base, change)
                return nil
            } catch let error as FHIRClientError { return error.code }
        }
        #expect(try code(plain) == .notPrivate)
        #expect(try code(plain) { $0.plainHTTPHosts = ["FHIR.example.org"] } == nil)
        #expect(try code(plain) { $0.plainHTTPHosts = ["example.org"] } == .notPrivate)
        #expect(try code(address("http://127.0.0.1:8080/fhir")) == nil)
        #expect(try code(address("http://localhost:8080/fhir")) == nil)
        for wrong in ["ftp://example.org", "https://user:password@example.org", "https://example.org/fhir?a=b", "fhir"] {
            #expect(try code(address(wrong)) == .invalidArgument, "\(wrong)")
        }
    }

    @Test(arguments: [
        (401, FHIRClientError.Code.unauthorized), (403, .forbidden), (404, .notFound), (410, .gone), (409, .conflict),
        (412, .preconditionFailed), (422, .rejected), (400, .rejected), (429, .tooManyRequests), (500, .serverFailed), (503, .serverFailed),
    ])
    func statusesBecomeErrors(_ status: Int, _ code: FHIRClientError.Code) async throws {
        let error = try await clientError(HTTPResponse(status)) { _ = try await $0.read(Patient.self, id: "1") }
        #expect(error?.code == code && error?.status == status && error?.issues.isEmpty == true)
    }

    @Test func whatTheServerSaysIsKeptApartFromTheDescription() async throws {
        let outcome = """
            {"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"invalid","details":{"coding":[{"code":"X1"}],
            "text":"Smith is no date"},"diagnostics":"Patient Smith","expression":["Patient.birthDate"]},
            {"severity":"warning","code":"Weird Code"}]}
            """
        let response = HTTPResponse.json(outcome, 422, ["X-Request-Id": "abc-123"])
        let error = try #require(
            try await clientError(response) { try await $0.update(Patient { $0.id = "smith" }) })
        #expect(error.requestID == "abc-123" && error.issues.count == 2)
        let issue = error.issues[0]
        #expect(issue.severity == "error" && issue.code == "invalid" && issue.detailCodes == ["X1"])
        #expect(issue.details == "Smith is no date" && issue.diagnostics == "Patient Smith" && issue.expression == ["Patient.birthDate"])
        #expect("\(error)" == "PUT Patient: 422, the server does not accept the request (invalid); request abc-123")
        #expect(error.localizedDescription == "\(error)")
    }

    @Test func aRequestIDThatCouldBeAnythingIsNotShown() async throws {
        let response = HTTPResponse(500, fields: ["X-Request-Id": "Smith\nBearer"])
        let error = try #require(try await clientError(response) { _ = try await $0.read(Patient.self, id: "1") })
        #expect(error.requestID == nil)
    }

    @Test func answersThatAreNotFHIRAreErrorsWithoutTheirValues() async throws {
        for (body, part) in [
            ("<html>Smith</html>", "namespace"), (#"{"resourceType":"Patient","birthDate":"Smith"}"#, "Patient.birthDate"),
            (#"{"resourceType":"Observation","status":"final","code":{}}"#, "Observation"), ("", "malformedJSON"),
        ] {
            let error = try #require(try await clientError(.json(body)) { _ = try await $0.read(Patient.self, id: "1") })
            #expect(error.code == .invalidResponse && "\(error)".contains(part) && !"\(error)".contains("Smith"), "\(error)")
        }
        let lenient = try testClient(StubServer { _, _ in .json(#"{"resourceType":"Patient","id":"1","extra":true}"#) }) {
            $0.readsLeniently = true
        }
        #expect(try await lenient.read(Patient.self, id: "1").id == "1")
    }
}
