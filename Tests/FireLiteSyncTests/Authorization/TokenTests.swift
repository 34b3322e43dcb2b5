import FireLiteCrypto
import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct TokenTests {
    private static let patient = #"{"resourceType":"Patient","id":"1"}"#
    private static let tokenURL = address("https://auth.example.org/token")

    /// A FHIR server that accepts the newest token only, and its authorization server.
    ///
    /// `@unchecked Sendable`: the lock guards the count.
    private final class Issuer: @unchecked Sendable {
        private let lock = NSLock()
        private var issued = 0
        var lifetime = 300
        var count: Int { lock.withLock { issued } }

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            if request.url == TokenTests.tokenURL {
                let number = lock.withLock {
                    issued += 1
                    return issued
                }
                return .json(#"{"access_token":"t\#(number)","token_type":"bearer","expires_in":\#(lifetime),"scope":"system/*.rs"}"#)
            }
            let isRight = request.fields["Authorization"] == "Bearer t\(count)"
            return isRight ? .json(TokenTests.patient) : HTTPResponse(401)
        }

        /// As if the server had forgotten its tokens.
        func expire() { lock.withLock { issued += 1 } }
    }

    private func service(_ authentication: OAuthClient.Authentication = .secret("p:ä")) -> ClientCredentialsAuthorization {
        .clientCredentials(OAuthClient(id: "my client", authentication: authentication), scope: "system/*.rs", tokenEndpoint: Self.tokenURL)
    }

    @Test func aTokenIsKeptUntilItEnds() async throws {
        let issuer = Issuer()
        let server = StubServer { request, _ in issuer.answer(request) }
        let clock = TestClock()
        let client = try testClient(server, authorization: service(), clock: clock)
        for _ in 0..<3 { _ = try await client.read(Patient.self, id: "1") }
        #expect(issuer.count == 1)
        clock.advance(289)
        _ = try await client.read(Patient.self, id: "1")
        #expect(issuer.count == 1)
        clock.advance(2)
        _ = try await client.read(Patient.self, id: "1")
        #expect(issuer.count == 2)
    }

    /// 20 calls at once find their token refused: one new token is asked for.
    @Test func oneRefreshServesAllCallsThatWereRefusedAtOnce() async throws {
        let issuer = Issuer()
        let gate = Gate(20)
        let server = StubServer { request, _ in
            // All requests with the old token are on their way before the first is answered.
            if request.fields["Authorization"] == "Bearer t1", issuer.count == 2 { await gate.pass() }
            return issuer.answer(request)
        }
        let client = try testClient(server, authorization: service())
        _ = try await client.read(Patient.self, id: "1")
        issuer.expire()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await client.read(Patient.self, id: "1") } }
            try await group.waitForAll()
        }
        #expect(issuer.count == 3)
        let tokens = server.requests.filter { $0.url == Self.tokenURL }
        #expect(tokens.count == 2)
        #expect(server.requests.filter { $0.fields["Authorization"] == "Bearer t3" }.count == 20)
    }

    @Test func aRefusedRequestIsRepeatedOnce() async throws {
        let issuer = Issuer()
        let server = StubServer { request, _ in request.url == Self.tokenURL ? issuer.answer(request) : HTTPResponse(401) }
        let client = try testClient(server, authorization: service())
        let error = await #expect(throws: FHIRClientError.self) { try await client.create(Patient()) }
        #expect(error?.code == .unauthorized)
        #expect(server.requests.count { $0.url.path == "/base/Patient" } == 2 && issuer.count == 2)
    }

    @Test func manyFirstCallsAskForOneToken() async throws {
        let issuer = Issuer()
        let client = try testClient(StubServer { request, _ in issuer.answer(request) }, authorization: service())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await client.read(Patient.self, id: "1") } }
            try await group.waitForAll()
        }
        #expect(issuer.count == 1)
    }

    @Test func secretsAreSentAsTheServerWantsThem() async throws {
        let issuer = Issuer()
        let server = StubServer { request, _ in issuer.answer(request) }
        _ = try await testClient(server, authorization: service()).read(Patient.self, id: "1")
        let basic = server.requests[0]
        #expect(basic.fields["Authorization"] == "Basic " + Data("my%20client:p%3A%C3%A4".utf8).base64EncodedString())
        #expect(basic.form == ["grant_type": "client_credentials", "scope": "system/*.rs"] && basic.method == .post)
        let other = StubServer { request, _ in Issuer().answer(request) }
        do {
            _ = try await testClient(other, authorization: service(.secretInBody("s+1"))).read(Patient.self, id: "1")
        } catch is FHIRClientError {}
        #expect(other.requests[0].form["client_secret"] == "s+1" && other.requests[0].form["client_id"] == "my client")
        #expect(other.requests[0].fields["Authorization"] == nil)
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func assertionsAreSignedAndForOneUse(_ algorithm: SignatureAlgorithm) async throws {
        let key = try PrivateKey(algorithm.keyKind, id: "k1", algorithm: algorithm)
        let issuer = Issuer()
        issuer.lifetime = 1
        let server = StubServer { request, _ in issuer.answer(request) }
        let clock = TestClock()
        let client = try testClient(server, authorization: service(.key(key)), clock: clock)
        for _ in 0..<2 { _ = try await client.read(Patient.self, id: "1") }
        let forms = server.requests.filter { $0.url == Self.tokenURL }.map(\.form)
        #expect(forms.count == 2)
        var ids: Set<String> = []
        for form in forms {
            #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" && form["client_id"] == nil)
            let parts = try #require(form["client_assertion"]).split(separator: ".").map(String.init)
            let header = try JSONDecoder().decode([String: String].self, from: #require(Data(base64URL: parts[0])))
            #expect(header == ["alg": algorithm.rawValue, "kid": "k1", "typ": "JWT"])
            let claims = try JSONDecoder().decode([String: JSONValue].self, from: #require(Data(base64URL: parts[1])))
            #expect(claims["iss"] == "my client" && claims["sub"] == "my client" && claims["aud"] == "https://auth.example.org/token")
            let lifetime = try #require(claims["exp"]?.number) - clock.now.timeIntervalSince1970
            #expect(lifetime > 60 && lifetime <= 300)
            ids.insert(try #require(claims["jti"]?.text))
            let publicKey = try PublicKey(pem: key.publicKey.pem)
            let signature = try #require(Data(base64URL: parts[2]))
            let isValid = publicKey.isValid(
                signature: signature, of: Data("\(parts[0]).\(parts[1])".utf8),
                algorithm: algorithm)
            #expect(isValid)
        }
        #expect(ids.count == 2)
        let published = try JSONEncoder().encode(key.publicKeySet())
        let text = String(decoding: published, as: UTF8.self)
        #expect(text.contains("\"kid\":\"k1\"") && !text.contains("\"d\"") && "\(key)" == "private key k1, \(key.kind)")
        #expect(try PrivateKey(pem: key.pem(), id: "k1", algorithm: algorithm).publicKey == key.publicKey)
    }

    @Test func tokensGoToTheirServerOnly() async throws {
        let server = StubServer { request, _ in
            if request.url.path.hasSuffix(".well-known/smart-configuration") {
                return .json(#"{"token_endpoint":"https://\#(request.url.host ?? "")/token"}"#)
            }
            if request.url.path == "/token" { return .json(#"{"access_token":"for-\#(request.url.host ?? "")","token_type":"Bearer"}"#) }
            return .json(Self.patient)
        }
        let authorization = ClientCredentialsAuthorization(OAuthClient(id: "a", authentication: .secret("b")), scope: nil)
        for host in ["one.example.org", "two.example.org"] {
            let client = try testClient(server, base: address("https://\(host)/fhir"), authorization: authorization)
            _ = try await client.read(Patient.self, id: "1")
            #expect(server.requests.last?.fields["Authorization"] == "Bearer for-\(host)")
        }
    }

    // MARK: - Errors

    @Test func refusalsSayWhyWithoutSecrets() async throws {
        let answers: [(HTTPResponse, AuthorizationError.Code, String?)] = [
            (.json(#"{"error":"invalid_client","error_description":"secret was s3"}"#, 401), .refused, "invalid_client"),
            (.json(#"{"error":"Secret s3!"}"#, 400), .refused, nil), (HTTPResponse(500), .refused, nil),
            (.json("<html>"), .invalidResponse, nil), (.json(#"{"access_token":"s3","token_type":"mac"}"#), .invalidResponse, nil),
            (.json(#"{"access_token":"a\r\nX: y","token_type":"bearer"}"#), .invalidResponse, nil),
            (HTTPResponse(302, fields: ["Location": "https://evil.org/token"]), .refused, nil),
        ]
        for (answer, code, reason) in answers {
            let server = StubServer { _, _ in answer }
            let client = try testClient(server, authorization: service(.secret("s3")))
            let error = await #expect(throws: AuthorizationError.self) { try await client.read(Patient.self, id: "1") }
            #expect(error?.code == code && error?.reason == reason)
            #expect(error.map { "\($0)".contains("s3") } == false)
            #expect(server.requests.count == 1)
        }
    }

    @Test func aBusyAuthorizationServerIsAskedAgain() async throws {
        let issuer = Issuer()
        let clock = TestClock(random: 0)
        let server = StubServer { request, number in
            if number == 0 { return HTTPResponse(503, fields: ["Retry-After": "3"]) }
            if number == 1 { throw HTTPTransportError(.cannotConnect, "unreachable") }
            return issuer.answer(request)
        }
        _ = try await testClient(server, authorization: service(), clock: clock).read(Patient.self, id: "1")
        #expect(clock.sleeps == [.seconds(3), .seconds(0)])
    }

    @Test func aTokenIsAskedForByHTTPSOnly() async throws {
        let server = StubServer { _, _ in HTTPResponse(200) }
        let authorization = ClientCredentialsAuthorization(
            OAuthClient(id: "a", authentication: .secret("b")), scope: nil, tokenEndpoint: address("http://auth.example.org/token"))
        let error = await #expect(throws: AuthorizationError.self) {
            try await testClient(server, authorization: authorization).read(Patient.self, id: "1")
        }
        #expect(error?.code == .notPrivate && server.requests.isEmpty)
    }

    @Test func anAppsOwnTokenIsReplacedOnce() async throws {
        let calls = Calls()
        let server = StubServer { request, _ in
            request.fields["Authorization"] == "Bearer new" ? .json(Self.patient) : HTTPResponse(401)
        }
        let client = try testClient(
            server,
            authorization: .bearer { isRejected in
                calls.note(isRejected)
                return isRejected ? "new" : "old"
            })
        for _ in 0..<3 { _ = try await client.read(Patient.self, id: "1") }
        #expect(calls.noted == [false, true])
        let stubborn = try testClient(server, authorization: .bearer { _ in "old" })
        await #expect(throws: FHIRClientError.self) { try await stubborn.read(Patient.self, id: "1") }
        let none = try testClient(server, authorization: .bearer { _ in nil })
        await #expect(throws: FHIRClientError.self) { try await none.read(Patient.self, id: "1") }
        #expect(server.requests.last?.fields["Authorization"] == nil)
    }

    // MARK: - Discovery

    @Test func endpointsAreFoundInEitherPlace() async throws {
        let statement = """
            {"resourceType":"CapabilityStatement","rest":[{"mode":"server","security":{"extension":[
            {"url":"http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris","extension":[
            {"url":"authorize","valueUri":"https://auth.example.org/authorize"},{"url":"token","valueUri":"https://auth.example.org/token"},
            {"url":"register","valueUri":"https://auth.example.org/register"}]}]}}]}
            """
        let old = StubServer { request, _ in
            request.url.path == "/base/metadata"
                ? .json(statement) : request.url.path.contains("well-known") ? .json("<html>") : HTTPResponse(404)
        }
        let found = try await SMARTConfiguration.discover(try testClient(old).authorizationContext)
        #expect(found.tokenEndpoint == Self.tokenURL && found.registrationEndpoint?.path == "/register")
        let new = StubServer { _, _ in
            .json(#"{"token_endpoint":"https://auth.example.org/token","capabilities":["client-confidential-asymmetric"]}"#)
        }
        let smart = try await SMARTConfiguration.discover(try testClient(new).authorizationContext)
        #expect(smart.tokenEndpoint == Self.tokenURL && smart.capabilities == ["client-confidential-asymmetric"])
        #expect(new.requests.map(\.url.path) == ["/base/.well-known/smart-configuration"])
        let neither = StubServer { _, _ in HTTPResponse(404) }
        let error = await #expect(throws: AuthorizationError.self) {
            try await SMARTConfiguration.discover(try testClient(neither).authorizationContext)
        }
        #expect(error?.code == .noEndpoint)
    }
}
