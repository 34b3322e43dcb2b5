import NIOConcurrencyHelpers
import NIOCore

/// Counts the open connections. When three quarters of the permitted number are open, quiet ones are closed early, so that a client that only opens
/// connections does not keep others out for long.
final class ConnectionCrowd: Sendable {
    /// How long a connection may be quiet in a crowd, and how often connections look.
    static let patience = TimeAmount.seconds(2)

    private let bound: Int
    private let count = NIOLockedValueBox(0)

    /// - Parameter maximum: how many connections may be open.
    init(maximum: Int) { bound = max(1, maximum - maximum / 4) }

    func join() { count.withLockedValue { $0 += 1 } }
    func leave() { count.withLockedValue { $0 -= 1 } }

    /// The time that a quiet connection has now.
    ///
    /// - Parameter usual: what it has when there is room.
    func time(_ usual: TimeAmount) -> TimeAmount { count.withLockedValue { $0 } < bound ? usual : min(usual, Self.patience) }
}
