import FireLiteLegacy
import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// The examples of the page on the outbox, with a server in memory.
@Suite(.timeLimit(.minutes(30))) struct OutboxExamples {
    private typealias Task = _Concurrency.Task

    @Test func theOutbox() async throws {
        let temporary = try TemporaryFolder()
        let store = try FHIRStore(path: temporary.file("store.sqlite"), release: .r4)
        let server = OutboxServerStub { request, _ in request.method == .post && request.text.contains("refused") ? .status(422, [:]) : nil
        }
        let client = try FHIRClient(base: testBase, release: .r4, transport: server)
        let observation = Observation { $0.status = .final }
        let patient = numbered(1, id: "1")
        // example TheOutbox.md
        let outbox = try Outbox(store: store, client: client)
        try await store.write { tx in
            let stored = try tx.upsert(observation)
            try outbox.enqueue(.create(stored), in: tx)
        }
        // end
        // example TheOutbox.md
        switch try await outbox.send(.update(patient)) {
        case .sent(let receipt): print("version \(receipt.version ?? "") at the server")
        case .sentElsewhere: print("another process has sent it")
        case .queued(let entry, _): print("waits as number \(entry.number)")
        }
        // end
        #expect(server.resources.map(\.path) == ["Observation/1", "Patient/1"])
        try await outbox.enqueue(.update(patient))
        // example TheOutbox.md
        let events = outbox.events()
        let sending = _Concurrency.Task { try await outbox.run() }
        for await event in events {
            if case .flushed = event { break }
        }
        sending.cancel()
        // end
        _ = await sending.result
        _ = try await outbox.flush()
        try await outbox.enqueue(.create(Patient { $0.name = [HumanName { $0.family = "refused" }] }))
        #expect(try await outbox.flush().refused.count == 1)
        // example TheOutbox.md
        for entry in try await outbox.entries() where entry.state == .refused {
            print(entry.number, entry.status ?? 0, entry.issues.map(\.code))
            try await outbox.retry(entry.number)
        }
        // end
        #expect(try await outbox.entries().map(\.state) == [.waiting])
    }

    @Test func sealingAndImporting() async throws {
        let temporary = try TemporaryFolder()
        try temporary.write("QueuedResource-1.json", FHIRJSON.data(numbered(1)))
        let folder = URL(fileURLWithPath: temporary.path)
        let store = try FHIRStore(path: ":memory:", release: .r4)
        let client = try FHIRClient(base: testBase, release: .r4, transport: StubServer { request, _ in created(request) })
        let recipient = try EnvelopeRecipient(certificate: Data(EnvelopeVectors.certificate.utf8), keyID: "key-1")
        let second = address("https://sealed.example.org/in")
        // example TheOutbox.md
        let sealing = try Outbox(
            store: store, client: client,
            envelopes: EnvelopePolicy(endpoint: second) { request in request.path.hasPrefix("Patient") ? recipient : nil })
        // end
        #expect(try await sealing.send(.create(numbered(1))).isSent)
        let outbox = try Outbox(store: store, client: client)
        // example FireLiteLegacy.md
        try await outbox.importDataQueue(from: folder)
        // end
        #expect(try await outbox.flush().sent.count == 1)
    }
}
