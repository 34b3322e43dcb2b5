import Foundation

/// Hands batches from the reading thread to the writing one, a few ahead so that both keep busy and memory stays flat.
///
/// `@unchecked Sendable`: `condition` is held for every access.
final class BatchQueue: @unchecked Sendable {
    /// Thrown to the reading thread when nobody wants more.
    struct Cancelled: Error {}

    private let condition = NSCondition()
    private let capacity: Int
    private var batches: [ImportBatch] = []
    private var isCancelled = false
    private var isFinished = false
    private var failure: (any Error)?

    init(capacity: Int) { self.capacity = capacity }

    // MARK: - Reading thread

    /// Waits for room and gives a batch away.
    ///
    /// - Throws: `Cancelled`.
    func put(_ batch: ImportBatch) throws {
        condition.lock()
        defer { condition.unlock() }
        while batches.count >= capacity, !isCancelled { condition.wait() }
        if isCancelled { throw Cancelled() }
        batches.append(batch)
        condition.broadcast()
    }

    /// Says that no more batches come, or that reading failed; then those that wait are not wanted either.
    func finish(_ failure: (any Error)? = nil) {
        condition.lock()
        defer { condition.unlock() }
        isFinished = true
        self.failure = failure
        condition.broadcast()
    }

    // MARK: - Writing thread

    /// Waits for the next batch; nil after the last one.
    ///
    /// - Throws: what `finish` was given.
    func next() throws -> ImportBatch? {
        condition.lock()
        defer { condition.unlock() }
        while batches.isEmpty, !isFinished { condition.wait() }
        if let failure { throw failure }
        guard !batches.isEmpty else { return nil }
        condition.broadcast()
        return batches.removeFirst()
    }

    /// Ends the reading thread's work and waits until it has ended.
    func cancel() {
        condition.lock()
        defer { condition.unlock() }
        isCancelled = true
        condition.broadcast()
        while !isFinished { condition.wait() }
    }
}
