import FireLiteR4
import FireLiteSync
import Foundation
import Testing

/// Tokens of servers by others: sekmet's SMART backend services, Authlib's OAuth server.
/// One after another, as some tests end every token.
@Suite(.serialized, .ownThread) struct AuthorizationServerTests {
    private func post(_ url: URL) async throws {
        _ = try await URLSessionTransport.shared.send(HTTPRequest(.post, url))
    }

    private func counts(_ base: URL) async throws -> [String: Int] {
        let response = try await URLSessionTransport.shared.send(
            HTTPRequest(.get, base.deletingLastPathComponent().appendingPathComponent("counts")))
        return try JSONDecoder().decode([String: Int].self, from: response.body)
    }

    /// One test with a loop: of a serialized suite, each case of a test waits for its turn behind the tests of all suites.
    @Test(.enabled(if: LocalServers.smart != nil, Comment(rawValue: LocalServers.hint)))
    func backendServicesGetTokensByTheirKey() async throws {
        let base = try #require(LocalServers.smart)
        let open = try FHIRClient(base: base, release: .r4)
        let refused = await #expect(throws: FHIRClientError.self) { try await open.count(Patient.self) }
        #expect(refused?.code == .unauthorized)
        for algorithm in SignatureAlgorithm.allCases {
            let pem = try String(contentsOfFile: "\(LocalServers.folder)/keys/\(algorithm.rawValue).pem", encoding: .utf8)
            let key = try PrivateKey(pem: Secret(pem), id: "1", algorithm: algorithm)
            let service = OAuthClient(id: algorithm.rawValue, authentication: .key(key))
            let client = try FHIRClient(base: base, release: .r4, authorization: .clientCredentials(service, scope: "system/*.cruds"))
            #expect(try await client.count(Patient.self) != nil, "\(algorithm)")
            let other = OAuthClient(id: algorithm.rawValue, authentication: .key(try PrivateKey(algorithm.keyKind)))
            let wrong = try FHIRClient(base: base, release: .r4, authorization: .clientCredentials(other, scope: "system/*.cruds"))
            let error = await #expect(throws: AuthorizationError.self, "\(algorithm)") { try await wrong.count(Patient.self) }
            #expect(error?.code == .refused && error?.reason == "invalid_client", "\(algorithm)")
        }
    }

    @Test(.enabled(if: LocalServers.oauth != nil, Comment(rawValue: LocalServers.hint)))
    func aClientRegistersAndGetsTokens() async throws {
        let base = try #require(LocalServers.oauth)
        let credentials = MemoryCredentialStore()
        let authorization = RegisteredClientAuthorization(
            ClientRegistration(name: "Service", scope: "system/*.rs"), credentials: credentials)
        let client = try FHIRClient(base: base, release: .r4, authorization: authorization)
        #expect(try await client.read(Patient.self, id: "1").id == "1")
        // 20 calls with an expired token: one refresh.
        let before = try await counts(base)["tokens"] ?? 0
        try await post(base.deletingLastPathComponent().appendingPathComponent("expire"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await client.read(Patient.self, id: "1") } }
            try await group.waitForAll()
        }
        #expect(try await counts(base)["tokens"] == before + 1)
    }

    @Test(.enabled(if: LocalServers.oauth != nil, Comment(rawValue: LocalServers.hint)))
    func aRegistrationIsReadChangedAndDeleted() async throws {
        let context = AuthorizationContext(base: try #require(LocalServers.oauth))
        let registrar = ClientRegistrar(context)
        var registration = ClientRegistration(name: "First")
        let client = try await registrar.register(registration) { $0["software_id"] = "s1" }
        #expect(client.members["client_name"] == "First" && client.members["software_id"] == "s1" && client.secret != nil)
        registration.name = "Second"
        #expect(try await registrar.update(client, registration).members["client_name"] == "Second")
        #expect(try await registrar.read(client).members["client_name"] == "Second")
        try await registrar.delete(client)
        await #expect(throws: AuthorizationError.self) { try await registrar.read(client) }
    }

    @Test(.enabled(if: LocalServers.oauth != nil, Comment(rawValue: LocalServers.hint)))
    func aUserSignsInWithPKCEAndTokensAreRefreshed() async throws {
        let base = try #require(LocalServers.oauth)
        let context = AuthorizationContext(base: base)
        let redirect = address("http://127.0.0.1:9/callback")
        let registered = try await ClientRegistrar(context).register(
            ClientRegistration(
                name: "App", redirectURLs: [redirect], scope: "patient/*.rs", grantTypes: ["authorization_code", "refresh_token"],
                authenticationMethod: "none"))
        let user = UserAuthorization(
            OAuthClient(id: registered.id), redirectURL: redirect, scope: "patient/*.rs", credentials: MemoryCredentialStore())
        let client = try FHIRClient(base: base, release: .r4, authorization: user)
        let session = try await user.begin(client.authorizationContext)
        // The browser: the server sends it to the app at once.
        let page = try await URLSessionTransport.shared.send(HTTPRequest(.get, session.url))
        let token = try await session.finish(address(try #require(page.fields["Location"])))
        #expect(token.refreshToken != nil)
        #expect(try await client.read(Patient.self, id: "1").id == "1")
        for _ in 0..<2 {
            let last = try #require(try await user.token(client.authorizationContext))
            try await post(base.deletingLastPathComponent().appendingPathComponent("expire"))
            #expect(try await client.read(Patient.self, id: "1").id == "1")
            let next = try #require(try await user.token(client.authorizationContext))
            #expect(next.value != last.value && next.refreshToken != last.refreshToken)
        }
    }
}
