import FireLiteCore

// The results without blocking the caller. In an asynchronous function Swift picks these, with `await`; in the blocks of `read`
// and `write` the others. Each runs on a queue of the library, and ends with its task: a running statement is interrupted within about
// a millisecond, and the store remains usable.

extension FHIRQuery {
    // MARK: - Resources

    /// The resources. Only the caller has them.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func all() async throws -> sending [Resource] { try await store.reading { try self.all() } }

    /// The first resource; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func first() async throws -> sending Resource? { try await store.reading { try self.first() } }

    /// The first results, and a cursor to continue from.
    ///
    /// - Precondition: `size` is at least 1.
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func page(of size: Int) async throws -> sending Page { try await store.reading { try self.page(of: size) } }

    /// Calls `body` with each resource in order, from one snapshot, on a thread of the store; memory holds about `batch` of them.
    ///
    /// `results(fetching:)` gives them to the caller's loop instead.
    /// - Throws: errors of `body`; `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func forEach(batch: Int = 256, _ body: sending @escaping (Resource) throws -> Void) async throws {
        try await store.reading { try self.forEach(batch: batch, body) }
    }

    /// Calls `body` with the resources in order, in batches of `size`, from one snapshot, on a thread of the store.
    ///
    /// `pages(of:)` gives them to the caller's loop instead.
    /// - Precondition: `size` is at least 1.
    /// - Throws: errors of `body`; `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func batches(of size: Int, _ body: sending @escaping ([Resource]) throws -> Void) async throws {
        try await store.reading { try self.batches(of: size, body) }
    }

    // MARK: - Keys and numbers

    /// The number of results, with limit and offset applied.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func count() async throws -> Int { try await store.reading { try self.count() } }

    /// Whether there is a result.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func exists() async throws -> Bool { try await store.reading { try self.exists() } }

    /// The logical ids of the results that have one, in their order.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func ids() async throws -> [String] { try await store.reading { try self.ids() } }

    /// The pks of the results, in their order.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func pks() async throws -> [String] { try await store.reading { try self.pks() } }

    /// SQLite's plan for the query, a line for each step (<https://www.sqlite.org/eqp.html>).
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func explain() async throws -> String { try await store.reading { try self.explain() } }

    // MARK: - Aggregates

    /// The distinct values at a path, in SQL's order.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func distinct<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) async throws -> sending [Path.Value] {
        let path = path(ElementPath(QueryPath()))
        return try await store.reading { try self.distinct { _ in path } }
    }

    /// The least value at a path; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func min<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) async throws -> sending Path.Value? {
        let path = path(ElementPath(QueryPath()))
        return try await store.reading { try self.min { _ in path } }
    }

    /// The greatest value at a path; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func max<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) async throws -> sending Path.Value? {
        let path = path(ElementPath(QueryPath()))
        return try await store.reading { try self.max { _ in path } }
    }

    /// The number of resources with each value at a path, the most frequent first.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func counts<Path: QueryValuePath>(by path: (ElementPath<Resource>) -> Path) async throws -> sending [ValueCount<Path.Value>] {
        let path = path(ElementPath(QueryPath()))
        return try await store.reading { try self.counts(by: { _ in path }) }
    }

    // MARK: - Changing the results

    /// Deletes the results in one write. Cancelling the task rolls it back.
    ///
    /// - Returns: the number of results.
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    @discardableResult
    public func delete() async throws -> Int { try await store.writing { try self.delete() } }

    /// Changes the results in one write, on a thread of the store. Cancelling the task rolls it back.
    ///
    /// - Returns: the number of results.
    /// - Throws: errors of `change`; `FHIRStoreError`; `CancellationError` if the task was cancelled.
    @discardableResult
    public func update(_ change: sending @escaping (Resource) throws -> Void) async throws -> Int {
        try await store.writing { try self.update(change) }
    }
}
