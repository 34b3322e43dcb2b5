import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct RegistrationTests {
    private static let registered = """
        {"client_id":"c1","client_secret":"s1","client_secret_expires_at":1700003600,"client_name":"App",
        "registration_access_token":"rt","registration_client_uri":"https://auth.example.org/register/c1"}
        """

    private static func server() -> StubServer {
        StubServer { request, _ in
            switch request.url.path {
            case "/base/.well-known/smart-configuration":
                return .json(
                    #"{"token_endpoint":"https://auth.example.org/token","registration_endpoint":"https://auth.example.org/register"}"#)
            case "/register": return .json(registered, 201)
            case "/register/c1":
                if request.fields["Authorization"] != "Bearer rt" { return HTTPResponse(401) }
                return request.method == .delete ? HTTPResponse(204) : .json(#"{"client_id":"c1","client_name":"New"}"#)
            case "/token": return .json(#"{"access_token":"t","token_type":"Bearer","expires_in":60}"#)
            default: return .json(#"{"resourceType":"Patient","id":"1"}"#)
            }
        }
    }

    @Test func aClientRegistersReadsChangesAndDeletesItself() async throws {
        let server = Self.server()
        let registrar = ClientRegistrar(try testClient(server).authorizationContext, initialToken: "it")
        let registration = ClientRegistration(
            name: "App", redirectURLs: [address("myapp://callback")], scope: "patient/*.rs",
            grantTypes: ["authorization_code", "refresh_token"], additional: ["software_version": "2"])
        let client = try await registrar.register(registration) { $0["receipt-data"] = "AAAA" }
        #expect(client.id == "c1" && client.secret?.value == "s1" && client.registrationToken?.value == "rt" && "\(client)" == "client c1")
        #expect(client.secretExpires == Date(timeIntervalSince1970: 1_700_003_600))
        let request = server.requests[1]
        #expect(request.fields["Authorization"] == "Bearer it" && request.fields["Content-Type"] == "application/json")
        let sent = try JSONDecoder().decode([String: JSONValue].self, from: #require(request.body))
        #expect(
            sent == [
                "client_name": "App", "redirect_uris": ["myapp://callback"], "scope": "patient/*.rs", "response_types": ["code"],
                "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "client_secret_basic",
                "software_version": "2", "receipt-data": "AAAA",
            ])
        let read = try await registrar.read(client)
        #expect(read.members["client_name"] == "New" && read.secret?.value == "s1" && read.registrationToken?.value == "rt")
        _ = try await registrar.update(client, registration)
        let changed = try JSONDecoder().decode([String: JSONValue].self, from: #require(server.requests.last?.body))
        #expect(changed["client_id"] == "c1" && changed["client_secret"] == "s1" && changed["registration_access_token"] == nil)
        try await registrar.delete(client)
        #expect(server.requests.last?.method == .delete)
        var text = ""
        dump(client, to: &text)
        #expect(!text.contains("s1") && !text.contains("rt"))
    }

    @Test func aClientRegistersOnceAndAgainWhenItsSecretHasEnded() async throws {
        let server = Self.server()
        let credentials = MemoryCredentialStore()
        let clock = TestClock()
        func client() throws -> FHIRClient {
            let authorization = RegisteredClientAuthorization(ClientRegistration(name: "App"), credentials: credentials)
            return try testClient(server, authorization: authorization, clock: clock)
        }
        func registrations() -> Int { server.requests.count { $0.url.path == "/register" } }
        _ = try await client().read(Patient.self, id: "1")
        _ = try await client().read(Patient.self, id: "1")
        #expect(registrations() == 1)
        let token = try #require(server.requests.first { $0.url.path == "/token" })
        #expect(token.fields["Authorization"] == "Basic " + Data("c1:s1".utf8).base64EncodedString())
        clock.advance(7200)
        _ = try await client().read(Patient.self, id: "1")
        #expect(registrations() == 2)
    }
}
