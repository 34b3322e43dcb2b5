import FireLite
import Foundation

/// A step of ``Synchronizer/follow(_:report:)``.
public enum FollowEvent: Sendable {
    /// It has pulled.
    case pulled(NotifiedPull)
    /// A pull has failed, and is repeated after a while.
    case failed(any Error, retryAfter: Duration)
}

extension Synchronizer {
    /// Pulls as notifications come, until they end or the task is cancelled.
    ///
    /// ```swift
    /// let following = Task { try await synchronizer.follow(frames.map { SubscriptionNotification(text: $0) }) }
    /// ```
    /// It begins with a pull of all changes, as earlier notifications may have been missed. Notifications that arrive during a pull are
    /// handled together by the next one. If the server cannot be reached or fails, or another sync is running, the pull is repeated after
    /// the waits of the client's `RetryPolicy`, as often as it takes.
    ///
    /// - Parameters:
    ///   - notifications: those of the app's channel. If the channel breaks, end the sequence and call this again: missed events are
    ///     noticed.
    ///   - report: called after each pull.
    /// - Throws: errors of `notifications`; errors that waiting does not fix: `AuthorizationError`, `FHIRClientError` of a refused token, a
    ///   certificate or a request, `FHIRStoreError`; `CancellationError`.
    public func follow<Notifications: AsyncSequence & Sendable>(
        _ notifications: Notifications, report: (@Sendable (FollowEvent) -> Void)? = nil
    ) async throws where Notifications.Element == SubscriptionNotification {
        let queue = NotificationQueue()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    for try await notification in notifications { queue.add(notification) }
                    // Most sequences end without an error when they are cancelled.
                    try Task.checkCancellation()
                    queue.end(.success(()))
                } catch { queue.end(.failure(error)) }
            }
            defer { group.cancelAll() }
            var work: NotificationQueue.Work? = NotificationQueue.Work(isWhole: true)
            while let next = work {
                try await pull(next, queue, report)
                work = try await queue.next()
            }
        }
    }

    /// Pulls until it succeeds, with what has come meanwhile.
    private func pull(
        _ work: NotificationQueue.Work, _ queue: NotificationQueue, _ report: (@Sendable (FollowEvent) -> Void)?
    ) async throws {
        let configuration = client.configuration
        var work = work
        var failure: (any Error)?
        let waiting: (Duration) -> Void = { wait in if let failure { report?(.failed(failure, retryAfter: wait)) } }
        let pulled = try await configuration.retry.retrying(by: configuration.clock, .endless, waiting: waiting) {
            if failure != nil { work.add(queue.takeWaiting()) }
            do {
                return .done(try await pull(notifiedBy: work.notifications, isWhole: work.isWhole))
            } catch  where Self.mayPass(error) {
                failure = error
                return .failed(.failure(error), retryAfter: (error as? FHIRClientError)?.retryAfter)
            }
        }
        report?(.pulled(pulled))
    }

    /// Whether an error may be over after a while: the server is not there, is busy or fails, something else answers for it, or another sync runs.
    static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as FHIRClientError:
            switch error.code {
            case .cannotConnect, .connectionLost, .tooManyRequests, .serverFailed, .invalidResponse: true
            default: error.isGatewaysAbsence
            }
        case let error as AuthorizationError: error.code == .noAnswer
        case let error as SyncError: error.code == .busy
        default: false
        }
    }
}
