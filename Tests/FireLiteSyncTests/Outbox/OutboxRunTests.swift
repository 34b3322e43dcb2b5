import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// An outbox that sends by itself.
@Suite(.timeLimit(.minutes(30))) struct OutboxRunTests {
    /// Runs an outbox with a store in a file until its server has been asked so often and nothing is left to send.
    private func run(
        _ server: OutboxServerStub, clock: TestClock = TestClock(), _ refusals: OutboxRefusals = .stop, until count: Int,
        _ change: (Outbox) async throws -> Void
    ) async throws -> Outbox {
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        let outbox = try outbox(server, store: store, refusals, clock: clock)
        var events = outbox.events().makeAsyncIterator()
        let running = _Concurrency.Task { try await outbox.run() }
        try await change(outbox)
        // Each change of an entry is followed by an event.
        while true {
            let isWaiting = try await outbox.entries().contains { $0.state == .waiting }
            if server.requests.count >= count, !isWaiting { break }
            _ = await events.next()
        }
        running.cancel()
        _ = await running.result
        return outbox
    }

    @Test func whatIsPutInIsSent() async throws {
        let server = OutboxServerStub()
        let outbox = try await run(server, until: 6) { outbox in
            try await outbox.enqueue(1...3)
            try await outbox.enqueue(4...6)
        }
        #expect(server.numbers == Array(1...6))
        #expect(try await outbox.entries().isEmpty)
    }

    @Test func failuresAreRepeatedEverMoreSlowly() async throws {
        let clock = TestClock()
        let server = OutboxServerStub { _, number in number < 9 ? .down : nil }
        _ = try await run(server, clock: clock, until: 10) { try await $0.enqueue(1...1) }
        #expect(server.numbers == [1])
        let waits = clock.sleeps.filter { $0 >= .seconds(1) }.map { Int($0 / .seconds(1)) }
        #expect(waits == [5, 10, 20, 40, 80, 160, 320, 640, 900])
    }

    @Test func aServerThatAsksForTimeGetsIt() async throws {
        let clock = TestClock()
        let server = OutboxServerStub { _, number in number == 0 ? .status(429, ["Retry-After": "120"]) : nil }
        _ = try await run(server, clock: clock, until: 2) { try await $0.enqueue(1...1) }
        #expect(server.requests.count == 2 && server.numbers == [1])
        #expect(clock.sleeps.reduce(.zero, +) >= .seconds(120))
    }

    @Test func whatIsRefusedIsNotSentAgain() async throws {
        let server = OutboxServerStub { request, _ in request.text.contains("\"1\"") ? .status(422, [:]) : nil }
        let outbox = try await run(server, .park, until: 3) { outbox in
            try await outbox.enqueue(1...1)
            try await outbox.enqueue(2...3)
        }
        #expect(server.requests.count == 3 && server.numbers == [2, 3])
        #expect(try await outbox.entries().map(\.number) == [1])
    }

    @Test func aRefusedTokenWaitsLongest() async throws {
        let clock = TestClock()
        let server = OutboxServerStub { _, number in number < 2 ? .status(401, [:]) : nil }
        _ = try await run(server, clock: clock, until: 3) { try await $0.enqueue(1...1) }
        #expect(clock.sleeps.filter { $0 >= .seconds(1) } == [.seconds(900), .seconds(900)])
    }
}
