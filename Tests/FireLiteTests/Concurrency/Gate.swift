import Foundation

/// Holds threads back until it is opened: what makes a timeline of several threads sure.
final class Gate: @unchecked Sendable {
    // `condition` guards `isOpen`.
    private let condition = NSCondition()
    private var isOpen = false

    func open() {
        condition.lock()
        isOpen = true
        condition.broadcast()
        condition.unlock()
    }

    /// Whether it is open already.
    var isPassable: Bool {
        condition.lock()
        defer { condition.unlock() }
        return isOpen
    }

    /// Waits until the gate is open; false where nobody opens it for five minutes, so that a failure is no hang. Tests run beside others
    /// that keep the few threads of tasks busy, so whoever opens it may have to wait for its turn.
    @discardableResult
    func wait() -> Bool {
        let limit = Date(timeIntervalSinceNow: 300)
        condition.lock()
        defer { condition.unlock() }
        while !isOpen { if !condition.wait(until: limit) { return isOpen } }
        return true
    }
}
