import FireLite
import Foundation

extension Synchronizer {
    /// Pulls the resources that a notification names.
    ///
    /// The resources are read from the server. A notification that names none, or that follows missed ones, leads to a pull of all changes
    /// of the subscription's types. Only references to this server and within the scope are followed, and content in the notification is
    /// ignored: a forged one can do no more than cause another read. ``lastResult()`` stays that of the last whole sync.
    ///
    /// - Parameter notification: a notification of the server.
    /// - Returns: the result.
    /// - Throws: as ``sync(_:progress:)``. Then call it again, or ``pull(progress:)``: the events count as missed until a pull has
    ///   succeeded.
    @discardableResult
    public func pull(notifiedBy notification: SubscriptionNotification) async throws -> NotifiedPull {
        try await pull(notifiedBy: [notification])
    }

    /// Pulls the resources that several notifications name.
    ///
    /// - Parameter notifications: the notifications, in the order of arrival.
    /// - Returns: the result.
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
