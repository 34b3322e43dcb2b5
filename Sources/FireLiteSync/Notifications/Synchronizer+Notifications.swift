import FireLite
import Foundation

extension Synchronizer {
    /// Pulls what a notification of the server says.
    ///
    /// The resources that it names are read from the server; a notification that names none, or before which others are missing, leads to a pull of what
    /// was changed of the subscription's types. Only references to this server and to what the scope contains are followed, and content in the
    /// notification is not looked at: a forged one can do no more than make the store look again. ``lastResult()`` stays that of the last whole sync.
    ///
    /// - Parameter notification: what came.
    /// - Returns: what was done.
    /// - Throws: as ``sync(_:progress:)``. Call it again then, or ``pull(progress:)``: the events count as missing until a pull has succeeded.
    @discardableResult
    public func pull(notifiedBy notification: SubscriptionNotification) async throws -> NotifiedPull {
        try await pull(notifiedBy: [notification])
    }

    /// Pulls what several notifications say, at once.
    ///
    /// - Parameter notifications: what came, in its order.
    /// - Returns: what was done.
    /// - Throws: as `pull(notifiedBy:)`.
    @discardableResult
    public func pull(notifiedBy notifications: [SubscriptionNotification]) async throws -> NotifiedPull {
        try await pull(notifiedBy: notifications, isWhole: false)
    }

    /// - Parameter isWhole: whether everything that was changed is pulled, whatever the notifications say.
    func pull(notifiedBy notifications: [SubscriptionNotification], isWhole: Bool) async throws -> NotifiedPull {
        try checkRelease()
        var found = try await journal { try $0.demand(of: notifications) }
        found.isWhole = found.isWhole || isWhole
        let demand = found
        var run = SyncRun(self, nil)
        var pull = NotifiedPull(extent: .nothing, result: run.result)
        pull.ignored = demand.ignored
        pull.subscriptionHasEnded = demand.hasEnded
        guard !demand.isEmpty else {
            if !demand.last.isEmpty { try await journal { try $0.noteEvents(demand.last) } }
            return pull
        }
        try await run.begin()
        do {
            try await run.pull(demand, &pull)
        } catch {
            let failure = error
            // The first error counts.
            do { try await run.end(keepsResult: false) } catch {}
            throw failure
        }
        try await run.end(keepsResult: isWhole)
        pull.result = run.result
        return pull
    }
}
