import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Every request in an outbox reaches its server, in order, and takes effect once.
@Suite(.timeLimit(.minutes(30))) struct OutboxTests {
    // MARK: - Order

    @Test func whatWaitsIsSentInOrderBeforeWhatComesLater() async throws {
        let isDown = Switch(true)
        let server = OutboxServerStub { _, _ in isDown.value ? .down : nil }
        let outbox = try outbox(server)
        for number in 1...50 {
            guard case .queued(let entry, .failed) = try await outbox.send(.create(numbered(number))) else {
                Issue.record("the request \(number) does not wait")
                continue
            }
            #expect(entry.number == number && entry.state == .waiting && !entry.isUncertain)
        }
        #expect(server.resources.isEmpty)
        #expect(try await outbox.entries().count == 50)
        isDown.value = false
        guard case .sent(let receipt) = try await outbox.send(.create(numbered(51))) else { throw CancellationError() }
        #expect(receipt.status == 201 && receipt.resourceID == "51" && receipt.version == "1" && receipt.typeName == "Patient")
        #expect(server.numbers == Array(1...51))
        #expect(try await outbox.entries().isEmpty)
    }

    @Test func requestsAndResourcesCommitTogether() async throws {
        let server = OutboxServerStub()
        let outbox = try outbox(server)
        let store = outbox.store
        await #expect(throws: CancellationError.self) {
            try await store.write { tx in
                try tx.add(numbered(1))
                try outbox.enqueue(.create(numbered(1)), in: tx)
                throw CancellationError()
            }
        }
        #expect(try await outbox.entries().isEmpty)
        try await store.write { tx in
            let patient = try tx.upsert(numbered(2, id: "two"))
            try outbox.enqueue(.create(patient), in: tx)
            try tx.enqueue(.create(patient), for: address("https://other.example.org/fhir"))
        }
        #expect(try await outbox.flush().sent.count == 1)
        #expect(server.numbers == [2])
        let rest = try await store.read { tx in try tx.outboxEntries() }
        #expect(rest.map(\.server) == ["https://other.example.org/fhir"])
        // The unique identifier is at the server only.
        #expect(try await store.read { tx in try tx.resource(Patient.self, id: "two")?.identifier.count } == 0)
    }

    @Test func aServerIsItsAddressAndNotItsHost() async throws {
        let store = try FHIRStore(path: ":memory:", release: .r4)
        for text in ["https://H.example/a/", "https://h.example:443/a", "https://h.example/b", "http://h.example/a"] {
            _ = try await store.write { tx in try tx.enqueue(.create(numbered(1)), for: address(text)) }
        }
        let servers = try await store.read { tx in try tx.outboxEntries().map(\.server) }
        #expect(servers == ["https://h.example/a", "https://h.example/a", "https://h.example/b", "http://h.example/a"])
        #expect(try await store.read { tx in try tx.outboxEntries(for: address("https://h.example/a")).count } == 2)
    }

    @Test func methodsAndConditionsAreKept() async throws {
        let server = OutboxServerStub()
        let outbox = try outbox(server)
        let patient = numbered(1, id: "p")
        let requests: [FHIRRequest] = [
            try .update(patient), try .update(patient, ifMatch: "1"), try .delete("Patient", id: "p", ifMatch: "2"),
            .create(patient, ifNoneExist: ["identifier": "x|y & z"]),
        ]
        for request in requests { try await outbox.enqueue(request) }
        #expect(try await outbox.flush().ending == "done")
        #expect(server.requests.map(\.method) == [.put, .put, .delete, .post])
        #expect(server.requests.map { $0.fields["If-Match"] } == [nil, "W/\"1\"", "W/\"2\"", nil])
        #expect(server.requests[3].fields["If-None-Exist"] == "identifier=x%7Cy%20%26%20z")
        // A condition of its own makes a create unique, so it gets no identifier.
        #expect(server.requests[3].body == FHIRJSON.data(patient))
    }

    @Test func whatMustNotWaitIsRefusedAtOnce() async throws {
        let outbox = try outbox(OutboxServerStub())
        var withToken = FHIRRequest.create(numbered(1))
        withToken.fields["Authorization"] = "Bearer secret"
        let requests: [FHIRRequest] = [
            try .read("Patient", id: "1"), withToken, FHIRRequest(.post, "Patient", body: Data("no JSON".utf8)),
        ]
        for request in requests {
            let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(request) }
            #expect(error?.code == .invalidArgument && error?.description.contains("secret") == false)
        }
        #expect(try await outbox.entries().isEmpty)
    }

    // MARK: - Refusals

    @Test func aRefusedEntryStopsTheRest() async throws {
        let refuses = Switch(true)
        let server = OutboxServerStub { request, _ in
            refuses.value && request.text.contains("\"7\"") ? .status(422, [:]) : nil
        }
        let outbox = try outbox(server)
        try await outbox.enqueue(1...10)
        let result = try await outbox.flush()
        #expect(result.sent.map(\.number) == Array(1...6) && result.refused == [7] && result.ending == "refused 7")
        let entry = try #require(try await outbox.entries().first)
        #expect(entry.number == 7 && entry.state == .refused && entry.status == 422 && entry.attempts == 1 && !entry.isUncertain)
        #expect(entry.issues.map(\.diagnostics) == ["about Smith"])
        // What the server says stays apart.
        #expect(entry.error?.contains("Smith") == false && !"\(entry)".contains("Smith"))
        // It is not sent again by itself.
        #expect(try await outbox.flush().ending == "refused 7")
        #expect(try await outbox.send(.create(numbered(11))).isSent == false)
        #expect(server.requests.count == 7)
        refuses.value = false
        try await outbox.retry(7)
        #expect(try await outbox.flush().ending == "done")
        #expect(server.numbers == Array(1...11))
    }

    @Test func aRefusedEntryIsParkedAndTheRestSent() async throws {
        let server = OutboxServerStub { request, _ in request.text.contains("\"7\"") ? .status(400, [:]) : nil }
        let outbox = try outbox(server, .park)
        try await outbox.enqueue(1...10)
        let result = try await outbox.flush()
        #expect(result.sent.count == 9 && result.refused == [7] && result.ending == "done")
        #expect(server.numbers == [1, 2, 3, 4, 5, 6, 8, 9, 10])
        #expect(try await outbox.flush().ending == "done" && server.requests.count == 10)
        guard case .queued(let entry, nil) = try await outbox.send(.update(numbered(7, id: "seven"))) else { throw CancellationError() }
        #expect(entry.state == .refused && entry.number == 11)
        for entry in try await outbox.entries() { try await outbox.discard(entry.number) }
        #expect(try await outbox.entries().isEmpty)
        let gone = await #expect(throws: OutboxError.self) { try await outbox.retry(7) }
        #expect(gone?.code == .noEntry)
        // Numbers are not used again.
        #expect(try await outbox.enqueue(.create(numbered(12))) == 12)
    }

    // MARK: - Lost answers

    @Test func aCreateWhoseAnswerGotLostIsOneResource() async throws {
        let server = OutboxServerStub { _, number in number < 2 ? .answerLost : nil }
        let outbox = try outbox(server)
        try await outbox.enqueue(1...3)
        for _ in 0..<2 { #expect(try await outbox.flush().ending == "failed 1 -") }
        let entry = try #require(try await outbox.entries().first)
        #expect(entry.isUncertain && entry.attempts == 2 && entry.status == nil)
        let result = try await outbox.flush()
        #expect(result.sent.map(\.wasAlreadyApplied) == [true, false, false] && result.sent.map(\.resourceID) == ["1", "2", "3"])
        #expect(server.numbers == [1, 2, 3])
    }

    @Test func anUpdateWhoseAnswerGotLostIsNoConflict() async throws {
        let loses = Switch(true)
        let server = OutboxServerStub { request, _ in loses.value && request.method == .put ? .answerLost : nil }
        let outbox = try outbox(server)
        loses.value = false
        try await outbox.enqueue(.update(numbered(1, id: "p")))
        #expect(try await outbox.flush().ending == "done")
        loses.value = true
        try await outbox.enqueue(.update(numbered(2, id: "p"), ifMatch: "1"))
        #expect(try await outbox.flush().ending == "failed 2 -")
        loses.value = false
        let result = try await outbox.flush()
        #expect(result.ending == "done" && result.sent.map(\.wasAlreadyApplied) == [true])
        #expect(server.resources.map(\.version) == [2] && server.numbers == [2])
        // One that somebody else has changed is refused.
        try await outbox.enqueue(.update(numbered(3, id: "p"), ifMatch: "1"))
        #expect(try await outbox.flush().ending == "refused 3")
        #expect(server.numbers == [2])
    }

    @Test func aDeletionThatIsDoneIsDone() async throws {
        let server = OutboxServerStub { request, number in request.method == .delete && number == 1 ? .answerLost : nil }
        let outbox = try outbox(server)
        try await outbox.enqueue(.update(numbered(1, id: "p")))
        try await outbox.enqueue(.delete("Patient", id: "p"))
        #expect(try await outbox.flush().ending == "failed 2 -")
        #expect(try await outbox.flush().ending == "done")
        #expect(server.resources.isEmpty)
    }

    @Test func aCancelledFlushLosesNothingAndLeavesNoLease() async throws {
        let gate = Gate(2)
        let server = OutboxServerStub()
        let waiting = StubServer { request, _ in
            await gate.pass()
            try await _Concurrency.Task.sleep(for: .seconds(60))
            return try await server.send(request)
        }
        let outbox = try outbox(waiting)
        try await outbox.enqueue(1...2)
        let flush = _Concurrency.Task { try await outbox.flush() }
        await gate.pass()
        flush.cancel()
        await #expect(throws: CancellationError.self) { _ = try await flush.value }
        #expect(try await outbox.entries().map(\.isUncertain) == [true, false])
        let other = try FireLiteSyncTests.outbox(server, store: outbox.store)
        #expect(try await other.flush().ending == "done")
        #expect(server.numbers == [1, 2])
    }

    @Test func whatRecoveryHasLostIsMadeAgain() async throws {
        let server = OutboxServerStub()
        let outbox = try outbox(server)
        try await outbox.enqueue(1...2)
        try await outbox.store.write { tx in _ = try tx.runOutbox("DELETE FROM _outbox_server") }
        #expect(try await outbox.enqueue(.create(numbered(3))) == 3)
        #expect(try await outbox.flush().ending == "done")
        #expect(server.numbers == [1, 2, 3])
    }

    // MARK: - Waiting

    @Test func retryAfterIsHonoured() async throws {
        let clock = TestClock()
        let server = OutboxServerStub { _, number in number == 0 ? .status(503, ["Retry-After": "60"]) : nil }
        let outbox = try outbox(server, clock: clock)
        try await outbox.enqueue(1...1)
        #expect(try await outbox.flush().ending == "failed 1 503")
        clock.advance(59)
        #expect(try await outbox.flush().ending == "postponed")
        #expect(try await outbox.send(.create(numbered(2))).isSent == false)
        #expect(server.requests.count == 1)
        clock.advance(2)
        #expect(try await outbox.flush().ending == "done")
        #expect(server.numbers == [1, 2])
    }

    // MARK: - Events

    @Test func eventsSayWhatHappens() async throws {
        let server = OutboxServerStub { request, number in
            number == 0 ? .down : request.text.contains("\"2\"") ? .status(422, [:]) : nil
        }
        let outbox = try outbox(server, .park)
        var events = outbox.events().makeAsyncIterator()
        try await outbox.enqueue(1...3)
        _ = try await outbox.flush()
        _ = try await outbox.flush()
        var seen: [String] = []
        while seen.count < 6, let event = await events.next() {
            switch event {
            case .sent(let receipt): seen.append("sent \(receipt.number)")
            case .refused(let number, _): seen.append("refused \(number)")
            case .failed(let number, _): seen.append("failed \(number)")
            case .flushed(let result): seen.append("flushed \(result.sent.count)")
            }
        }
        #expect(seen == ["failed 1", "flushed 0", "sent 1", "refused 2", "sent 3", "flushed 2"])
    }

    @Test func entriesFollow() async throws {
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        let outbox = try outbox(OutboxServerStub(), store: store)
        var updates = outbox.entryUpdates().makeAsyncIterator()
        #expect(try await updates.next()?.count == 0)
        try await outbox.enqueue(1...2)
        #expect(try await updates.next()?.map(\.number) == [1, 2])
        try await outbox.flush()
        var last = try await updates.next()
        while last?.isEmpty == false { last = try await updates.next() }
        #expect(last?.count == 0)
    }
}
