import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct WritingTests {
    private static let stored = """
        {"resourceType":"Patient","id":"7","meta":{"versionId":"2","lastUpdated":"2024-01-02T03:04:05Z"},"active":true}
        """

    @Test func aResourceIsCreated() async throws {
        let server = StubServer { _, _ in .json(Self.stored, 201, ["Location": "https://fhir.example.org/base/Patient/7/_history/2"]) }
        let client = try testClient(server)
        let patient = Patient { $0.active = true }
        let result = try await client.create(patient)
        #expect(result.isCreated && result.id == "7" && result.version == "2" && result.resource?.active == true)
        #expect(result.lastModified == Date(timeIntervalSince1970: 1_704_164_645))
        let request = server.requests[0]
        #expect(request.method == .post && request.url.path == "/base/Patient" && request.fields["If-None-Exist"] == nil)
        #expect(request.fields["Content-Type"] == "application/fhir+json")
        #expect(request.text == #"{"resourceType":"Patient","active":true}"#)
    }

    @Test func withoutABodyTheFieldsSayWhatHappened() async throws {
        let server = StubServer { _, _ in
            HTTPResponse(
                201,
                fields: [
                    "Location": "Patient/7/_history/3", "ETag": "W/\"3\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                ])
        }
        let result = try await testClient(server).create(Patient())
        #expect(result.resource == nil && result.id == "7" && result.version == "3")
        #expect(result.lastModified == Date(timeIntervalSince1970: 784_111_777))
        let outcome = StubServer { _, _ in
            .json(
                #"{"resourceType":"OperationOutcome","issue":[{"severity":"information","code":"informational"}]}"#, 200,
                ["ETag": "W/\"4\""])
        }
        let updated = try await testClient(outcome).update(Patient { $0.id = "7" })
        #expect(updated.resource == nil && updated.id == "7" && updated.version == "4" && updated.issues.map(\.code) == ["informational"])
    }

    @Test func conditionsAreSent() async throws {
        let server = StubServer { request, _ in request.method == .delete ? HTTPResponse(204) : .json(Self.stored) }
        let client = try testClient(server)
        let patient = Patient { $0.id = "7" }
        let existing = try await client.create(patient, ifNoneExist: ["identifier": "http://a|b c"])
        #expect(!existing.isCreated)
        try await client.update(patient, ifMatch: "2")
        try await client.update(patient, where: ["identifier": "b"])
        try await client.delete(Patient.self, id: "7", ifMatch: "2")
        try await client.delete(Patient.self, where: ["identifier": "b"])
        try await client.patch(Patient.self, id: "7", json: Data(#"[{"op":"remove","path":"/active"}]"#.utf8), ifMatch: "2")
        try await client.patch(Patient.self, id: "7", parameters: Parameters())
        let requests = server.requests
        #expect(
            requests.map { "\($0.method) \($0.url.path)\($0.url.query.map { "?" + $0 } ?? "")" } == [
                "POST /base/Patient", "PUT /base/Patient/7", "PUT /base/Patient?identifier=b", "DELETE /base/Patient/7",
                "DELETE /base/Patient?identifier=b", "PATCH /base/Patient/7", "PATCH /base/Patient/7",
            ])
        #expect(requests[0].fields["If-None-Exist"] == "identifier=http://a%7Cb%20c")
        #expect(requests.map { $0.fields["If-Match"] } == [nil, "W/\"2\"", nil, "W/\"2\"", nil, "W/\"2\"", nil])
        #expect(requests[5].fields["Content-Type"] == "application/json-patch+json" && requests[5].text.hasPrefix("[{\"op\""))
        #expect(requests[6].fields["Content-Type"] == "application/fhir+json")
    }

    @Test func writesWithoutTheirConditionsAreRefused() async throws {
        let server = StubServer { _, _ in HTTPResponse(200) }
        let client = try testClient(server)
        await #expect(throws: FHIRClientError.self) { try await client.update(Patient()) }
        await #expect(throws: FHIRClientError.self) { try await client.delete(Patient.self, where: [:]) }
        #expect(server.requests.isEmpty)
    }

    /// Objects stay with the caller's actor while the client works.
    @MainActor @Test func anObjectOfAnActorIsSent() async throws {
        let client = try testClient(StubServer { request, _ in HTTPResponse(200, body: request.body ?? Data()) })
        let patient = Patient { $0.id = "7" }
        let result = try await client.update(patient)
        patient.active = true
        #expect(result.resource?.active == nil && patient.active == true)
    }
}
