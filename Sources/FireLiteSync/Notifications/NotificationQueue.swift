import Foundation

/// Notifications that wait for the next pull, whoever brings them.
///
/// `@unchecked Sendable`: the lock guards the variables.
final class NotificationQueue: @unchecked Sendable {
    /// What waits: notifications for one pull.
    struct Work: Sendable {
        var notifications: [SubscriptionNotification] = []
        /// Whether everything that was changed is pulled.
        var isWhole = false

        /// More than these are not kept: everything that was changed is pulled instead.
        static let maximumCount = 1_000

        mutating func add(_ other: Work) {
            notifications += other.notifications
            isWhole = isWhole || other.isWhole
            let excess = notifications.count - Self.maximumCount
            guard excess > 0 else { return }
            // The newest have the last numbers of events.
            notifications.removeFirst(excess)
            isWhole = true
        }
    }

    private let lock = NSLock()
    private var work = Work()
    private var outcome: Result<Void, any Error>?
    private let signal: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (signal, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    func add(_ notification: SubscriptionNotification) {
        lock.withLock { work.add(Work(notifications: [notification])) }
        continuation.yield()
    }

    /// Nothing more comes.
    func end(_ outcome: Result<Void, any Error>) {
        lock.withLock { self.outcome = outcome }
        continuation.yield()
    }

    /// What waits now.
    func takeWaiting() -> Work {
        lock.withLock {
            defer { work = Work() }
            return work
        }
    }

    /// Waits for notifications.
    ///
    /// - Returns: nil if nothing more comes.
    /// - Throws: what the notifications ended with; `CancellationError`.
    func next() async throws -> Work? {
        while true {
            let (waiting, outcome) = lock.withLock { (work, self.outcome) }
            if !waiting.notifications.isEmpty { return takeWaiting() }
            if let outcome {
                try outcome.get()
                return nil
            }
            var iterator = signal.makeAsyncIterator()
            _ = await iterator.next()
            try Task.checkCancellation()
        }
    }
}
