import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// One outbox sends at a time, and what one does to an entry is about that entry.
@Suite(.timeLimit(.minutes(30))) struct OutboxLeaseTests {
    /// What two flushes do, in order.
    private enum Event: Sendable, Equatable {
        case sent(String, Int)
        case waits(String)
        case ended(String)
    }

    /// An outbox that was asleep while another one took over does not go on, but waits for that one.
    @Test func anOutboxThatHasLostTheLeaseSendsNothingMore() async throws {
        let server = OutboxServerStub()
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let (first, second, pause) = (Gate(2), Gate(2), Gate(2))
        let clock = TestClock()
        let store = try FHIRStore(path: ":memory:", release: .r4)
        func outbox(_ name: String, holding gate: Gate) throws -> Outbox {
            var configuration = FHIRClient.Configuration()
            configuration.clock = clock.clock
            configuration.clock.sleep = { _ in
                continuation.yield(.waits(name))
                await pause.pass()
            }
            let transport = StubServer { request, number in
                continuation.yield(.sent(name, number))
                if number == 0 { await gate.pass() }
                return try await server.send(request)
            }
            return try Outbox(
                store: store, client: FHIRClient(base: testBase, release: .r4, configuration: configuration, transport: transport))
        }
        let one = try outbox("one", holding: first)
        let two = try outbox("two", holding: second)
        try await one.enqueue(1...3)
        func flush(_ outbox: Outbox, _ name: String) -> _Concurrency.Task<Int, any Error> {
            _Concurrency.Task {
                defer { continuation.yield(.ended(name)) }
                return try await outbox.flush().sent.count
            }
        }
        var seen = events.makeAsyncIterator()
        let slow = flush(one, "one")
        #expect(await seen.next() == .sent("one", 0))
        // Longer than the lease.
        clock.advance(OutboxLease.duration + 1)
        let other = flush(two, "two")
        #expect(await seen.next() == .sent("two", 0))
        // The first gets its answer while the second sends.
        await first.pass()
        try #require(await seen.next() == .waits("one"))
        await second.pass()
        var rest: [Event] = []
        while rest.count < 3, let event = await seen.next() { rest.append(event) }
        #expect(rest == [.sent("two", 1), .sent("two", 2), .ended("two")])
        await pause.pass()
        #expect(await seen.next() == .ended("one"))
        #expect(try await slow.value == 1)
        #expect(try await other.value == 3)
        #expect(server.numbers == [1, 2, 3] && server.requests.count == 4)
    }

    /// A flush may take longer than a lease lasts: each attempt extends it.
    @Test func eachAttemptExtendsTheLease() async throws {
        let clock = TestClock()
        let server = OutboxServerStub()
        let store = try FHIRStore(path: ":memory:", release: .r4)
        let answers = Calls()
        let transport = StubServer { request, _ in
            // Two thirds of the lease's duration.
            clock.advance(OutboxLease.duration * 2 / 3)
            let lease = OutboxLease(server: try OutboxServer.name(testBase), owner: LeaseOwner())
            let answer = try await store.read { tx in try lease.look(tx, now: clock.now, through: 10) }
            if case .taken = answer { answers.note(true) } else { answers.note(false) }
            return try await server.send(request)
        }
        let outbox = try outbox(transport, store: store, clock: clock)
        try await outbox.enqueue(1...5)
        #expect(try await outbox.flush().ending == "done")
        #expect(answers.noted == Array(repeating: true, count: 5))
    }

    /// An entry that is discarded while it is sent, and whose number another one gets as the file has lost the last one: the other one stays.
    @Test func anAnswerIsAboutTheEntryThatWasSentAndNotAboutItsNumber() async throws {
        let server = OutboxServerStub()
        let store = try FHIRStore(path: ":memory:", release: .r4)
        let replaced = Switch(false)
        let transport = StubServer { request, _ in
            if !replaced.value {
                replaced.value = true
                try await store.write { tx in
                    try tx.discardOutboxEntry(1)
                    // As recovery may.
                    _ = try tx.runOutbox("UPDATE _outbox_server SET last = NULL")
                    #expect(try tx.enqueue(.create(numbered(2)), for: testBase) == 1)
                }
            }
            return try await server.send(request)
        }
        let outbox = try outbox(transport, store: store)
        try await outbox.enqueue(.create(numbered(1)))
        try await outbox.flush()
        if try await !outbox.entries().isEmpty { try await outbox.flush() }
        #expect(server.numbers == [1, 2])
        #expect(try await outbox.entries().isEmpty)
    }
}
