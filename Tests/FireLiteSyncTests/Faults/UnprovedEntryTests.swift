import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Answers to batches and transactions that say that entries were done, without showing it.
@Suite struct UnprovedEntryTests {
    private let server = ModelServer()
    private let isLying = Switch(true)
    private static let refusal = #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"processing"}]}"#

    /// A server that does nothing with Bundles as long as it lies, and answers with these entries.
    private func transport(_ entry: @escaping @Sendable (_ number: Int, _ entry: BundleEntry) -> String) -> StubServer {
        let (server, isLying) = (server, isLying)
        return StubServer { request, _ in
            guard isLying.value, request.method == .post else { return try await server.send(request) }
            let bundle = try FireLiteR4.Bundle(json: request.body ?? Data())
            let entries = bundle.entry.enumerated().map { entry($0, $1) }.joined(separator: ",")
            return .json(#"{"resourceType":"Bundle","type":"\#(bundle.text("type") ?? "")-response","entry":[\#(entries)]}"#)
        }
    }

    // MARK: - Sync

    /// What is added to each bare status.
    enum Statement: String, CaseIterable, Sendable { case nothing, version, location, otherVersion, oneLocation }

    private static func bare(_ statement: Statement, _ entry: BundleEntry) -> String {
        let status = entry.request?.method == .delete ? 204 : 200
        let place = entry.text("fullUrl") ?? entry.request?.text("url") ?? ""
        let rest =
            switch statement {
            case .nothing: ""
            case .version: #","etag":"W/\"7\""#
            case .location: #","location":"\#(place)""#
            case .otherVersion: #","etag":"W/\"7\"","location":"\#(place)/_history/8""#
            case .oneLocation: #","location":"Patient/d/_history/1""#
            }
        return #"{"response":{"status":"\#(status)"\#(rest)}}"#
    }

    /// A status, a version or an address without one do not show that anything was done: the server is asked, and what it does not show waits.
    @Test(arguments: [Synchronizer.Configuration.Grouping.transactions, .batches], Statement.allCases)
    func whatTheServerDoesNotShowWaits(grouping: Synchronizer.Configuration.Grouping, statement: Statement) async throws {
        for id in ["a", "b", "c", "d"] { server.put(samplePatient(id)) }
        let device = try Device(transport { Self.bare(statement, $1) }, scope: .types("Patient")) {
            $0.grouping = grouping
            $0.maximumInterruptions = 0
        }
        try await device.sync()
        try device.edit { tx in
            for id in ["a", "e"] { try tx.upsert(samplePatient(id, "Two")) }
            for id in ["b", "c"] { _ = try tx.delete(Patient.self, id: id) }
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(try await device.synchronizer.changes().map(\.id).sorted() == ["a", "b", "c", "e"])
        #expect(server.history.values.map(\.count) == [1, 1, 1, 1])
        isLying.value = false
        for _ in 0..<2 { try await device.sync() }
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/d", "Patient/e"])
        #expect(server.contents["Patient/a"]?.contains("Two") == true)
        #expect(try device.contents() == server.contents)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// If something in a transaction has failed, what the others return shows nothing.
    @Test func aTransactionOfWhichAPartFailedIsReadBack() async throws {
        let transport = transport { number, entry in
            guard number > 0 else { return #"{"response":{"status":"200","outcome":\#(Self.refusal)}}"# }
            return #"{"resource":\#(entry.resource.map { FHIRJSON.string($0) } ?? "{}"),"response":{"status":"201"}}"#
        }
        let device = try Device(transport, scope: .types("Patient")) {
            $0.grouping = .transactions
            $0.maximumInterruptions = 0
        }
        try device.edit { tx in for id in ["a", "b", "c"] { try tx.upsert(samplePatient(id)) } }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(try await device.synchronizer.changes().map(\.id).sorted() == ["a", "b", "c"])
        isLying.value = false
        try await device.sync()
        #expect(server.contents.count == 3)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// An update that only takes something out is not shown by the state before it, which has all that was sent.
    @Test func whatWasTakenOutMustBeGone() async throws {
        let both = Patient {
            $0.id = "a"
            $0.active = true
            $0.name = [HumanName { $0.family = "Smith" }]
        }
        server.put(both)
        server.put(samplePatient("b"))
        let device = try Device(transport { Self.bare(.nothing, $1) }, scope: .types("Patient")) { $0.maximumInterruptions = 0 }
        try await device.sync()
        try device.edit { tx in
            try tx.resource(Patient.self, id: "a")?.active = nil
            try tx.upsert(samplePatient("b", "Two"))
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(try await device.synchronizer.changes().map(\.id).sorted() == ["a", "b"])
    }

    /// The number of searches and reads of patients by which a push finds out what was done.
    private func reads(_ body: () async throws -> Void) async rethrows -> Int {
        server.clear()
        try await body()
        return server.requests.count { $0.method == .get && $0.url.path.hasPrefix("/base/Patient") }
    }

    /// Entries with the addresses of their versions need not be read back; others are, fifty at a time.
    @Test(arguments: [true, false]) func entriesAreReadBackTogether(statesAddresses: Bool) async throws {
        isLying.value = false
        let server = server
        server.behavior.returnsNothing = true
        let transport = StubServer { request, _ in
            var answer = try await server.send(request)
            if request.method == .post, !statesAddresses {
                answer.body = Data(String(decoding: answer.body, as: UTF8.self).replacing(/,"location":"[^"]*"/, with: "").utf8)
            }
            return answer
        }
        let device = try Device(transport, scope: .types("Patient")) { $0.grouping = .transactions }
        let ids = (0..<120).map { "p\($0)" }
        try device.edit { tx in for id in ids { try tx.upsert(samplePatient(id)) } }
        var result = SyncResult(startedAt: Date())
        let creating = try await reads { result = try await device.sync(.push) }
        #expect(result.created == 120 && creating == (statesAddresses ? 0 : 3))
        try device.edit { tx in for id in ids { _ = try tx.delete(Patient.self, id: id) } }
        let deleting = try await reads { result = try await device.sync(.push) }
        #expect(result.deleted == 120 && deleting == 3)
        #expect(try await device.synchronizer.changes().isEmpty && server.contents.isEmpty)
    }

    // MARK: - Outbox

    /// How a server lies about creates.
    enum Lie: String, CaseIterable, Sendable {
        case status, noContent, otherType, otherHost, oneLocation, othersLocations, otherResource, othersResources
    }

    private static func entry(_ lie: Lie, _ number: Int) -> String {
        let other = #""resource":{"resourceType":"Patient","id":"\#(number)","meta":{"versionId":"1"}}"#
        return switch lie {
        case .status: #"{"response":{"status":"201"}}"#
        case .noContent: #"{"response":{"status":"204"}}"#
        case .otherType: #"{"response":{"status":"201","location":"Basic/\#(number)/_history/1"}}"#
        case .otherHost: #"{"response":{"status":"201","location":"https://other.example/fhir/Patient/\#(number)/_history/1"}}"#
        case .oneLocation: #"{"response":{"status":"201","location":"Patient/1/_history/1"}}"#
        case .othersLocations: #"{"response":{"status":"201","location":"Patient/\#(number)"}}"#
        case .otherResource: #"{"resource":{"resourceType":"Basic","id":"1"},"response":{"status":"201"}}"#
        case .othersResources: #"{\#(other),"response":{"status":"201","location":"Patient/\#(number)"}}"#
        }
    }

    /// An outbox keeps a transaction until the server shows each resource that it creates, and creates none twice.
    @Test(arguments: Lie.allCases) func anOutboxKeepsCreatesThatTheServerDoesNotShow(lie: Lie) async throws {
        for number in 0..<60 { server.put(samplePatient("\(number)", "Other")) }
        let outbox = try outbox(transport { number, _ in Self.entry(lie, number) })
        let creates = (0..<60).map { number in
            let tag = #"{"system":"urn:ietf:rfc:3986","code":"urn:uuid:\#(number)-tag"}"#
            let patient = #"{"resourceType":"Patient","meta":{"tag":[\#(tag)]},"name":[{"family":"\#(number)"}]}"#
            let condition = FHIRParameters([.init(name: "_tag", value: "urn:ietf:rfc:3986|urn:uuid:\(number)-tag")]).query
            return #"{"resource":\#(patient),"request":{"method":"POST","url":"Patient","ifNoneExist":"\#(condition)"}}"#
        }
        let text = #"{"resourceType":"Bundle","type":"transaction","entry":[\#(creates.joined(separator: ","))]}"#
        let request = FHIRRequest(.post, "", fields: FHIRRequest.contentFields(.r4), body: Data(text.utf8))
        _ = try await outbox.store.write { tx in try tx.enqueue(request, for: testBase, marksCreates: false) }
        #expect(try await outbox.flush().sent.isEmpty)
        #expect(try await outbox.entries().map(\.state) == [.waiting] && server.contents.count == 60)
        isLying.value = false
        for _ in 0..<2 { #expect(try await outbox.flush().ending == "done") }
        #expect(try await outbox.entries().isEmpty)
        #expect(server.contents.count == 120 && server.history.values.allSatisfy { $0.count == 1 })
    }

    /// A create whose address is not known is found by its condition.
    @Test func createsAreFoundByTheirConditions() async throws {
        let server = server
        let transport = StubServer { request, _ in
            var answer = try await server.send(request)
            guard request.method == .post else { return answer }
            var text = String(decoding: answer.body, as: UTF8.self)
            text.replace(/,"location":"[^"]*"/, with: "")
            text.replace(/,"etag":"W[^}]*"/, with: "")
            answer.body = Data(text.utf8)
            return answer
        }
        server.behavior.returnsNothing = true
        let device = try Device(transport, scope: .types("Patient")) { $0.newIDs = .server }
        try device.edit { tx in for id in ["a", "b", "c"] { try tx.upsert(samplePatient(id, id)) } }
        #expect(try await device.sync(.push).created == 3)
        #expect(try await device.synchronizer.changes().isEmpty)
        #expect(server.contents.keys.sorted() == ["Patient/server-1", "Patient/server-2", "Patient/server-3"])
        for (id, family) in [("server-1", "a"), ("server-2", "b"), ("server-3", "c")] {
            #expect(try device.patient(id)?.name.first?.family == family)
        }
    }
}
