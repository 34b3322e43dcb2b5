import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Changes that were sent without an answer, and changes that became nothing before they were sent.
@Suite struct LostAnswerTests {
    private let server = ModelServer()

    private func loseAnswers() {
        server.behavior.after = { request, _ in
            if request.method != .get { throw HTTPTransportError(.connectionLost, "lost") }
        }
    }

    /// A server that overwrites whatever there is gets nothing again that it may have: it is asked first.
    @Test func whatMayHaveArrivedIsAskedForBeforeAnythingIsSent() async throws {
        server.behavior.ignoresIfNoneMatch = true
        let device = try Device(server) {
            $0.maximumInterruptions = 0
            $0.conflicts = .merge()
        }
        try device.edit { try $0.upsert(samplePatient("a", "One")) }
        loseAnswers()
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        server.behavior.after = nil
        server.put(samplePatient("a", "Other"))
        server.clear()
        let result = try await device.sync(.push)
        #expect(result.pushed == 0 && server.writes.isEmpty)
        #expect(server.contents["Patient/a"]?.contains("Other") == true)
        #expect(try device.patient("a")?.name.first?.family == "Other")
    }

    /// A change that arrives late, and that somebody else builds on before the pull sees it, is no conflict.
    @Test func aChangeThatArrivesLateIsNoConflict() async throws {
        let device = try Device(server) { $0.maximumInterruptions = 0 }
        try device.edit { try $0.upsert(samplePatient("a", "Base")) }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Local")) }
        let late = Switch<HTTPRequest?>(nil)
        server.behavior.before = { request, _ in
            guard request.method == .put else { return nil }
            late.value = request
            throw HTTPTransportError(.connectionLost, "lost")
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        let server = server
        defer { server.behavior.before = nil }
        server.behavior.before = { request, _ in
            // After the question what became of it, and before the search.
            guard request.url.absoluteString.contains("_lastUpdated"), let change = late.value else { return nil }
            late.value = nil
            #expect(server.answer(change).status == 200)
            server.put(samplePatient("a", "Other"))
            return nil
        }
        let result = try await device.sync()
        #expect(late.value == nil)
        #expect(result.deferred == 0 && result.resolved == 0 && result.pushed == 0)
        #expect(server.version("Patient", "a") == 3)
        #expect(try device.contents() == server.contents && server.contents["Patient/a"]?.contains("Other") == true)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    // MARK: - Created and deleted

    /// What was taken from the log and is deleted before it was sent does not even wait.
    @Test func aCreateThatIsDeletedBeforeItIsSentNoLongerWaits() async throws {
        let device = try Device(server)
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a")) }
        #expect(try await device.synchronizer.changes().map(\.id) == ["a"])
        try device.edit { _ = try $0.delete(Patient.self, id: "a") }
        #expect(try await device.synchronizer.changes().isEmpty)
        server.clear()
        #expect(try await device.sync(.push).pushed == 0 && server.writes.isEmpty)
    }

    /// Nobody deletes at a server what it never had: here a resource that came from another one.
    @Test func theDeletionOfWhatAnotherServerHasDoesNotWait() async throws {
        let other = ModelServer()
        other.put(samplePatient("a"))
        let device = try Device(server, scope: .nothing)
        try await device.sync()
        let client = try FHIRClient(base: address("https://other.example.org/base"), release: .r4, transport: other)
        #expect(try await Synchronizer(device.store, client, scope: .types("Patient")).pull().pulled == 1)
        #expect(try device.patient("a") != nil)
        try device.edit { _ = try $0.delete(Patient.self, id: "a") }
        #expect(try await device.synchronizer.changes().isEmpty)
        server.clear()
        #expect(try await device.sync(.push).pushed == 0 && server.writes.isEmpty)
    }

    /// A deletion that the log does not have, as it was off: what was to be created is not there, and nothing is sent.
    @Test func aCreateThatIsGoneWithoutATraceIsNotSent() async throws {
        let device = try Device(server)
        try await device.sync()
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        #expect(try await device.synchronizer.changes().count == 2)
        try device.store.blocking { store in
            try store.write(origin: .server) { tx in _ = try tx.delete(Patient.self, id: "a") }
        }
        server.clear()
        let result = try await device.sync(.push)
        #expect(result.created == 1 && result.pushed == 1)
        #expect(server.contents.keys.sorted() == ["Patient/b"] && server.history.count == 1)
        #expect(try await device.synchronizer.changes().isEmpty)
    }
}
