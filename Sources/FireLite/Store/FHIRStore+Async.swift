import FireLiteCore
import Foundation

// The asynchronous forms of reading and writing. Blocks run on the library's own threads, as many as there are connections, as SQLite's
// calls block their thread.

extension FHIRStore {
    /// `write` without blocking the caller: suspends while another write runs, and while this one runs.
    ///
    /// Objects are not `Sendable`. The block may use objects that the caller has and does not use afterwards, and what it returns is the
    /// caller's:
    ///
    /// ```swift
    /// let patient = try Patient(json: data)
    /// let stored = try await store.write { tx in try tx.upsert(patient) }
    /// ```
    /// A cancelled task stops the block where it calls `checkCancellation()`, and where it stores, changes or deletes many resources with one
    /// call; the write is then rolled back. A block that has returned is committed.
    /// - Parameters:
    ///   - origin: where the changes come from; the change log lists only local ones. Default: `.local`.
    ///   - body: changes the store.
    /// - Throws: as `write` does; `CancellationError`.
    @discardableResult
    public func write<Value>(
        origin: WriteOrigin = .local, _ body: sending @escaping (WriteTransaction) throws -> Value
    ) async throws -> sending Value {
        try await writes.run(interruptsWrites: false) { try self.write(origin: origin, body) }
    }

    /// `read` without blocking the caller.
    ///
    /// A cancelled task ends the running statement within about a millisecond.
    /// - Parameter body: reads the snapshot. What it returns is the caller's.
    /// - Throws: as `read` does; `CancellationError`.
    public func read<Value>(_ body: sending @escaping (ReadTransaction) throws -> Value) async throws -> sending Value {
        try await reading { try self.read(body) }
    }

    /// Calls `body` at once, on the caller's thread: in an asynchronous function, the blocking form of a call.
    ///
    /// ```swift
    /// try store.blocking { try $0.write { tx in try tx.upsert(patient) } }
    /// ```
    /// It blocks a thread of Swift's pool, or the main thread, as long as the call takes. For short reads, and for objects that stay with
    /// their actor.
    /// - Parameter body: receives the store. It is a synchronous function, in which Swift picks the blocking forms.
    /// - Throws: errors of `body`.
    public func blocking<Value>(_ body: (FHIRStore) throws -> Value) rethrows -> Value { try body(self) }

    /// Runs a blocking read on a thread of the store's own.
    ///
    /// - Parameter deadline: when it must be done; nil if it may take any time. Default: nil.
    /// - Throws: errors of `body`; `CancellationError`; `TimeLimitExceeded` after the deadline.
    package func reading<Value>(
        until deadline: ContinuousClock.Instant? = nil, _ body: sending @escaping () throws -> Value
    ) async throws -> sending Value { try await reads.run(deadline: deadline, body) }

    /// Runs a blocking write on a thread of the store's own, in turn with other asynchronous writes. Cancelling rolls it back, as the deadline does.
    ///
    /// - Parameter deadline: when it must be done; nil if it may take any time. Default: nil.
    /// - Throws: errors of `body`; `CancellationError`; `TimeLimitExceeded` after the deadline.
    package func writing<Value>(
        until deadline: ContinuousClock.Instant? = nil, _ body: sending @escaping () throws -> Value
    ) async throws -> sending Value { try await writes.run(deadline: deadline, body) }

    /// Whether the time of what this thread does is over: see `reading(until:_:)`.
    package static var isOutOfTime: Bool { Cancellation.current?.isLate ?? false }

    /// Ends what this thread does if its task was cancelled or its time is over: `ReadTransaction.checkCancellation()` for work without a transaction.
    ///
    /// - Throws: `CancellationError`; `TimeLimitExceeded`.
    package static func checkCancellation() throws { try Cancellation.check() }

    /// Runs a blocking call that makes many writes, on a thread of its own. Each of its writes takes its turn.
    package func transferring<Value>(_ body: sending @escaping () throws -> Value) async throws -> sending Value {
        try await transfers.run(interruptsWrites: false, body)
    }
}

extension ReadTransaction {
    /// Ends the block if its task was cancelled: call it now and then in a block that takes long. A write is rolled back.
    ///
    /// Calls that read, store, change or delete many resources check by themselves. In the blocking forms, which belong to no task, it
    /// never throws.
    /// - Throws: `CancellationError`.
    public func checkCancellation() throws {
        requireActive()
        try Cancellation.check()
    }
}
