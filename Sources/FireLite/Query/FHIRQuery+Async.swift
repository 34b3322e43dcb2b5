import FireLiteCore

// The results without blocking the caller. In an asynchronous function Swift picks these, with `await`; in the blocks of `read`
// and `write` the others. Each reads a snapshot of its own on a queue of the library, and ends with its task: a running statement is
// interrupted within about a millisecond, and the store remains usable.

extension FHIRQuery {
    /// The resources. Only the caller has them.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func all() async throws -> sending [Resource] {
        let results = try await store.readUntilCancelled { HandedOver(try all($0, $1)) }
        return results.value
    }

    /// The first resource; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func first() async throws -> sending Resource? {
        let results = try await store.readUntilCancelled { HandedOver(try atMostOne.all($0, $1).first) }
        return results.value
    }

    /// The number of results, with limit and offset applied.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func count() async throws -> Int { try await store.readUntilCancelled { transaction, _ in try transaction.count(request) } }

    /// Whether there is a result.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func exists() async throws -> Bool {
        try await store.readUntilCancelled { transaction, _ in try !transaction.roots(atMostOne.request).isEmpty }
    }

    /// The logical ids of the results that have one, in their order.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func ids() async throws -> [String] { try await store.readUntilCancelled { transaction, _ in try ids(transaction) } }

    /// The pks of the results, in their order.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func pks() async throws -> [String] { try await store.readUntilCancelled { try pks($0, $1) } }
}

/// Objects on their way from the thread that created them to the task that requested them.
///
/// `@unchecked Sendable`: the thread keeps no reference to them, as a read keeps no objects, and resuming the continuation orders the two.
struct HandedOver<Value>: @unchecked Sendable {
    nonisolated(unsafe) let value: Value
    init(_ value: Value) { self.value = value }
}
