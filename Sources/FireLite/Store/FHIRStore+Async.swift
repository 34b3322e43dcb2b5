import Dispatch
import FireLiteCore

// The asynchronous forms of reading and writing. Blocks run on a queue of the library's, as SQLite's calls block their thread.

extension FHIRStore {
    private static let queue = DispatchQueue(label: "FireLite", attributes: .concurrent)

    /// `write` without blocking the caller: suspends while another write runs, and while this one does.
    ///
    /// Objects are not `Sendable`: make or fetch them inside the block, and hand keys (`pk`, type and id) in and out.
    ///
    /// ```swift
    /// try await store.write { tx in _ = try tx.upsert(try Patient(json: data)) }
    /// ```
    /// - Throws: as `write` does; `CancellationError` where the task was cancelled before the block began.
    @discardableResult
    public func write<Result: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> Result) async throws -> Result {
        try await run { try self.write(body) }
    }

    /// `read` without blocking the caller.
    ///
    /// - Throws: as `read` does; `CancellationError` where the task was cancelled before the block began.
    public func read<Result: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> Result) async throws -> Result {
        try await run { try self.read(body) }
    }

    private func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
