import Foundation

/// Passes events on to all who listen.
///
/// `@unchecked Sendable`: the lock guards the variables.
final class OutboxEvents: @unchecked Sendable {
    private let lock = NSLock()
    private var listeners: [Int: AsyncStream<OutboxEvent>.Continuation] = [:]
    private var next = 0

    /// The number of events that are kept for a slow listener.
    private static let capacity = 1_000

    deinit { for listener in listeners.values { listener.finish() } }

    func stream() -> AsyncStream<OutboxEvent> {
        let (stream, continuation) = AsyncStream<OutboxEvent>.makeStream(bufferingPolicy: .bufferingNewest(Self.capacity))
        let number = lock.withLock {
            next += 1
            listeners[next] = continuation
            return next
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) { lock.withLock { listeners[number] = nil } }

    func report(_ event: OutboxEvent) {
        for listener in lock.withLock({ Array(listeners.values) }) { listener.yield(event) }
    }
}
