import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct RedirectTests {
    private static let patient = #"{"resourceType":"Patient","id":"1"}"#

    private func server(_ location: String, _ status: Int = 307) -> StubServer {
        StubServer { _, number in number == 0 ? HTTPResponse(status, fields: ["Location": location]) : .json(Self.patient) }
    }

    private func client(_ server: StubServer) throws -> FHIRClient {
        try testClient(server, authorization: .bearer { _ in "token" }) { $0.fields["X-App-Key"] = "key" }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func readingFollowsARedirectOnTheServer(_ status: Int) async throws {
        let server = server("/other/Patient/1", status)
        _ = try await client(server).read(Patient.self, id: "1")
        #expect(
            server.requests.map(\.url.absoluteString) == [
                "https://fhir.example.org/base/Patient/1", "https://fhir.example.org/other/Patient/1",
            ])
        #expect(server.requests.allSatisfy { $0.fields["Authorization"] == "Bearer token" && $0.fields["X-App-Key"] == "key" })
    }

    @Test(arguments: [
        "https://evil.org/Patient/1", "https://fhir.example.org:8443/Patient/1", "https://fhir.example.org.evil.org/Patient/1",
    ])
    func nothingThatIdentifiesGoesToAnotherServer(_ location: String) async throws {
        let server = server(location)
        _ = try await client(server).read(Patient.self, id: "1")
        let second = server.requests[1]
        #expect(second.url.absoluteString == location)
        #expect(second.fields["Authorization"] == nil && second.fields["X-App-Key"] == nil && second.fields["X-Request-Id"] == nil)
    }

    @Test func nothingIsReadByPlainHTTPAfterHTTPS() async throws {
        for location in ["http://fhir.example.org/base/Patient/1", "http://127.0.0.1/Patient/1", "file:///etc/passwd", ""] {
            let server = server(location)
            await #expect(throws: FHIRClientError.self, "\(location)") { try await client(server).read(Patient.self, id: "1") }
            #expect(server.requests.count == 1)
        }
    }

    @Test func contentFollowsOnlyOnTheServerAndUnchanged() async throws {
        let same = server("/other/Patient", 308)
        try await client(same).create(Patient { $0.active = true })
        #expect(same.requests.count == 2 && same.requests[1].method == .post && same.requests[1].body == same.requests[0].body)
        for (location, status) in [("https://evil.org/Patient", 308), ("/other/Patient", 302), ("/other/Patient", 303)] {
            let other = server(location, status)
            await #expect(throws: FHIRClientError.self) { try await client(other).create(Patient()) }
            #expect(other.requests.count == 1)
        }
    }

    @Test func redirectsEnd() async throws {
        let server = StubServer { request, number in HTTPResponse(302, fields: ["Location": "/base/\(number)"]) }
        await #expect(throws: FHIRClientError.self) { try await client(server).read(Patient.self, id: "1") }
        #expect(server.requests.count == 6)
    }
}
