import Dispatch
import FireLiteCore
import Foundation

// The asynchronous forms of reading and writing. Blocks run on the library's own threads, as many as there are connections, as SQLite's
// calls block their thread.

extension FHIRStore {
    /// `write` without blocking the caller: suspends while another write runs, and while this one runs.
    ///
    /// Objects are not `Sendable`: create or fetch them inside the block, and pass keys (`pk`, type and id) in and out.
    ///
    /// ```swift
    /// try await store.write { tx in _ = try tx.upsert(try Patient(json: data)) }
    /// ```
    /// - Parameters:
    ///   - origin: where the changes come from; the change log lists only local ones. Default: `.local`.
    ///   - body: changes the store.
    /// - Throws: as `write` does; `CancellationError` if the task was cancelled before the block began.
    @discardableResult
    public func write<Value: Sendable>(
        origin: WriteOrigin = .local, _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await run(on: writes) { cancellation in
            try self.write(origin: origin) { transaction in
                try cancellation.check()
                return try body(transaction)
            }
        }
    }

    /// `read` without blocking the caller.
    ///
    /// - Throws: as `read` does; `CancellationError` if the task was cancelled before the block began.
    public func read<Value: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> Value) async throws -> Value {
        try await run(on: reads) { cancellation in
            try self.read { transaction in
                try cancellation.check()
                return try body(transaction)
            }
        }
    }

    /// Runs `body` on one of the threads of `queue`. A task that is cancelled while it waits for its turn stops waiting.
    private func run<Value: Sendable>(
        on queue: WorkQueue, _ body: @escaping @Sendable (Cancellation) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ticket = queue.add { continuation.resume(with: Result { try body(cancellation) }) }
                cancellation.whenRequested { if queue.withdraw(ticket) { continuation.resume(throwing: CancellationError()) } }
            }
        } onCancel: {
            cancellation.request()
        }
    }

    /// Runs `body` on a snapshot, on another thread, until the task is cancelled, which ends the running statement.
    ///
    /// - Parameters:
    ///   - prepare: runs on that thread before the snapshot begins.
    ///   - body: receives the snapshot, and a function to call between statements, which throws if the task was cancelled.
    /// - Throws: errors of `body`; `CancellationError`.
    func readUntilCancelled<Value: Sendable>(
        before prepare: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (ReadTransaction, () throws -> Void) throws -> Value
    ) async throws -> Value {
        try await run(on: reads) { cancellation in
            do {
                try cancellation.check()
                prepare()
                return try self.perform { transaction in
                    try cancellation.check()
                    // About a millisecond of SQLite's work.
                    return try transaction.access.connection.withProgress(every: 10_000, { !cancellation.isRequested }) {
                        try body(transaction, cancellation.check)
                    }
                }
            } catch let error as FHIRStoreError where error.code == .interrupted && cancellation.isRequested {
                throw CancellationError()
            }
        }
    }
}

/// Passes a task's cancellation to the thread that works for it.
private final class Cancellation: @unchecked Sendable {
    // `lock` guards every variable.
    private let lock = NSLock()
    private var requested = false
    private var handler: (@Sendable () -> Void)?

    var isRequested: Bool {
        lock.lock()
        defer { lock.unlock() }
        return requested
    }

    func request() {
        lock.lock()
        requested = true
        let handler = handler
        lock.unlock()
        handler?()
    }

    /// Runs `handler` when the task is cancelled, at once if it already was.
    func whenRequested(_ handler: @escaping @Sendable () -> Void) {
        lock.lock()
        self.handler = handler
        let requested = requested
        lock.unlock()
        if requested { handler() }
    }

    func check() throws { if isRequested { throw CancellationError() } }
}
