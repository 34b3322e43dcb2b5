import Foundation

/// Samples on their way from the thread that parses an export to the one that asks for them.
///
/// `@unchecked Sendable`: the condition guards everything.
final class ExportQueue: @unchecked Sendable {
    /// So many samples wait at most, about two batches.
    private static let capacity = 4_000

    private let condition = NSCondition()
    private var samples: [Sample] = []
    /// How many of `samples` were taken.
    private var taken = 0
    private var isFinished = false
    private var isCancelled = false
    private var failure: (any Error)?
    private var counts: [String: Int] = [:]
    private var rejections = SampleRejections()

    /// How many samples are in memory.
    var count: Int { condition.withLock { samples.count } }

    /// The elements so far that are no samples, by name.
    var ignored: [String: Int] { condition.withLock { counts } }

    // MARK: - The parsing thread

    /// Whether nobody wants more.
    var isStopped: Bool { condition.withLock { isCancelled } }

    /// Adds samples, and waits while there are too many.
    ///
    /// - Returns: whether more are wanted.
    func put(_ new: [Sample], ignored: [String: Int], rejections more: SampleRejections = SampleRejections()) -> Bool {
        condition.withLock {
            while samples.count - taken >= Self.capacity, !isCancelled { condition.wait() }
            if taken >= Self.capacity {
                // A parser that is always ahead would let them grow without end.
                samples.removeFirst(taken)
                taken = 0
            }
            samples += new
            counts = ignored
            rejections += more
            condition.broadcast()
            return !isCancelled
        }
    }

    /// Ends the samples.
    ///
    /// - Parameter error: what ended them early, after those that were put.
    func finish(_ error: (any Error)?) {
        condition.withLock {
            (isFinished, failure) = (true, error)
            condition.broadcast()
        }
    }

    // MARK: - The asking thread

    /// What was rejected since the last call, of what was read ahead too.
    func takeRejections() -> SampleRejections {
        condition.withLock {
            defer { rejections = SampleRejections() }
            return rejections
        }
    }

    /// The next samples: fewer than the limit only at the end, and before what ended them early.
    ///
    /// - Throws: what ended them early, if no sample precedes it.
    func take(_ limit: Int) throws -> (samples: [Sample], isComplete: Bool) {
        try condition.withLock {
            var result: [Sample] = []
            result.reserveCapacity(limit)
            while result.count < limit {
                let available = min(samples.count - taken, limit - result.count)
                if available > 0 {
                    result += samples[taken..<taken + available]
                    taken += available
                    if taken == samples.count {
                        samples.removeAll(keepingCapacity: true)
                        taken = 0
                    }
                    condition.broadcast()
                    continue
                }
                if isFinished { break }
                condition.wait()
            }
            if result.isEmpty, let failure { throw failure }
            return (result, isFinished && taken == samples.count && failure == nil && result.count < limit)
        }
    }

    /// Ends the parsing thread.
    func cancel() {
        condition.withLock {
            isCancelled = true
            condition.broadcast()
        }
    }
}
