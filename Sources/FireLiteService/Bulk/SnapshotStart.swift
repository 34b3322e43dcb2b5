import FireLite
import Foundation

/// Lets several threads begin to read the same snapshot of a store: nobody commits while they begin, as a write that changes nothing is open then.
///
/// `@unchecked Sendable`: `condition` guards what changes.
final class SnapshotStart: @unchecked Sendable {
    private let condition = NSCondition()
    /// The readers that have not begun.
    private var missing: Set<Int>
    /// Whether nobody commits; nil while that is not known.
    private var isHeld: Bool?

    /// - Parameter readers: the number of threads, each of which calls `isHeldForAll` and then `noteBegun`.
    init(readers: Int) { missing = Set(0..<readers) }

    /// Holds the store's write until all have begun. If it cannot be had, as another program writes, the readers learn that.
    func hold(_ store: FHIRStore) {
        do {
            try store.write { _ in
                set(true)
                condition.lock()
                while !missing.isEmpty { condition.wait() }
                condition.unlock()
            }
        } catch { giveUp() }
    }

    /// The write cannot be had. Of no consequence once it was.
    func giveUp() { set(false) }

    private func set(_ value: Bool) {
        condition.lock()
        if isHeld == nil { isHeld = value }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until it is known whether all can begin together.
    func isHeldForAll() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while isHeld == nil { condition.wait() }
        return isHeld ?? false
    }

    /// A reader has begun, or will not. It may say so again.
    func noteBegun(_ reader: Int) {
        condition.lock()
        missing.remove(reader)
        condition.broadcast()
        condition.unlock()
    }
}
