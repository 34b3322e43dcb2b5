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

    private static let accepted = HTTPResponse(200, body: Data(#"{"resourceType":"Bundle","type":"transaction-response"}"#.utf8))

    /// The methods and addresses of a transaction's entries.
    private func entries(_ request: HTTPRequest) throws -> [String] {
        let bundle = try FireLiteR4.Bundle(json: request.body ?? Data())
        #expect(bundle.type == .transaction)
        return bundle.entry.map { "\($0.request?.method?.rawValue ?? "") \($0.request?.url ?? "")" }
    }

    @Test func newSamplesAreCreatedOnCondition() async throws {
        let server = StubTransport { _, _ in Self.accepted }
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
        let server = StubTransport { _, _ in Self.accepted }
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
        let server = StubTransport { _, _ in Self.accepted }
        let engine = try engine(server, .ownIDs)
        try await engine.run()
        let entries = try entries(server.requests[0])
        #expect(entries.count == 3)
        #expect(entries[0].hasPrefix("PUT Device/"))
        #expect(entries[1] == "PUT Observation/00000000-0000-4000-8000-000000000001")
    }

    @Test func whatCannotBeSentWaits() async throws {
        let server = StubTransport { _, number in
            // A run sends after each batch and at its end.
            if number < 2 { throw HTTPTransportError(.cannotConnect, "no network") }
            return Self.accepted
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
        let server = StubTransport { _, _ in Self.accepted }
        #expect(try await engine(server, delegate: Veto()).run().added == 24)
        #expect(try entries(server.requests[0]).count { $0 == "POST Observation" } == 24)
    }

    @Test func storedSamplesAreSentOn() async throws {
        try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run()
        let server = StubTransport { _, _ in Self.accepted }
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
        #expect(server.requests.count == 2)
    }
}
