import Foundation

/// The result of a flush of an outbox.
public struct OutboxFlushResult: Sendable {
    /// Why a flush ended before the outbox was empty.
    public enum Stop: Sendable {
        /// The server, the connection or the authorization failed; or the server says that it has done the entry and does not show it, after which
        /// only entries that depend on it wait.
        case failed(Int64, OutboxFailure)
        /// The server has refused the entry with this number, now or earlier, and nothing after it is sent: ``OutboxRefusals/stop``.
        case refused(Int64)
        /// The server wants to be asked again then: nothing was sent.
        case postponed(Date)
    }

    /// The sent entries, in order.
    public internal(set) var sent: [OutboxReceipt] = []
    /// The entries that the server refused during this flush.
    public internal(set) var refused: [Int64] = []
    /// Why the flush ended; nil if it sent everything that can be sent.
    public internal(set) var stop: Stop?
    /// The entries that the server says it has done and does not show.
    package internal(set) var unshown: [Int64] = []
}

/// The outcome of sending a request through an outbox.
public enum OutboxDelivery: Sendable {
    /// The server has accepted it.
    case sent(OutboxReceipt)
    /// Another process has sent it in the meantime, or it was discarded.
    case sentElsewhere(Int64)
    /// It waits in the outbox: see what stopped the flush. With ``OutboxRefusals/park``, nil if the server refused this very request.
    case queued(OutboxEntry, OutboxFlushResult.Stop?)

    /// Whether the server has accepted it.
    public var isSent: Bool { if case .queued = self { false } else { true } }
}

/// An event in an outbox, as ``Outbox/events()`` reports it.
public enum OutboxEvent: Sendable {
    /// The server has accepted an entry.
    case sent(OutboxReceipt)
    /// The server has refused an entry.
    case refused(Int64, OutboxFailure)
    /// An entry was not accepted and will be sent again.
    case failed(Int64, OutboxFailure)
    /// A flush has ended.
    case flushed(OutboxFlushResult)
}
