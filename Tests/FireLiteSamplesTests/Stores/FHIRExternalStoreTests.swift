import FireLiteR4
import FireLiteSampleSync
import FireLiteSamples
import Foundation
import Testing

@Suite(.timeLimit(.minutes(30))) struct FHIRExternalStoreTests {
    private let store: FHIRStore
    private let source = MemorySampleSource([heartRate(1), heartRate(2)])

    init() throws { store = try memoryStore() }

    private func engine(
        _ transport: StubTransport, _ style: FHIRExternalStore.Style = .conditional, delegate: (any SampleDelegate)? = nil
    ) throws -> SampleEngine {
        let base = try #require(URL(string: "https://fhir.example.org/r4"))
        let client = try FHIRClient(base: base, release: .r4, transport: transport)
        return SampleEngine(
            store: store, source: source, destinations: [FHIRExternalStore(client, style: style)], delegate: delegate)
    }

    /// The answer of a server that has done each entry of a transaction, and finds nothing that it has deleted.
    private static func accepted(_ request: HTTPRequest) throws -> HTTPResponse {
        guard request.method == .post else { return bundle("searchset", []) }
        let entries = try FireLiteR4.Bundle(json: request.body ?? Data()).entry
        var results: [String] = []
        for (number, entry) in entries.enumerated() {
            guard let resource = entry.resource else {
                results.append(#"{"response":{"status":"204"}}"#)
                continue
            }
            resource.id = resource.id ?? "server-\(number)"
            results.append(#"{"resource":\#(FHIRJSON.string(resource)),"response":{"status":"201"}}"#)
        }
        return bundle("transaction-response", results)
    }

    private static func bundle(_ type: String, _ entries: [String]) -> HTTPResponse {
        HTTPResponse(
            200, body: Data(#"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#.utf8))
    }

    private static let refusal = #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"processing"}]}"#

    /// Samples stay in the outbox until the server shows for each of them that it has done it.
    @Test(arguments: [
        HTTPResponse(200, body: Data(#"{"resourceType":"Bundle"}"#.utf8)),
        HTTPResponse(200, body: Data(#"{"resourceType":"Bundle","type":"searchset","total":0}"#.utf8)),
        HTTPResponse(200, body: Data(#"{"resourceType":"Bundle","type":"transaction-response"}"#.utf8)),
        bundle("batch-response", Array(repeating: #"{"response":{"status":"201"}}"#, count: 3)),
        bundle("transaction-response", [#"{"response":{"status":"201"}}"#]),
        bundle("transaction-response", Array(repeating: #"{"fullUrl":"urn:uuid:00000000-0000-4000-8000-000000000001"}"#, count: 3)),
        bundle("transaction-response", Array(repeating: #"{"response":{"status":"404"}}"#, count: 3)),
        bundle("transaction-response", Array(repeating: #"{"response":{"status":"201"}}"#, count: 3)),
        bundle("transaction-response", Array(repeating: #"{"response":{"status":"201","location":"Patient/1/_history/1"}}"#, count: 3)),
        bundle("transaction-response", Array(repeating: #"{"response":{"status":"2010"}}"#, count: 3)),
        bundle("transaction-response", Array(repeating: #"{"response":{"status":"201","outcome":\#(refusal)}}"#, count: 3)),
        bundle("transaction-response", Array(repeating: #"{"resource":\#(refusal),"response":{"status":"200"}}"#, count: 3)),
    ])
    func samplesStayUntilEachEntryIsDone(answer: HTTPResponse) async throws {
        let server = StubTransport { _, _ in answer }
        let engine = try engine(server)
        #expect(try await engine.run().waiting != nil)
        let entries = try await store.read { try $0.outboxEntries() }
        #expect(entries.map(\.state) == [.waiting])
    }

    /// A run sends once what the server says it has done and does not show; the next run sends it again only if a search shows that it is not there.
    @Test(arguments: [true, false]) func aRunSendsWhatIsAnsweredOnce(isSearched: Bool) async throws {
        let server = StubTransport { request, _ in
            if request.method == .post {
                return Self.bundle("transaction-response", Array(repeating: #"{"response":{"status":"201"}}"#, count: 3))
            }
            return isSearched ? Self.bundle("searchset", []) : HTTPResponse(400, body: Data(Self.refusal.utf8))
        }
        let engine = try engine(server)
        for count in [1, isSearched ? 2 : 1] {
            #expect(try await engine.run().waiting?.contains("retry 1") == true)
            #expect(server.requests.count { $0.method == .post } == count)
        }
        #expect(try await store.read { try $0.outboxEntries().map(\.state) } == [.waiting])
    }

    /// Samples are sent as transactions: a server without them is named, with what to do.
    @Test func aServerWithoutTransactionsIsNamed() async throws {
        let server = StubTransport { _, _ in HTTPResponse(400, body: Data(#"{"resourceType":"OperationOutcome","issue":[]}"#.utf8)) }
        let waiting = try #require(try await engine(server).run().waiting)
        #expect(waiting.hasPrefix("the server refused the request 1 of the outbox, a transaction: it has to accept transactions"))
        #expect(waiting.hasSuffix("`firelite push`"))
        #expect(try await store.read { try $0.outboxEntries().count } == 1)
    }

    /// A Bundle that comes back as it was sent says nothing.
    @Test func anEchoIsNoAnswer() async throws {
        let server = StubTransport { request, _ in HTTPResponse(200, body: request.body ?? Data()) }
        #expect(try await engine(server).run().waiting != nil)
        #expect(try await store.read { try $0.outboxEntries().count } == 1)
    }

    /// The methods and addresses of a transaction's entries.
    private func entries(_ request: HTTPRequest) throws -> [String] {
        let bundle = try FireLiteR4.Bundle(json: request.body ?? Data())
        #expect(bundle.type == .transaction)
        return bundle.entry.map { "\($0.request?.method?.rawValue ?? "") \($0.request?.url ?? "")" }
    }

    @Test func newSamplesAreCreatedOnCondition() async throws {
        let server = StubTransport { request, _ in try Self.accepted(request) }
        let engine = try engine(server)
        let result = try await engine.run()
        #expect((result.added, result.waiting) == (2, nil))
        #expect(server.requests.count == 1)
        #expect(try entries(server.requests[0]) == ["POST Device", "POST Observation", "POST Observation"])
        #expect(
            server.requests[0].bodyText.contains(#""ifNoneExist":"identifier=com.apple.health%7C00000000-0000-4000-8000-000000000001""#))
        #expect(server.requests[0].bodyText.contains(#""device":{"reference":"urn:uuid:"#))
        _ = try await engine.run()
        #expect(server.requests.count == 1)
    }

    @Test func deletesComeFirstOnTheWire() async throws {
        let server = StubTransport { request, _ in try Self.accepted(request) }
        let engine = try engine(server)
        try await engine.run()
        source.add([heartRate(3), heartRate(2, 61)])
        source.delete([heartRate(1)])
        try await engine.run()
        #expect(
            try entries(server.requests[1]) == [
                "DELETE Observation?identifier=com.apple.health%7C00000000-0000-4000-8000-000000000001", "POST Device", "POST Observation",
                "PUT Observation?identifier=com.apple.health%7C00000000-0000-4000-8000-000000000002",
            ])
    }

    @Test func serversThatLetClientsChooseIDsGetThem() async throws {
        let server = StubTransport { request, _ in try Self.accepted(request) }
        let engine = try engine(server, .ownIDs)
        try await engine.run()
        let entries = try entries(server.requests[0])
        #expect(entries.count == 3)
        #expect(entries[0].hasPrefix("PUT Device/"))
        #expect(entries[1] == "PUT Observation/00000000-0000-4000-8000-000000000001")
    }

    @Test func whatCannotBeSentWaits() async throws {
        let server = StubTransport { request, number in
            // A run sends after each batch and at its end.
            if number < 2 { throw HTTPTransportError(.cannotConnect, "no network") }
            return try Self.accepted(request)
        }
        let engine = try engine(server)
        #expect(try await engine.run().waiting != nil)
        #expect(try await store.read { try $0.outboxEntries().count } == 1)
        let second = try await engine.run()
        #expect((second.added, second.waiting) == (0, nil))
        #expect(server.requests.count == 3)
        #expect(server.requests[0].body == server.requests[2].body)
        #expect(try await store.read { try $0.outboxEntries().isEmpty })
    }

    @Test func aVetoOfOneSendsTheOthers() async throws {
        struct Veto: SampleDelegate {
            func shouldAdd(_ object: ExternalObject, at store: any ExternalStore) async -> SampleDecision {
                object.uuid == testUUID(3) ? .skip : .proceed
            }
        }
        source.add((3...25).map { heartRate($0) })
        let server = StubTransport { request, _ in try Self.accepted(request) }
        #expect(try await engine(server, delegate: Veto()).run().added == 24)
        #expect(try entries(server.requests[0]).count { $0 == "POST Observation" } == 24)
    }

    @Test func storedSamplesAreSentOn() async throws {
        try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run()
        let server = StubTransport { request, _ in try Self.accepted(request) }
        let base = try #require(URL(string: "https://fhir.example.org/r4"))
        let client = try FHIRClient(base: base, release: .r4, transport: server)
        let push = SampleEngine(store: store, source: StoredSamples(store), destinations: [FHIRExternalStore(client)])
        #expect(try await push.run().added == 2)
        #expect(try await push.run().read == 0)
        source.delete([heartRate(1)])
        source.add([heartRate(2, 65)])
        try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run()
        let result = try await push.run()
        #expect((result.deleted, result.updated) == (1, 1))
        #expect(server.requests.map(\.method) == [.post, .post, .get])
    }
}
