import FireLiteCrypto
import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct UserAuthorizationTests {
    private static let redirect = address("myapp://callback/done")

    /// An authorization server that gives each refresh token out once.
    private static func server(refuses: Bool = false) -> StubServer {
        StubServer { request, number in
            switch request.url.path {
            case "/base/.well-known/smart-configuration":
                return .json(
                    #"{"authorization_endpoint":"https://auth.example.org/authorize","token_endpoint":"https://auth.example.org/token","code_challenge_methods_supported":["S256"]}"#
                )
            case "/token":
                let form = request.form
                if form["grant_type"] == "refresh_token", refuses { return .json(#"{"error":"invalid_grant"}"#, 400) }
                if form["grant_type"] == "authorization_code" {
                    return .json(
                        #"{"access_token":"first","token_type":"Bearer","expires_in":60,"refresh_token":"r1","patient":"p7"}"#)
                }
                let last = form["refresh_token"] ?? ""
                return .json(#"{"access_token":"next-\#(last)","token_type":"Bearer","expires_in":60,"refresh_token":"r2"}"#)
            default: return .json(#"{"resourceType":"Patient","id":"1"}"#)
            }
        }
    }

    private func user(_ credentials: any CredentialStore) -> UserAuthorization {
        UserAuthorization(
            OAuthClient(id: "app"), redirectURL: Self.redirect, scope: "launch/patient patient/*.rs offline_access",
            credentials: credentials)
    }

    private func query(_ url: URL) -> [String: String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    @Test func aUserSignsInAndTheTokenIsRefreshed() async throws {
        let server = Self.server()
        let credentials = MemoryCredentialStore()
        let user = user(credentials)
        let clock = TestClock()
        let client = try testClient(server, authorization: user, clock: clock)
        let error = await #expect(throws: AuthorizationError.self) { try await client.read(Patient.self, id: "1") }
        #expect(error?.code == .signInRequired)

        let session = try await user.begin(client.authorizationContext, launch: "l1")
        let sent = query(session.url)
        #expect(session.url.absoluteString.hasPrefix("https://auth.example.org/authorize?"))
        #expect(sent["response_type"] == "code" && sent["client_id"] == "app" && sent["redirect_uri"] == "myapp://callback/done")
        #expect(sent["aud"] == "https://fhir.example.org/base" && sent["launch"] == "l1" && sent["code_challenge_method"] == "S256")
        #expect(sent["scope"] == "launch/patient patient/*.rs offline_access")
        let state = try #require(sent["state"])
        let token = try await session.finish(address("myapp://callback/done?code=c%2B1&state=\(state)"))
        #expect(token.patientID == "p7" && token.refreshToken?.value == "r1")

        let exchange = try #require(server.requests.last).form
        #expect(exchange["code"] == "c+1" && exchange["client_id"] == "app" && exchange["redirect_uri"] == "myapp://callback/done")
        let challenge = HashAlgorithm.sha256.digest(of: Data(try #require(exchange["code_verifier"]).utf8)).base64URL
        #expect(challenge == sent["code_challenge"] && exchange["code_verifier"]?.count == 43)

        _ = try await client.read(Patient.self, id: "1")
        #expect(server.requests.last?.fields["Authorization"] == "Bearer first")
        clock.advance(120)
        _ = try await client.read(Patient.self, id: "1")
        #expect(server.requests.last?.fields["Authorization"] == "Bearer next-r1")
        let kept = try #require(try await user.token(client.authorizationContext))
        #expect(kept.patientID == "p7" && kept.refreshToken?.value == "r2")

        // The next run of the app has only what was stored.
        let later = try testClient(server, authorization: self.user(credentials), clock: clock)
        _ = try await later.read(Patient.self, id: "1")
        #expect(server.requests.last?.fields["Authorization"] == "Bearer next-r1")
        clock.advance(120)
        _ = try await later.read(Patient.self, id: "1")
        #expect(server.requests.last?.fields["Authorization"] == "Bearer next-r2")

        try await user.signOut(client.authorizationContext)
        #expect(try await user.token(client.authorizationContext) == nil)
    }

    @Test func aRefusedRefreshMeansSigningInAgain() async throws {
        let server = Self.server(refuses: true)
        let user = user(MemoryCredentialStore())
        let clock = TestClock()
        let client = try testClient(server, authorization: user, clock: clock)
        let session = try await user.begin(client.authorizationContext)
        try await session.finish(address("myapp://callback/done?code=c&state=\(query(session.url)["state"] ?? "")"))
        clock.advance(120)
        for _ in 0..<2 {
            let error = await #expect(throws: AuthorizationError.self) { try await client.read(Patient.self, id: "1") }
            #expect(error?.code == .signInRequired)
        }
        #expect(server.requests.count { $0.url.path == "/token" } == 2)
    }

    @Test func onlyTheSessionsOwnAddressEndsIt() async throws {
        let user = user(MemoryCredentialStore())
        let client = try testClient(Self.server(), authorization: user)
        let session = try await user.begin(client.authorizationContext)
        let state = query(session.url)["state"] ?? ""
        for wrong in [
            "myapp://callback/done?code=c", "myapp://callback/done?code=c&state=x", "myapp://other/done?code=c&state=\(state)",
            "other://callback/done?code=c&state=\(state)", "myapp://callback/?code=c&state=\(state)",
        ] {
            let error = await #expect(throws: AuthorizationError.self, "\(wrong)") { try await session.finish(address(wrong)) }
            #expect(error?.code == .wrongRedirect, "\(wrong)")
        }
        try await session.finish(address("myapp://callback/done?code=c&state=\(state)"))
        await #expect(throws: AuthorizationError.self) { try await session.finish(address("myapp://callback/done?code=c&state=\(state)")) }
        let denied = try await user.begin(client.authorizationContext)
        let other = query(denied.url)["state"] ?? ""
        #expect(other != state)
        let error = await #expect(throws: AuthorizationError.self) {
            try await denied.finish(address("myapp://callback/done?error=access_denied&error_description=no+way&state=\(other)"))
        }
        #expect(error?.code == .refused && error?.reason == "access_denied" && error?.detail == "no way")
    }
}
