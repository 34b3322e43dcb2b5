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

    /// Waits until the gate is open; false where nobody opens it, so that a failure is no hang.
    @discardableResult
    func wait() -> Bool {
        let limit = Date(timeIntervalSinceNow: 30)
        condition.lock()
        defer { condition.unlock() }
        while !isOpen { if !condition.wait(until: limit) { return isOpen } }
        return true
    }
}
