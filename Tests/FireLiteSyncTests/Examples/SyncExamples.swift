import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// The examples of the module's pages, with a server in memory.
@Suite struct SyncExamples {
    private static let bundle = """
        {"resourceType":"Bundle","type":"searchset","entry":[{"resource":{"resourceType":"Patient","id":"1"}}]}
        """

    private func stub() -> StubServer {
        StubServer { request, _ in
            let path = request.url.path
            if path.hasSuffix("/.well-known/smart-configuration") {
                return .json(#"{"authorization_endpoint":"https://auth.example.org/a","token_endpoint":"https://auth.example.org/t"}"#)
            }
            if path == "/t" { return .json(#"{"access_token":"t","token_type":"Bearer"}"#) }
            if path.hasSuffix("$export") { return HTTPResponse(202, fields: ["Content-Location": "https://fhir.example.org/base/status"]) }
            if path.hasSuffix("/status") {
                return .json(#"{"output":[{"type":"Patient","url":"https://fhir.example.org/base/file"}]}"#)
            }
            if path.hasSuffix("/file") { return .json(#"{"resourceType":"Patient","id":"9"}"#) }
            if request.fields["If-Match"] == "W/\"1\"" { return HTTPResponse(412) }
            switch (request.method, path) {
            case (.post, "/base"):
                return .json(
                    #"{"resourceType":"Bundle","type":"transaction-response","entry":[{"response":{"status":"200"}},{"response":{"status":"204"}}]}"#
                )
            case (.get, "/base/Patient"), (.get, "/base/Observation"): return .json(Self.bundle)
            default: return .json(#"{"resourceType":"Patient","id":"1","meta":{"versionId":"3"}}"#)
            }
        }
    }

    /// What the pages call `FHIRClient` is one with a server in memory.
    private func FHIRClient(
        base: URL, release: FHIRRelease, authorization: any Authorization = .none
    ) throws -> FireLiteSync.FHIRClient {
        try testClient(stub(), base: base, authorization: authorization)
    }

    private let server = testBase
    private let token = "t"
    private let redirect = address("myapp://callback")

    @Test func landingPage() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        // example FireLiteSync.md
        let client = try FHIRClient(base: server, release: .r4)
        let patient = try await client.read(Patient.self, id: "1")
        let pk = try await store.write { tx in try tx.upsert(patient).pk }
        // end
        #expect(try await store.resource(Patient.self, pk: pk)?.id == "1")
    }

    @Test func landingPageOfTheClient() async throws {
        // example FireLiteClient.md
        let client = try FHIRClient(base: server, release: .r4)
        let patient = try await client.read(Patient.self, id: "1")
        // end
        #expect(patient.id == "1")
    }

    @Test func readingAndWriting() async throws {
        // example TalkingToServers.md
        let client = try FHIRClient(base: server, release: .r4, authorization: .bearer { _ in Secret(token) })
        // end
        // example TalkingToServers.md
        let patient = try await client.read(Patient.self, id: "1")
        for try await page in client.search(Patient.self, ["name": "Smith", "_count": "100"]) {
            print(page.matches.count, page.included.count)
        }
        for try await observation in client.search(Observation.self, ["subject": "Patient/1"]).matches {
            print(observation.id ?? "")
        }
        // end
        // example TalkingToServers.md
        let created = try await client.create(patient, ifNoneExist: ["identifier": "http://hospital.example|123"])
        patient.active = true
        try await client.update(patient, ifMatch: created.version)
        // end
        // example TalkingToServers.md
        let results = try await client.submit(
            [FHIRBundleEntry(try .update(patient)), FHIRBundleEntry(try .delete("Observation", id: "2"))], as: .transaction)
        // end
        #expect(results.map(\.status) == [200, 204])
        // example TalkingToServers.md
        do {
            try await client.update(patient, ifMatch: "1")
        } catch let error as FHIRClientError where error.code == .preconditionFailed {
            print(error, error.issues.compactMap(\.diagnostics))
        }
        // end
    }

    @Test func bulkExport() async throws {
        let temporary = try TemporaryFolder()
        let folder = URL(fileURLWithPath: temporary.file("export"))
        let store = try FHIRStore.inMemory(release: .r4)
        let client = try FHIRClient(base: server, release: .r4)
        // example TalkingToServers.md
        let export = try await client.export(BulkExportOptions(types: ["Patient"]), to: folder)
        try await store.importResources(from: export.resourceURLs)
        // end
        #expect(try await store.count(Patient.self) == 1)
    }

    @Test func access() async throws {
        let temporary = try TemporaryFolder()
        let credentialsFile = URL(fileURLWithPath: temporary.file("credentials.json"))
        func openInBrowser(_ url: URL) async throws -> URL {
            let state = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "state" }?.value
            return address("myapp://callback?code=1&state=\(state ?? "")")
        }
        // example TalkingToServers.md
        let key = try PrivateKey(.p384, id: "2024-01")
        let service = OAuthClient(id: "my-service", authentication: .key(key))
        let backend = try FHIRClient(
            base: server, release: .r4, authorization: .clientCredentials(service, scope: "system/*.rs"))
        // end
        #expect(try await backend.read(Patient.self, id: "1").id == "1")
        // example TalkingToServers.md
        let user = UserAuthorization(
            OAuthClient(id: "my-app"), redirectURL: redirect, scope: "launch/patient patient/*.rs offline_access",
            credentials: FileCredentialStore(credentialsFile))
        let app = try FHIRClient(base: server, release: .r4, authorization: user)
        let session = try await user.begin(app.authorizationContext)
        let redirected = try await openInBrowser(session.url)
        try await session.finish(redirected)
        // end
        #expect(try await app.read(Patient.self, id: "1").id == "1")
    }

    @Test func envelopes() throws {
        let certificate = Data(EnvelopeVectors.certificate.utf8)
        let observation = Observation { $0.status = .final }
        // example TheOutbox.md
        let recipient = try EnvelopeRecipient(certificate: certificate, keyID: "key-1")
        let policy = EnvelopePolicy(endpoint: server) { request in request.path.hasPrefix("Observation") ? recipient : nil }
        let sealed = try policy.sealed(.create(observation))
        // end
        #expect(sealed?.path == "Observation")
    }
}

/// What the pages say about times.
@Suite struct TimeExamples {
    private let server = testBase

    @Test func times() throws {
        // example TalkingToServers.md
        var configuration = FHIRClient.Configuration()
        configuration.timeout = .seconds(20)
        configuration.deadline = .seconds(120)
        let client = try FHIRClient(base: server, release: .r4, configuration: configuration)
        // end
        #expect(client.configuration.deadline == .seconds(120))
    }
}
