import FireLiteR4
import FireLiteSync
import Foundation

/// A patient whose family name is a number, to be recognized at the server.
func numbered(_ number: Int, id: String? = nil) -> Patient {
    Patient {
        $0.id = id
        $0.name = [HumanName { $0.family = "\(number)" }]
    }
}

func outbox(
    _ server: any HTTPTransport, store: FHIRStore? = nil, _ refusals: OutboxRefusals = .stop, clock: TestClock = TestClock(),
    envelopes: EnvelopePolicy? = nil
) throws -> Outbox {
    var configuration = FHIRClient.Configuration()
    configuration.clock = clock.clock
    let client = try FHIRClient(base: testBase, release: .r4, configuration: configuration, transport: server)
    return try Outbox(
        store: store ?? FHIRStore(path: ":memory:", release: .r4), client: client, refusals: refusals, envelopes: envelopes)
}

/// The answer of a server that creates what it gets; empty from one that gets it sealed.
func created(_ request: HTTPRequest) -> HTTPResponse {
    guard request.url.host == testBase.host else { return HTTPResponse(201) }
    return .json("{\"resourceType\":\"\(request.url.lastPathComponent)\",\"id\":\"1\"}", 201)
}

extension Outbox {
    /// Puts creates of patients with these numbers into the outbox.
    func enqueue(_ numbers: ClosedRange<Int>) async throws {
        try await store.write { tx in for number in numbers { try self.enqueue(.create(numbered(number)), in: tx) } }
    }
}

extension OutboxFlushResult {
    /// What stopped the flush, as a text.
    var ending: String {
        switch stop {
        case nil: "done"
        case .failed(let number, let failure): "failed \(number) \(failure.status.map(String.init) ?? "-")"
        case .refused(let number): "refused \(number)"
        case .postponed: "postponed"
        }
    }
}
