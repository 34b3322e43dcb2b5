import FireLiteCore

// The results without blocking the caller. Where a function is asynchronous Swift takes these, with `await`; in the blocks of `read`
// and `write` the others. Each reads a snapshot of its own on a queue of the library's, and ends with its task: a statement that runs is
// interrupted within about a millisecond, and the store goes on as before.

extension FHIRQuery {
    /// The resources. They are the caller's alone: nothing else has them yet.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` where the task was cancelled.
    public func all() async throws -> sending [Resource] {
        let results = try await store.readUntilCancelled { HandedOver(try all($0, $1)) }
        return results.value
    }

    /// The first resource; nil where there is none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` where the task was cancelled.
    public func first() async throws -> sending Resource? {
        let results = try await store.readUntilCancelled { HandedOver(try atMostOne.all($0, $1).first) }
        return results.value
    }

    /// How many results there are. A limit and an offset count.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` where the task was cancelled.
    public func count() async throws -> Int { try await store.readUntilCancelled { transaction, _ in try transaction.count(request) } }

    /// Whether there is a result.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` where the task was cancelled.
    public func exists() async throws -> Bool {
        try await store.readUntilCancelled { transaction, _ in try !transaction.roots(atMostOne.request).isEmpty }
    }

    /// The logical ids of the results that have one, in their order.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` where the task was cancelled.
    public func ids() async throws -> [String] { try await store.readUntilCancelled { transaction, _ in try ids(transaction) } }

    /// The pks of the results, in their order.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` where the task was cancelled.
    public func pks() async throws -> [String] { try await store.readUntilCancelled { try pks($0, $1) } }
}

/// Objects on their way from the thread that made them to the task that asked for them.
///
/// `@unchecked Sendable`: the thread keeps no hold of them, as a read remembers no objects, and the continuation's resumption orders the two.
struct HandedOver<Value>: @unchecked Sendable {
    nonisolated(unsafe) let value: Value
    init(_ value: Value) { self.value = value }
}
