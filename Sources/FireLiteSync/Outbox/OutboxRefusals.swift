/// What an outbox does when the server refuses an entry: when it says that it will never accept this request (most statuses from 400 to 499).
public enum OutboxRefusals: String, Sendable, Hashable, CaseIterable {
    /// Sends nothing after it until the entry is retried or discarded, so that the server sees everything in order.
    case stop
    /// Leaves the entry where it is, and sends what comes after it.
    case park
}
