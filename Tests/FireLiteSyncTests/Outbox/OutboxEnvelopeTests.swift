import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// What an envelope policy chooses is sealed before it waits, and goes to the second endpoint in its turn.
@Suite struct OutboxEnvelopeTests {
    private static let endpoint = address("https://sealed.example.org/in")

    private func policy() throws -> EnvelopePolicy {
        let recipient = try EnvelopeRecipient(certificate: Data(EnvelopeVectors.certificate.utf8), keyID: "key-1")
        return EnvelopePolicy(endpoint: Self.endpoint) { $0.path.hasPrefix("Patient") ? recipient : nil }
    }

    @Test func sealedRequestsWaitSealed() async throws {
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        let server = StubServer { request, _ in created(request) }
        let outbox = try outbox(server, store: store, envelopes: policy())
        let marker = "NowhereElse"
        try await outbox.enqueue(.create(Patient { $0.name = [HumanName { $0.family = marker }] }))
        try await outbox.enqueue(.create(Observation { $0.status = .final }))
        try await outbox.enqueue(.update(numbered(3, id: "p")))
        try await store.checkpoint(.truncate)
        for name in try folder.names {
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).range(of: Data(marker.utf8)) == nil)
        }
        #expect(try await outbox.entries().map(\.isSealed) == [true, false, true])
        #expect(try await outbox.flush().sent.map(\.number) == [1, 2, 3])
        #expect(
            server.requests.map(\.url.absoluteString) == [
                "https://sealed.example.org/in/Patient", "https://fhir.example.org/base/Observation",
                "https://sealed.example.org/in/Patient/p",
            ])
        let key = try PrivateKey(pem: Secret(EnvelopeVectors.key))
        let opened = String(decoding: try key.openEnvelope(server.requests[0].body ?? Data()), as: UTF8.self)
        // The unique identifier is inside, and the condition outside.
        let condition = try #require(server.requests[0].fields["If-None-Exist"])
        #expect(opened.contains(marker) && opened.contains(condition.replacing("identifier=urn:ietf:rfc:3986%7C", with: "")))
    }

    @Test func tokensGoToTheServerOnly() async throws {
        let server = StubServer { request, _ in created(request) }
        let client = try testClient(server, authorization: .bearer { _ in Secret("token") })
        let store = try FHIRStore(path: ":memory:", release: .r4)
        let outbox = try Outbox(store: store, client: client, envelopes: policy())
        try await outbox.enqueue(.create(numbered(1)))
        try await outbox.enqueue(.create(Observation { $0.status = .final }))
        try await outbox.flush()
        #expect(server.requests.map { $0.fields["Authorization"] } == [nil, "Bearer token"])
    }

    /// What something between here and the endpoint answers leaves the request in the outbox.
    @Test(arguments: [
        HTTPResponse(200), HTTPResponse(202), HTTPResponse(204), HTTPResponse(200, fields: ["ETag": "x"], body: Data("OK".utf8)),
        HTTPResponse(201, fields: ["Content-Type": "text/html"], body: Data("<html></html>".utf8)), .json(#"{"status":"ok"}"#),
        .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"exception"}]}"#),
        .json(#"{"resourceType":"OperationOutcome","issue":[7]}"#),
    ])
    func whatIsNoAnswerOfTheEndpointLeavesTheRequest(answer: HTTPResponse) async throws {
        let outbox = try outbox(StubServer { _, _ in answer }, envelopes: policy())
        try await outbox.enqueue(.update(numbered(1, id: "p")))
        #expect(try await outbox.flush().sent.isEmpty)
        let entries = try await outbox.entries()
        #expect(entries.count == 1 && entries.first?.state == .waiting && entries.first?.isUncertain == true)
    }

    @Test(arguments: [
        HTTPResponse(201), HTTPResponse(200, fields: ["Location": "https://sealed.example.org/in/Patient/p/_history/1"]),
        .json(#"{"resourceType":"Patient","id":"p"}"#),
        .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"information","code":"informational"}]}"#),
    ])
    func anAnswerOfTheEndpointCounts(answer: HTTPResponse) async throws {
        let outbox = try outbox(StubServer { _, _ in answer }, envelopes: policy())
        try await outbox.enqueue(.update(numbered(1, id: "p")))
        #expect(try await outbox.flush().sent.count == 1)
        #expect(try await outbox.entries().isEmpty)
    }

    /// An app knows what an endpoint with answers of its own form says.
    @Test func aProofOfTheAppCounts() async throws {
        let recipient = try EnvelopeRecipient(certificate: Data(EnvelopeVectors.certificate.utf8), keyID: "key-1")
        let proof = EnvelopePolicy.Proof { $0.status == 202 && $0.body == Data("queued".utf8) }
        let policy = EnvelopePolicy(endpoint: Self.endpoint, proof: proof) { _ in recipient }
        for (answer, count) in [(HTTPResponse(202, body: Data("queued".utf8)), 1), (HTTPResponse(201), 0)] {
            let outbox = try outbox(StubServer { _, _ in answer }, envelopes: policy)
            try await outbox.enqueue(.update(numbered(1, id: "p")))
            #expect(try await outbox.flush().sent.count == count)
        }
    }

    @Test func anOutboxWithoutTheEndpointSendsNothingThere() async throws {
        let server = OutboxServerStub()
        let sealing = try outbox(server, envelopes: policy())
        try await sealing.enqueue(.create(numbered(1)))
        let plain = try outbox(server, store: sealing.store)
        #expect(try await plain.flush().ending == "failed 1 -")
        #expect(server.requests.isEmpty)
        #expect(try await plain.entries().count == 1)
    }
}
