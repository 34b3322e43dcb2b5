import Foundation

/// The result of a run of an engine.
public struct SampleRunResult: Sendable, Hashable {
    /// How many samples were read from the source.
    public internal(set) var read = 0
    /// How many were added at external stores.
    public internal(set) var added = 0
    /// How many were updated.
    public internal(set) var updated = 0
    /// How many were deleted.
    public internal(set) var deleted = 0
    /// How many a delegate skipped, or an external store has no form for or cannot change.
    public internal(set) var skipped = 0
    /// How many the external store had already, unchanged.
    public internal(set) var unchanged = 0
    /// The records that the source could not read and skipped.
    public internal(set) var rejections = SampleRejections()
    /// Whether a delegate stopped it.
    public internal(set) var isStopped = false
    /// Why requests wait in the outbox: the server was not reached, or refused them. Nil if none waits.
    public internal(set) var waiting: String?

    /// Nothing was done.
    package init() {}

    /// How many were added, updated or deleted.
    public var changed: Int { added + updated + deleted }

    /// The sum of two runs.
    package static func += (left: inout SampleRunResult, right: SampleRunResult) {
        left.read += right.read
        left.added += right.added
        left.updated += right.updated
        left.deleted += right.deleted
        left.skipped += right.skipped
        left.unchanged += right.unchanged
        left.rejections += right.rejections
        left.isStopped = left.isStopped || right.isStopped
        left.waiting = right.waiting ?? left.waiting
    }
}

/// The sum of what the types of a run did.
///
/// `@unchecked Sendable`: the lock guards the sum.
final class SampleTally: @unchecked Sendable {
    private let lock = NSLock()
    private var sum = SampleRunResult()
    private let progress: ProgressReporter<SampleRunResult>

    init(progress: ProgressHandler<SampleRunResult>?) { self.progress = ProgressReporter(progress) }

    var result: SampleRunResult { lock.withLock { sum } }

    func add(_ result: SampleRunResult) throws {
        let now = lock.withLock {
            sum += result
            return sum
        }
        try progress.report(now)
    }

    func wait(_ reason: String?) { lock.withLock { sum.waiting = reason } }
}
