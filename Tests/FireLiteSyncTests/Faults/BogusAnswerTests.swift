import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Answers that are successes or refusals by their status alone, and come from something else than the server.
@Suite struct BogusAnswerTests {
    private let server = ModelServer()
    private static let bogus: [FaultyNetwork.Fault] = [
        .portal, .emptySuccess, .accepted, .wrongResource, .gatewayNotFound, .gatewayGone, .badGateway,
    ]

    private func device(
        _ network: FaultyNetwork, _ change: (inout Synchronizer.Configuration) -> Void = { _ in }
    ) throws -> Device {
        try Device(network) {
            $0.maximumInterruptions = 0
            $0.grouping = .single
            change(&$0)
        }
    }

    // MARK: - Sync

    /// What a gateway refuses, without an OperationOutcome, is sent again by later pushes, however often; what the server refuses waits for an edit.
    @Test(arguments: [400, 402, 403, 405, 407, 408, 413, 418, 421, 425, 431, 451], [true, false])
    func onlyTheServerRefuses(status: Int, isServer: Bool) async throws {
        let server = server
        let outcome = Data(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"processing"}]}"#.utf8)
        let network = StubServer { request, _ in
            if request.method == .get || request.url.path.hasSuffix("/b") { return try await server.send(request) }
            return isServer
                ? HTTPResponse(status, fields: ["Content-Type": "application/fhir+json"], body: outcome)
                : HTTPResponse(status, fields: ["Content-Type": "text/html"], body: Data("<html></html>".utf8))
        }
        let device = try Device(network, scope: .types("Patient")) {
            $0.maximumInterruptions = 0
            $0.grouping = .single
        }
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        for _ in 0..<7 { do { try await device.sync() } catch is FHIRClientError {} }
        // 407 ends a run: no request gets past such a proxy.
        let waiting = try await device.synchronizer.changes()
        let client = try FHIRClient(base: testBase, release: .r4, transport: server)
        let later = Synchronizer(device.store, client, scope: .types("Patient"))
        try await later.sync()
        guard isServer, status != 408, status != 425 else {
            #expect(waiting.allSatisfy { $0.state == .pending } && waiting.first?.id == "a", "\(waiting)")
            #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/b"])
            return #expect(try await later.changes().isEmpty)
        }
        #expect(waiting.first?.state == .parked && waiting.first?.status == status, "\(waiting)")
        #expect(server.contents.keys.sorted() == ["Patient/b"])
        try await later.retry("Patient", id: "a")
        try await later.sync()
        #expect(server.contents.count == 2)
    }

    /// A server whose CapabilityStatement cannot be had at the moment is not one without types.
    @Test(arguments: [408, 425, 429, 503]) func aBusyServerIsNotOneWithoutTypes(status: Int) async throws {
        let server = server
        let network = StubServer { request, _ in
            request.url.path.hasSuffix("/metadata") ? HTTPResponse(status) : try await server.send(request)
        }
        let device = try Device(network, scope: .everything)
        let error = await #expect(throws: FHIRClientError.self) { try await device.sync() }
        #expect(error?.status == status)
    }

    /// A page that answers 200 to a create has created nothing.
    @Test(arguments: bogus, [Synchronizer.Configuration.NewIDs.client, .server])
    func nothingCountsAsSentThatTheServerDoesNotHave(fault: FaultyNetwork.Fault, newIDs: Synchronizer.Configuration.NewIDs) async throws {
        let network = FaultyNetwork(server) { $0.method == .get ? nil : fault }
        let device = try device(network) { $0.newIDs = newIDs }
        try device.edit { try $0.upsert(samplePatient("a")) }
        do { try await device.sync() } catch is FHIRClientError {}
        #expect(server.contents.isEmpty)
        #expect(try await device.synchronizer.changes().map(\.id) == ["a"])
        #expect(try await device.synchronizer.lastResult()?.created == 0)
        network.fault = { _ in nil }
        try await device.synchronizer.retry("Patient", id: "a")
        try await device.sync()
        #expect(server.contents.count == 1 && server.history.values.allSatisfy { $0.count == 1 })
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Neither has one that answers to a change or a deletion done anything.
    @Test(arguments: bogus) func changesAndDeletionsWaitUntilTheServerHasThem(fault: FaultyNetwork.Fault) async throws {
        let network = FaultyNetwork(server)
        let device = try device(network)
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        try await device.sync()
        try device.edit { tx in
            try tx.upsert(samplePatient("a", "Two"))
            _ = try tx.delete(Patient.self, id: "b")
        }
        network.fault = { $0.method == .get ? nil : fault }
        for _ in 0..<3 { do { try await device.sync(.push) } catch is FHIRClientError {} }
        #expect(server.contents.count == 2 && server.contents["Patient/a"]?.contains("Smith") == true)
        #expect(try device.patient("a")?.name.first?.family == "Two")
        #expect(try device.patient("b") == nil)
        network.fault = { _ in nil }
        for id in ["a", "b"] { try await device.synchronizer.retry("Patient", id: id) }
        try await device.sync()
        #expect(server.contents.keys.sorted() == ["Patient/a"] && server.contents["Patient/a"]?.contains("Two") == true)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// What the server has done counts, whatever answers in its place.
    @Test(arguments: [FaultyNetwork.Fault.portalAfterwards, .answerLost])
    func whatTheServerHasDoneIsFoundThere(fault: FaultyNetwork.Fault) async throws {
        let network = FaultyNetwork(server) { $0.method == .get ? nil : fault }
        let device = try device(network) { $0.maximumInterruptions = 3 }
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync()
        #expect(server.version("Patient", "a") == 1)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// An answer without a resource is read back, and a DELETE's 204 counts as it is.
    @Test func answersWithoutAResourceAreReadBack() async throws {
        server.behavior.returnsNothing = true
        let device = try device(FaultyNetwork(server))
        try device.edit { try $0.upsert(samplePatient("a")) }
        server.clear()
        #expect(try await device.sync(.push).created == 1)
        #expect(server.requests.last?.method == .get && server.requests.last?.url.path == "/base/Patient/a")
        try device.edit { _ = try $0.delete(Patient.self, id: "a") }
        server.clear()
        #expect(try await device.sync(.push).deleted == 1)
        #expect(server.requests.map(\.method) == [.delete])
    }

    /// A gateway's 404 or 410, and an empty history, do not delete what is here, whatever is decided about conflicts.
    @Test(arguments: [FaultyNetwork.Fault.gatewayNotFound, .gatewayGone])
    func onlyTheServerSaysThatSomethingWasDeleted(fault: FaultyNetwork.Fault) async throws {
        let network = FaultyNetwork(server)
        let device = try device(network) { $0.conflicts = .server }
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Edited")) }
        network.fault = { _ in fault }
        for _ in 0..<4 { await #expect(throws: FHIRClientError.self) { try await device.sync(.push) } }
        #expect(try device.patient("a")?.name.first?.family == "Edited")
        #expect(try await device.synchronizer.changes(.pending).count == 1)
        // The history alone has nothing.
        network.fault = { $0.url.path.hasSuffix("_history") ? .emptySuccess : $0.method == .get ? nil : .answerLost }
        do { try await device.sync(.push) } catch is FHIRClientError {}
        #expect(try device.patient("a")?.name.first?.family == "Edited")
        network.fault = { _ in nil }
        try await device.sync()
        #expect(server.contents["Patient/a"]?.contains("Edited") == true)
        // The server itself says it.
        server.remove("Patient", "a")
        try await device.sync()
        #expect(try device.contents().isEmpty)
    }

    /// An answer to a Bundle is about its entries, or about nothing.
    @Test func anAnswerAboutOtherResourcesIsNone() async throws {
        let server = server
        let isFirst = Switch(true)
        let transport = StubServer { request, _ in
            guard request.method == .post, isFirst.value else { return try await server.send(request) }
            isFirst.value = false
            let entry = #"{"response":{"status":"201","location":"Patient/other/_history/1","etag":"W/\"1\""}}"#
            return .json(#"{"resourceType":"Bundle","type":"transaction-response","entry":[\#(entry),\#(entry)]}"#)
        }
        let device = try Device(transport)
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        #expect(try await device.sync(.push).created == 2)
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/b"])
    }

    // MARK: - Client and outbox

    /// The client takes no page for a success.
    @Test(arguments: [FaultyNetwork.Fault.portal, .accepted, .wrongResource]) func theClientTakesNoPageForASuccess(
        fault: FaultyNetwork.Fault
    ) async throws {
        let client = try testClient(StubServer { request, _ in try await FaultyNetwork.answer(fault, request) { HTTPResponse(500) } })
        let patient = samplePatient("a")
        let calls: [(FHIRClient) async throws -> Void] = [
            { _ = try await $0.create(patient) }, { _ = try await $0.update(patient) },
            { _ = try await $0.patch(Patient.self, id: "a", json: Data("[]".utf8)) },
        ]
        for call in calls {
            let error = await #expect(throws: FHIRClientError.self) { try await call(client) }
            #expect(error?.code == .invalidResponse)
        }
        guard fault != .wrongResource else { return }
        await #expect(throws: FHIRClientError.self) { try await client.delete(Patient.self, id: "a") }
    }

    /// An OperationOutcome that cannot be read, or that has no issue, may say that a deletion or an operation has failed.
    @Test(arguments: [
        #"{"resourceType":"OperationOutcome","issue":[{"severity":7}]}"#, #"{"resourceType":"OperationOutcome","issue":{}}"#,
        #"{"resourceType":"OperationOutcome"}"#,
    ])
    func anOutcomeThatCannotBeReadIsNoSuccess(outcome: String) async throws {
        let isThere = Switch(true)
        let server = StubServer { request, _ in
            if request.method != .get { return .json(outcome) }
            return isThere.value
                ? .json(#"{"resourceType":"Patient","id":"a"}"#)
                : .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"deleted"}]}"#, 410)
        }
        let client = try testClient(server) { $0.retry = .never }
        let error = await #expect(throws: FHIRClientError.self) { try await client.delete(Patient.self, id: "a") }
        #expect(error?.code == .invalidResponse)
        let request = FHIRRequest(.post, "Patient/a/$process")
        await #expect(throws: FHIRClientError.self) { _ = try await client.confirmed(request) }
        // What the server shows counts.
        isThere.value = false
        try await client.delete(Patient.self, id: "a")
        #expect(server.requests.map(\.method) == [.delete, .get, .post, .delete, .get])
    }

    /// An outbox keeps its entries until the server has them.
    @Test(arguments: bogus) func anOutboxKeepsWhatTheServerDoesNotHave(fault: FaultyNetwork.Fault) async throws {
        let real = OutboxServerStub()
        let isFaulty = Switch(false)
        let transport = StubServer { request, _ in
            guard isFaulty.value, request.method != .get else { return try await real.send(request) }
            return try await FaultyNetwork.answer(fault, request) { HTTPResponse(500) }
        }
        let outbox = try outbox(transport)
        try await outbox.enqueue(.update(numbered(9, id: "old")))
        #expect(try await outbox.flush().ending == "done")
        isFaulty.value = true
        try await outbox.enqueue(1...1)
        try await outbox.enqueue(.update(numbered(2, id: "p")))
        try await outbox.enqueue(.delete("Patient", id: "old"))
        for _ in 0..<3 {
            let result = try await outbox.flush()
            #expect(result.sent.isEmpty && result.refused.isEmpty)
        }
        #expect(try await outbox.entries().count == 3 && real.numbers == [9])
        isFaulty.value = false
        #expect(try await outbox.flush().ending == "done")
        #expect(real.numbers == [1, 2])
    }

    /// Servers that return nothing are asked what they have.
    @Test func anOutboxReadsBackWhatIsNotReturned() async throws {
        server.behavior.returnsNothing = true
        let outbox = try outbox(server)
        try await outbox.enqueue(.update(numbered(1, id: "p")))
        try await outbox.enqueue(.create(numbered(2)))
        try await outbox.enqueue(.delete("Patient", id: "p"))
        let result = try await outbox.flush()
        #expect(result.ending == "done" && result.sent.map(\.status) == [201, 201, 204] && result.sent[1].resourceID == "server-1")
        #expect(server.contents.count == 1)
    }

    // MARK: - Addresses

    /// Ids that would lead to another address are refused wherever an address is made: `DELETE Patient/.` would delete a type.
    @Test(arguments: [".", "..", "%2e", "%2E%2e", "", "a/../..", "a?x", "a#x"]) func idsThatLeadElsewhereAreRefused(id: String) async throws
    {
        let server = StubServer { _, _ in HTTPResponse(204) }
        let client = try testClient(server)
        let request = FHIRRequest(.delete, "Patient/\(id)")
        await #expect(throws: FHIRClientError.self) { _ = try await client.send(request) }
        await #expect(throws: FHIRClientError.self) { _ = try await client.submit([FHIRBundleEntry(request)], as: .batch) }
        await #expect(throws: FHIRClientError.self) { try await client.delete(Patient.self, id: id) }
        let outbox = try outbox(server)
        await #expect(throws: OutboxError.self) { _ = try await outbox.enqueue(request) }
        #expect(server.requests.isEmpty)
    }

    /// A sync parks what has such an id, and sends the rest.
    @Test(arguments: [".", ".."]) func aResourceWithSuchAnIDIsParked(id: String) async throws {
        server.put(samplePatient(id))
        let device = try Device(server) { $0.grouping = .single }
        #expect(try await device.sync().pulled == 1)
        try device.edit { tx in
            _ = try tx.delete(Patient.self, id: id)
            try tx.upsert(samplePatient("b"))
        }
        server.clear()
        let result = try await device.sync()
        #expect(result.parked == 1 && result.created == 1 && server.writes.map(\.url.lastPathComponent) == ["b"])
        let parked = try #require(try await device.synchronizer.changes(.parked).first)
        #expect(parked.id == id && parked.issues.first?.diagnostics?.contains("address") == true)
    }
}
