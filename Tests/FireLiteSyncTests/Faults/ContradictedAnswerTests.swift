import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Answers with the status of a success whose content says otherwise, and refusals that the server has not given.
@Suite struct ContradictedAnswerTests {
    private let server = ModelServer()
    private let isLying = Switch(true)
    private static let refusal = #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"processing"}]}"#

    /// A server of which some answers are replaced as long as it lies.
    private func transport(_ lie: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse?) -> StubServer {
        let (server, isLying) = (server, isLying)
        return StubServer { request, _ in
            if isLying.value, let answer = try await lie(request) { return answer }
            return try await server.send(request)
        }
    }

    private func device(_ transport: StubServer, _ grouping: Synchronizer.Configuration.Grouping) throws -> Device {
        try Device(transport, scope: .types("Patient")) {
            $0.grouping = grouping
            $0.maximumInterruptions = 0
        }
    }

    // MARK: - Sync

    /// An entry of a Bundle that says that it failed is not done, whatever its status is.
    @Test(arguments: [
        #"{"response":{"status":"200","outcome":\#(refusal)}}"#, #"{"resource":\#(refusal),"response":{"status":"200"}}"#,
        #"{"response":{"status":"2000"}}"#,
    ])
    func entriesThatSayThatTheyFailedWait(entry: String) async throws {
        let transport = transport { request in
            guard request.method == .post else { return nil }
            return .json(#"{"resourceType":"Bundle","type":"transaction-response","entry":[\#(entry),\#(entry)]}"#)
        }
        let device = try device(transport, .transactions)
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(server.contents.isEmpty)
        #expect(try await device.synchronizer.changes().map(\.id).sorted() == ["a", "b"])
        isLying.value = false
        try await device.sync()
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/b"])
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// What a deletion is answered with is not deleted.
    @Test(arguments: [#"{"resourceType":"Patient","id":"other"}"#, #"{"resourceType":"Patient","id":"a"}"#])
    func aResourceInTheAnswerIsNoDeletion(answer: String) async throws {
        let device = try device(transport { $0.method == .delete ? .json(answer) : nil }, .single)
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync()
        try device.edit { _ = try $0.delete(Patient.self, id: "a") }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(server.contents.count == 1)
        #expect(try await device.synchronizer.changes().map(\.id) == ["a"])
        isLying.value = false
        try await device.synchronizer.retry("Patient", id: "a")
        try await device.sync()
        #expect(server.contents.isEmpty)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// An update is not done if the server shows what was there before, in the answer and when it is read.
    @Test func whatWasThereBeforeIsNoUpdate() async throws {
        let server = server
        let transport = transport { request in
            guard request.method == .put, request.text.contains("Two") else { return nil }
            var read = request
            (read.method, read.body) = (.get, nil)
            return try await server.send(read)
        }
        let device = try device(transport, .single)
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Two")) }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(try device.patient("a")?.name.first?.family == "Two")
        #expect(try await device.synchronizer.changes().map(\.id) == ["a"])
        isLying.value = false
        try await device.synchronizer.retry("Patient", id: "a")
        try await device.sync()
        #expect(server.contents["Patient/a"]?.contains("Two") == true)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// A server may change what it stores: a new version shows that the update was done. What was sent stays, as a conflict.
    @Test func aNewVersionIsAnUpdateWhateverItHas() async throws {
        let server = server
        let transport = transport { request in
            guard request.method == .put else { return nil }
            var answer = try await server.send(request)
            answer.body = Data(String(decoding: answer.body, as: UTF8.self).replacingOccurrences(of: "Two", with: "TWO").utf8)
            return answer
        }
        let device = try device(transport, .single)
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Two")) }
        #expect(try await device.sync(.push).updated == 1)
        #expect(try await device.synchronizer.changes().map { "\($0.id) \($0.state)" } == ["a conflict"])
        #expect(try server.version("Patient", "a") == 2 && device.patient("a")?.name.first?.family == "Two")
    }

    /// A Bundle without the type of a page is no empty page, and the pull goes on where it was.
    @Test(
        arguments: [
            #"{"resourceType":"Bundle"}"#, #"{"resourceType":"Bundle","type":"collection"}"#,
            #"{"resourceType":"Bundle","type":"batch-response","entry":[]}"#,
        ], [false, true])
    func aBundleOfAnotherTypeIsNoPage(answer: String, isHistory: Bool) async throws {
        isLying.value = false
        server.put(samplePatient("a"))
        let transport = transport { request in
            request.url.path.contains("/Patient") && request.url.path.hasSuffix("_history") == isHistory ? .json(answer) : nil
        }
        let device = try device(transport, .single)
        #expect(try await device.sync().pulled == 1)
        server.put(samplePatient("b"))
        server.remove("Patient", "a")
        isLying.value = true
        let error = await #expect(throws: FHIRClientError.self) { try await device.sync(.pull) }
        #expect(error?.code == .invalidResponse)
        isLying.value = false
        try await device.sync()
        #expect(try device.contents() == server.contents && server.contents.keys.sorted() == ["Patient/b"])
    }

    // MARK: - Client and outbox

    /// What a deletion returns is read back: only a server that says that it is absent has deleted it.
    @Test(arguments: [true, false]) func anAnswerToADeletionIsReadBack(isGone: Bool) async throws {
        let patient = #"{"resourceType":"Patient","id":"a"}"#
        let stub = StubServer { request, _ in request.method == .get && isGone ? .json(Self.refusal, 410) : .json(patient) }
        let client = try testClient(stub)
        var error: FHIRClientError?
        do { try await client.delete(Patient.self, id: "a") } catch let caught as FHIRClientError { error = caught }
        #expect(error?.code == (isGone ? nil : .invalidResponse))
        #expect(stub.requests.map(\.method) == [.delete, .get])
    }

    /// An outbox keeps an update that is answered with what was there before.
    @Test(arguments: [nil, "1"] as [String?]) func anOutboxKeepsAnUpdateThatTheServerDoesNotShow(version: String?) async throws {
        let (real, isLying) = (OutboxServerStub(), isLying)
        isLying.value = false
        let earlier = #"{"resourceType":"Patient","id":"p","name":[{"family":"1"}]}"#
        let outbox = try outbox(
            StubServer { request, _ in
                guard isLying.value, request.method == .put else { return try await real.send(request) }
                return .json(earlier, 200, ["ETag": "W/\"1\""])
            })
        try await outbox.enqueue(.update(numbered(1, id: "p")))
        #expect(try await outbox.flush().ending == "done")
        isLying.value = true
        try await outbox.enqueue(.update(numbered(2, id: "p"), ifMatch: version))
        let result = try await outbox.flush()
        #expect(result.sent.isEmpty && result.refused.isEmpty && real.numbers == [1])
        isLying.value = false
        #expect(try await outbox.flush().ending == "done")
        #expect(real.numbers == [2])
    }

    /// A version that the server states is no proof of an update that names no earlier one: what it shows must be what was sent.
    @Test(arguments: [true, false]) func aVersionAloneIsNoProofOfAnUpdateWithoutACondition(showsIt: Bool) async throws {
        let (real, isLying) = (OutboxServerStub(), isLying)
        let family = showsIt ? "1" : "2"
        let shown = #"{"resourceType":"Patient","id":"p","meta":{"versionId":"7"},"active":true,"name":[{"family":"\#(family)"}]}"#
        let outbox = try outbox(
            StubServer { request, _ in
                guard isLying.value else { return try await real.send(request) }
                let tag: HTTPFields = ["ETag": "W/\"7\""]
                return request.method == .put ? HTTPResponse(200, fields: tag) : .json(shown, 200, tag)
            })
        try await outbox.enqueue(.update(numbered(1, id: "p")))
        let result = try await outbox.flush()
        #expect(result.sent.count == (showsIt ? 1 : 0) && result.refused.isEmpty)
        isLying.value = false
        #expect(try await outbox.flush().ending == "done")
        #expect(real.numbers.count == (showsIt ? 0 : 1))
    }

    /// Nor is an entry of a Bundle done that is answered with another content than was sent.
    @Test func anEntryWithAnotherContentWaits() async throws {
        let entries = ["a", "b"].map { id in
            let resource = #"{"resourceType":"Patient","id":"\#(id)","meta":{"versionId":"1"},"name":[{"family":"Other"}]}"#
            return #"{"resource":\#(resource),"response":{"status":"200","etag":"W/\"1\""}}"#
        }
        let answer = #"{"resourceType":"Bundle","type":"transaction-response","entry":[\#(entries.joined(separator: ","))]}"#
        let device = try device(transport { $0.method == .post ? .json(answer) : nil }, .transactions)
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(try await device.synchronizer.changes().map(\.id).sorted() == ["a", "b"])
        isLying.value = false
        try await device.sync()
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/b"] && server.contents["Patient/a"]?.contains("Smith") == true)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// 409 and 412 with a web page are not the server's: the request is sent again.
    @Test(arguments: [409, 412]) func aWebPageRefusesNothing(status: Int) async throws {
        let (real, isLying) = (OutboxServerStub(), isLying)
        let outbox = try outbox(
            StubServer { request, _ in
                guard isLying.value else { return try await real.send(request) }
                return HTTPResponse(status, fields: ["Content-Type": "text/html"], body: Data("<html></html>".utf8))
            }, .park)
        try await outbox.enqueue(1...1)
        let result = try await outbox.flush()
        #expect(result.sent.isEmpty && result.refused.isEmpty)
        #expect(try await outbox.entries().map(\.state) == [.waiting])
        isLying.value = false
        #expect(try await outbox.flush().ending == "done")
        #expect(real.numbers == [1])
    }

    /// A batch is sent if each entry is done, refused if the server says why it does not do some, and waits otherwise.
    @Test(
        arguments: [
            ([#"{"response":{"status":"204"}}"#, #"{"response":{"status":"200"}}"#], nil),
            ([#"{"response":{"status":"204"}}"#, #"{"response":{"status":"409","outcome":\#(refusal)}}"#], .refused),
            ([#"{"response":{"status":"204"}}"#, #"{"response":{"status":"404"}}"#], .waiting),
            ([#"{"response":{"status":"204"}}"#, #"{"response":{"status":"201"}}"#], .waiting),
            ([#"{"response":{"status":"204"}}"#], .waiting),
            ([#"{"response":{"status":"204"}}"#, #"{"resource":{"resourceType":"Basic"},"response":{"status":"200"}}"#], .waiting),
        ] as [([String], OutboxEntry.State?)])
    func aBatchIsSentIfEachEntryIsDone(entries: [String], state: OutboxEntry.State?) async throws {
        let answer = #"{"resourceType":"Bundle","type":"batch-response","entry":[\#(entries.joined(separator: ","))]}"#
        let none = #"{"resourceType":"Bundle","type":"searchset","total":0}"#
        let outbox = try outbox(StubServer { request, _ in .json(request.method == .get ? none : answer) }, .park)
        let deletions = ["a", "b"].map { #"{"request":{"method":"DELETE","url":"Patient/\#($0)"}}"# }.joined(separator: ",")
        let batch = Data(#"{"resourceType":"Bundle","type":"batch","entry":[\#(deletions)]}"#.utf8)
        let request = FHIRRequest(.post, "", fields: FHIRRequest.contentFields(.r4), body: batch)
        _ = try await outbox.store.write { tx in try tx.enqueue(request, for: testBase, marksCreates: false) }
        _ = try await outbox.flush()
        #expect(try await outbox.entries().map(\.state) == [state].compactMap { $0 })
    }
}
