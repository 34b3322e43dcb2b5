import FireLiteR4
import FireLiteSync
import Foundation
import Testing

/// How long a client waits, repetitions included.
@Suite struct DeadlineTests {
    private func client(_ server: StubServer, _ clock: TestClock = TestClock(random: 0), deadline: Swift.Duration? = .seconds(600)) throws
        -> FHIRClient
    {
        var configuration = FHIRClient.Configuration()
        configuration.clock = clock.clock
        configuration.deadline = deadline
        configuration.minimumProgress = 77
        return try FHIRClient(base: testBase, release: .r4, configuration: configuration, transport: server)
    }

    /// Four times the timeout were four minutes.
    @Test func aSilentServerIsWaitedForTwice() async throws {
        let server = StubServer { _, _ in throw HTTPTransportError(.timedOut, "silent") }
        let error = await #expect(throws: FHIRClientError.self) { try await client(server).read(Patient.self, id: "1") }
        #expect(error?.code == .connectionLost && server.requests.count == 2)
        // A server that refuses connections at once is asked as often as ever; one that swallows them is not.
        let refusing = StubServer { _, _ in throw HTTPTransportError(.cannotConnect, "refused") }
        await #expect(throws: FHIRClientError.self) { try await client(refusing).read(Patient.self, id: "1") }
        #expect(refusing.requests.count == 4)
        let clock = TestClock(random: 0)
        let swallowing = StubServer { request, _ in
            clock.advance(request.timeout / .seconds(1))
            throw HTTPTransportError(.cannotConnect, "swallowed")
        }
        await #expect(throws: FHIRClientError.self) { try await client(swallowing, clock).read(Patient.self, id: "1") }
        #expect(swallowing.requests.count == 2)
    }

    @Test func repetitionsShareTheDeadline() async throws {
        let clock = TestClock(random: 0)
        let server = StubServer { _, _ in
            clock.advance(2)
            return HTTPResponse(503, fields: ["Retry-After": "3"])
        }
        await #expect(throws: FHIRClientError.self) { try await client(server, clock, deadline: .seconds(9)).read(Patient.self, id: "1") }
        #expect(server.requests.map(\.deadline) == [.seconds(9), .seconds(4)])
        #expect(server.requests.allSatisfy { $0.minimumProgress == 77 })
    }

    @Test func streamsAndClientsWithoutADeadlineTakeTheirTime() async throws {
        let server = StubServer { _, _ in .json(#"{"resourceType":"Patient","id":"1"}"#) }
        _ = try await client(server).stream(FHIRRequest(.get, "Patient/1"))
        _ = try await client(server, deadline: nil).read(Patient.self, id: "1")
        #expect(server.requests.map(\.deadline) == [nil, nil])
    }
}
