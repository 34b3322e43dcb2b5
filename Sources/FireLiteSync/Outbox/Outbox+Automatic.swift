import FireLite
import Foundation

extension Outbox {
    /// Sends automatically until the task is cancelled: whenever a process adds a request to the outbox, and again after a failure.
    ///
    /// ```swift
    /// let sending = Task { try await outbox.run() }
    /// ```
    /// After a failure it waits as long as the server asks for, and longer with each further failure. Refused requests are not sent again
    /// automatically; after a refused token it waits for the longest delay. Call ``flush()`` to send at once, for example when the network
    /// is back.
    /// - Parameter schedule: the waiting times after failures; its number of attempts does not count.
    /// - Throws: `FHIRStoreError`, also when the store is closed; `CancellationError`.
    public func run(
        schedule: RetryPolicy = RetryPolicy(firstDelay: .seconds(5), maximumDelay: .seconds(900))
    ) async throws {
        let (server, refusals) = (server, refusals)
        for try await work in store.updates(every: .milliseconds(20), { tx in try OutboxWork(tx, server, refusals) }) where work.isThere {
            try await schedule.retrying(by: clock, .endless) {
                switch try await flush().stop {
                case nil, .refused: return .done(())
                case .postponed(let date): return .early(.seconds(max(date.timeIntervalSince(clock.now()), 0.001)))
                case .failed(_, let failure):
                    return .failed(.success(()), retryAfter: failure.retryAfter, isLasting: failure.isClientsFault)
                }
            }
        }
    }
}

/// Whether there is something to send, and what changes when something comes.
private struct OutboxWork: Equatable, Sendable {
    /// The number and the state of the entry that is next.
    private let next: Int64?
    private let isRefused: Bool
    private let last: Int64?

    var isThere: Bool { next != nil && !isRefused }

    init(_ tx: ReadTransaction, _ server: String, _ refusals: OutboxRefusals) throws {
        let row = try tx.outboxRows(
            "SELECT seq, refused FROM _outbox WHERE server = ?" + (refusals == .park ? " AND refused = 0" : "") + " ORDER BY seq LIMIT 1",
            [.text(server)]
        ).first
        next = row?[0].integer
        isRefused = row?[1].integer == 1
        last = try tx.outboxRows("SELECT max(seq) FROM _outbox WHERE server = ?", [.text(server)]).first?[0].integer
    }
}
