import Foundation

/// Passes batches from the reading thread to the writing one. A few wait, so that both threads stay busy and memory stays bounded.
///
/// Written batches come back, so that the reading thread, which has less to do, frees their objects.
///
/// `@unchecked Sendable`: `condition` is held for every access.
final class BatchQueue: @unchecked Sendable {
    /// Thrown to the reading thread when the import has ended.
    struct Cancelled: Error {}

    private let condition = NSCondition()
    private let capacity: Int
    private var batches: [ImportBatch] = []
    private var written: [ImportBatch] = []
    private var isCancelled = false
    private var isFinished = false
    private var failure: (any Error)?

    init(capacity: Int) { self.capacity = capacity }

    // MARK: - Reading thread

    /// Waits for room and hands over a batch.
    ///
    /// - Throws: `Cancelled`.
    func put(_ batch: ImportBatch) throws {
        // The batches that `offer` returns are freed afterwards, without the lock.
        while try !offer(batch).isTaken {}
    }

    /// Waits until there is room for the batch, or written ones have come back.
    private func offer(_ batch: ImportBatch) throws -> (isTaken: Bool, written: [ImportBatch]) {
        condition.lock()
        defer { condition.unlock() }
        while batches.count >= capacity, written.isEmpty, !isCancelled { condition.wait() }
        if isCancelled { throw Cancelled() }
        var done: [ImportBatch] = []
        swap(&done, &written)
        guard batches.count < capacity else { return (false, done) }
        batches.append(batch)
        condition.broadcast()
        return (true, done)
    }

    /// Marks the end of the batches, or a failure of reading, which discards those that wait.
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
    /// - Parameter waits: false to return nil if no batch is there. Default: true.
    /// - Throws: what `finish` was given.
    func next(waits: Bool = true) throws -> ImportBatch? {
        condition.lock()
        defer { condition.unlock() }
        while waits, batches.isEmpty, !isFinished { condition.wait() }
        if let failure { throw failure }
        guard !batches.isEmpty else { return nil }
        condition.broadcast()
        return batches.removeFirst()
    }

    /// Gives back a written batch.
    func giveBack(_ batch: ImportBatch) {
        condition.lock()
        defer { condition.unlock() }
        written.append(batch)
        condition.broadcast()
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
