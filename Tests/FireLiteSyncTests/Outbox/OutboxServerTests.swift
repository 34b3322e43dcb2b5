import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// An outbox against sekmet, a FHIR server by others.
@Suite(.enabled(if: LocalServers.fhir != nil, Comment(rawValue: LocalServers.hint)), .timeLimit(.minutes(30)))
struct OutboxServerTests {
    /// The server, behind a network that fails on purpose.
    private struct Network: HTTPTransport {
        let isDown: Switch<Bool>
        let losesAnswers: Switch<Bool>

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            if isDown.value { throw HTTPTransportError(.cannotConnect, "the network is down") }
            let response = try await URLSessionTransport.shared.send(request)
            if losesAnswers.value { throw HTTPTransportError(.connectionLost, "the answer got lost") }
            return response
        }
    }

    private let network = Network(isDown: Switch(false), losesAnswers: Switch(false))
    private let client: FHIRClient
    private let outbox: Outbox
    private let family = "Outbox" + UUID().uuidString.prefix(8)

    init() throws {
        client = try FHIRClient(base: #require(LocalServers.fhir), release: .r4, transport: network)
        outbox = try Outbox(store: FHIRStore(path: ":memory:", release: .r4), client: client)
    }

    private func patient(_ number: Int) -> Patient {
        Patient {
            $0.name = [HumanName { $0.family = family }]
            $0.multipleBirthInteger = number
        }
    }

    @Test func fiftySendsWithoutServerArriveInOrderWithTheNextOne() async throws {
        network.isDown.value = true
        for number in 1...50 { #expect(try await outbox.send(.create(patient(number))).isSent == false) }
        network.isDown.value = false
        #expect(try await outbox.send(.create(patient(51))).isSent)
        // The server's history has the newest first.
        var created: [Int] = []
        for try await page in try client.history(Patient.self, id: nil, ["_count": "100"]) {
            created += page.entries.compactMap { $0.resource as? Patient }.filter { $0.name.first?.family == family }.compactMap(
                \.multipleBirthInteger)
            if created.count >= 51 { break }
        }
        #expect(created == Array((1...51).reversed()))
    }

    @Test func aLostAnswerCreatesNoSecondResource() async throws {
        network.losesAnswers.value = true
        #expect(try await outbox.send(.create(patient(1))).isSent == false)
        network.losesAnswers.value = false
        let result = try await outbox.flush()
        #expect(result.sent.map(\.wasAlreadyApplied) == [true])
        let found = try await client.search(Patient.self, ["family": String(family)]).matches.reduce(into: 0) { count, _ in count += 1 }
        #expect(found == 1)
    }

    @Test func aTypeWithoutIdentifiersIsCreatedOnceToo() async throws {
        network.losesAnswers.value = true
        let binary = Binary {
            $0.contentType = "text/plain"
            $0.data = "aGVsbG8="
        }
        #expect(try await outbox.send(.create(binary)).isSent == false)
        network.losesAnswers.value = false
        let result = try await outbox.flush()
        #expect(result.sent.map(\.status) == [200] && result.sent.map(\.wasAlreadyApplied) == [true])
    }

    @Test func whatTheServerRefusesIsParked() async throws {
        let parking = try Outbox(store: outbox.store, client: client, refusals: .park)
        try await parking.enqueue(.create(patient(1)))
        try await parking.enqueue(
            FHIRRequest(
                .post, "Patient", fields: ["Content-Type": "application/fhir+json"],
                body: Data(#"{"resourceType":"Patient","birthDate":"no date"}"#.utf8)))
        try await parking.enqueue(.create(patient(3)))
        let result = try await parking.flush()
        #expect(result.sent.map(\.number) == [1, 3] && result.refused == [2])
        let entry = try #require(try await parking.entries().first)
        #expect(entry.status.map { 400..<500 ~= $0 } == true && !entry.issues.isEmpty)
    }
}
