import FireLite
import Foundation

/// Gives an export its time, and lets its threads begin to read the same snapshot of a store: a write that changes nothing is open then.
///
/// The time of a write is taken while it holds the file's lock. So whatever has an earlier time than one at which this write is open is committed, and
/// is in the snapshot: an export since that time continues without a gap (Bulk Data Access, transactionTime).
///
/// `@unchecked Sendable`: `condition` guards what changes.
final class SnapshotStart: @unchecked Sendable {
    private let service: FHIRService
    private let readers: Int
    private let condition = NSCondition()
    /// The readers that have not begun.
    private var missing: Set<Int>
    /// Whether nobody commits; nil while that is not known.
    private var isHeld: Bool?
    private var earliest: Date

    /// - Parameter readers: the number of threads, each of which calls `isHeldForAll` and then `noteBegun`.
    init(readers: Int, _ service: FHIRService) {
        self.readers = readers
        self.service = service
        missing = Set(0..<readers)
        earliest = .distantPast
    }

    /// Everything with an earlier time is in the snapshot.
    var time: Date {
        condition.lock()
        defer { condition.unlock() }
        // Literals have milliseconds, as tables do, and a time that is rounded up would be too late.
        return Date(timeIntervalSince1970: (earliest.timeIntervalSince1970 * 1_000).rounded(.down) / 1_000)
    }

    /// Holds the store's write until all have begun; a single reader may as well begin later. If it cannot be had, as another program writes, the
    /// readers learn that.
    func hold() {
        guard service.store.configuration.access == .readWrite else { return giveUp() }
        do {
            try service.write { _, now in
                set(true, now)
                guard readers > 1 else { return }
                condition.lock()
                while !missing.isEmpty { condition.wait() }
                condition.unlock()
            }
        } catch { giveUp() }
    }

    /// The write cannot be had. Of no consequence once it was.
    ///
    /// A write that is open then began no longer ago than a request may take.
    func giveUp() { set(false, service.configuration.clock.now().addingTimeInterval(-(service.configuration.limits.time / .seconds(1)))) }

    private func set(_ value: Bool, _ time: Date) {
        condition.lock()
        if isHeld == nil { (isHeld, earliest) = (value, time) }
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
