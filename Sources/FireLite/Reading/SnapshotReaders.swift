import FireLiteCore
import Foundation

/// Threads that read the same snapshot, each with a connection of its own. They take jobs in the order in which these were added.
///
/// `@unchecked Sendable`: `condition` is held for every access.
final class SnapshotReaders: @unchecked Sendable {
    typealias Job = @Sendable (ReadTransaction) -> Void

    private let condition = NSCondition()
    private var jobs: [Job] = []
    private var nextJob = 0
    private var isEnded = false
    /// The number of threads that have not ended.
    private var running = 0

    /// The number of threads, without that of the caller.
    let count: Int

    init(count: Int) { self.count = count }

    // MARK: - Jobs

    func add(_ job: @escaping Job) {
        condition.lock()
        defer { condition.unlock() }
        if nextJob == jobs.count { (jobs, nextJob) = ([], 0) }
        jobs.append(job)
        condition.signal()
    }

    /// The next job, if one waits. Called with the lock.
    private func take() -> Job? {
        guard nextJob < jobs.count else { return nil }
        defer { nextJob += 1 }
        return jobs[nextJob]
    }

    /// Works on jobs with the caller's transaction until a value is there.
    func value<Value>(of slot: Slot<Value>, _ transaction: ReadTransaction) throws -> Value {
        while true {
            condition.lock()
            while slot.result == nil, nextJob == jobs.count { condition.wait() }
            if let result = slot.result {
                condition.unlock()
                return try result.get()
            }
            let job = take()
            condition.unlock()
            job?(transaction)
        }
    }

    /// Sets a value.
    func set<Value>(_ slot: Slot<Value>, _ result: Result<Value, any Error>) {
        condition.lock()
        slot.result = result
        condition.broadcast()
        condition.unlock()
    }

    /// What becomes of a job. The lock of its readers guards it.
    final class Slot<Value: Sendable>: @unchecked Sendable {
        fileprivate var result: Result<Value, any Error>?
    }

    // MARK: - Threads

    /// Announces a thread that is going to call `work`.
    func begin() {
        condition.lock()
        running += 1
        condition.unlock()
    }

    /// Works on jobs until `end` is called.
    func work(_ transaction: ReadTransaction) {
        condition.lock()
        while !isEnded {
            if let job = take() {
                condition.unlock()
                job(transaction)
                condition.lock()
            } else {
                condition.wait()
            }
        }
        condition.unlock()
    }

    /// The thread uses its connection no longer.
    func finish() {
        condition.lock()
        running -= 1
        condition.broadcast()
        condition.unlock()
    }

    /// Discards jobs that have not begun, and waits for those that have.
    func end() {
        condition.lock()
        isEnded = true
        (jobs, nextJob) = ([], 0)
        condition.broadcast()
        while running > 0 { condition.wait() }
        condition.unlock()
    }
}

extension ReadTransaction {
    /// The number of batches that are worked on or wait to be passed on, for each thread.
    private static let batchesAhead = 3

    /// Makes a value of each batch of a type's resources on all threads, and passes the values on in the order of the resources, on this thread.
    /// Memory holds a few batches of each thread.
    ///
    /// - Parameters:
    ///   - readers: the other threads.
    ///   - transform: makes a value of up to 256 resources; called on any thread, with a transaction of the same snapshot.
    ///   - deliver: gets the values.
    /// - Throws: errors of `transform`, after the values of earlier batches were delivered; errors of `deliver`; `FHIRStoreError`.
    func forEachBatch<Value: Sendable>(
        ofTypeNamed name: String, on readers: SnapshotReaders,
        transform: @escaping @Sendable (ReadTransaction, [Registration]) throws -> Value, deliver: (Value) throws -> Void
    ) throws {
        try perform {
            let table = try table(ofTypeNamed: name)
            var last: Int64? = -1
            var slots: [SnapshotReaders.Slot<Value>] = []
            let ahead = Self.batchesAhead * (readers.count + 1)
            while true {
                while slots.count < ahead, let after = last {
                    let batch = try registrations(of: table, after: after)
                    last = batch.last?.root
                    if batch.isEmpty { break }
                    let slot = SnapshotReaders.Slot<Value>()
                    slots.append(slot)
                    readers.add { transaction in
                        readers.set(slot, Result { try transaction.store.mapping { try transform(transaction, batch) } })
                    }
                }
                guard !slots.isEmpty else { return }
                try Cancellation.check()
                try deliver(readers.value(of: slots.removeFirst(), self))
            }
        }
    }
}
