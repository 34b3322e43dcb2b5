import FireLiteCore
import FireLiteSQLiteBridge

/// A query for resources of one type. It runs when you ask for a result, with `all()`, `first()`, `count()` and so on.
///
/// ```swift
/// let joeys = try store.query(Patient.self)
///     .where { $0.name.given == "Joseph" && $0.birthDate < "1970-01-01" }
///     .sort { $0.birthDate.descending }.limit(50).all()
/// ```
/// A query is a value: it can be stored, varied and run again, from any thread. In a `read` or `write` it sees what that transaction sees.
/// Contained resources are never results; query their container.
public struct FHIRQuery<Resource: FHIRResource>: Sendable {
    package let store: FHIRStore
    package var request: QueryRequest

    init(store: FHIRStore) {
        self.store = store
        request = QueryRequest(store.layout(of: Resource.self))
    }

    private func with(_ change: (inout QueryRequest) -> Void) -> Self {
        var query = self
        change(&query.request)
        return query
    }

    // MARK: - Conditions

    /// Only resources that meet the condition; several calls combine.
    public func `where`(_ condition: (ElementPath<Resource>) -> QueryCondition) -> Self {
        let predicate = condition(ElementPath(QueryPath())).predicate
        return with { $0.add(predicate) }
    }

    /// Only resources that contain each of the words, by the type's full-text index: `matching("jos*")`.
    public func matching(_ words: String) -> Self { self.where { $0.matching(words) } }

    // MARK: - Order

    /// Sorts by a path, and equal values by the order in which the resources were stored.
    public func sort(_ key: (ElementPath<Resource>) -> SortKey) -> Self {
        let key = key(ElementPath(QueryPath()))
        return with { $0.sort.append(key) }
    }

    /// Sorts by several paths, in their order.
    public func sort(_ keys: (ElementPath<Resource>) -> [SortKey]) -> Self {
        let keys = keys(ElementPath(QueryPath()))
        return with { $0.sort += keys }
    }

    /// Limits the number of results.
    ///
    /// - Precondition: not negative.
    public func limit(_ count: Int) -> Self {
        misuse(unless: count >= 0, "a limit is 0 or more: leave it out for all results")
        return with { $0.limit = count }
    }

    /// Skips the first results. The cost grows with their number; `after(_:)` has no such cost.
    ///
    /// - Precondition: not negative.
    public func offset(_ count: Int) -> Self {
        misuse(unless: count >= 0, "an offset is 0 or more")
        return with { $0.offset = count }
    }

    /// Only results after the cursor's, in the query's order; an offset is ignored. Pass nil to start at the beginning.
    public func after(_ cursor: QueryCursor?) -> Self { with { $0.cursor = cursor } }

    // MARK: - Results

    /// The resources.
    ///
    /// - Complexity: reads rows of other resources only for the condition.
    /// - Throws: `FHIRStoreError`.
    public func all() throws -> [Resource] {
        try perform { transaction, note in
            let results = try all(transaction)
            if let note { for resource in results { note(resource) } }
            return results
        }
    }

    func all(_ transaction: ReadTransaction) throws -> [Resource] {
        var results: [FHIRResource] = []
        if request.isWholeType {
            try transaction.forEach(request) { resource in
                results.append(resource)
            }
        } else {
            results = try transaction.loader.resources(roots: transaction.roots(request), Cancellation.check)
        }
        return results.compactMap { resource in
            transaction.objects?.hold(resource)
            return resource as? Resource
        }
    }

    /// The first resource; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func first() throws -> Resource? { try atMostOne.all().first }

    /// The query for only the first result.
    var atMostOne: Self { limit(Swift.min(request.limit ?? 1, 1)) }

    /// The number of results, with limit and offset applied.
    ///
    /// - Throws: `FHIRStoreError`.
    public func count() throws -> Int { try perform { transaction, _ in try transaction.count(request) } }

    /// Whether there is a result.
    ///
    /// - Throws: `FHIRStoreError`.
    public func exists() throws -> Bool { try perform { transaction, _ in try !transaction.roots(atMostOne.request).isEmpty } }

    /// The logical ids of the results that have one, in their order.
    ///
    /// - Throws: `FHIRStoreError`.
    public func ids() throws -> [String] { try perform { transaction, _ in try ids(transaction) } }

    func ids(_ transaction: ReadTransaction) throws -> [String] {
        var ids: [String] = []
        try transaction.forEachResult(request, withID: true) { row in
            if let id = row.text(1) { ids.append(id) }
            return true
        }
        return ids
    }

    /// The pks of the results, in their order.
    ///
    /// - Throws: `FHIRStoreError`.
    public func pks() throws -> [String] { try perform { transaction, _ in try pks(transaction) } }

    func pks(_ transaction: ReadTransaction) throws -> [String] {
        var pks: [String] = []
        for root in try transaction.roots(request) {
            try Cancellation.check()
            guard let registration = try transaction.access.registry.registration(root: root) else { continue }
            pks.append(registration.pk ?? store.identity.pk(ofRoot: root))
        }
        return pks
    }

    /// Calls `body` with each resource in order, from one snapshot; memory holds about `batch` of them.
    ///
    /// - Complexity: without conditions, sorting and limits that of a scan (`ReadTransaction.forEach`), with one in memory at a time.
    /// - Throws: errors of `body`; `FHIRStoreError`.
    public func forEach(batch: Int = 256, _ body: (Resource) throws -> Void) throws {
        guard request.isWholeType else { return try batches(of: batch) { for resource in $0 { try body(resource) } } }
        // A restricted query is not of the whole type.
        try perform { transaction, _ in try scan(transaction, body) }
    }

    private func scan(_ transaction: ReadTransaction, _ body: (Resource) throws -> Void) throws {
        try transaction.forEach(request) { resource in
            if let resource = resource as? Resource { try body(resource) }
        }
    }

    /// Calls `body` with the resources in order, in batches of `size`, from one snapshot.
    ///
    /// - Complexity: only the keys of the results are all in memory; without conditions, sorting and limits not even these.
    /// - Precondition: `size` is at least 1.
    /// - Throws: errors of `body`; `FHIRStoreError`.
    public func batches(of size: Int, _ body: ([Resource]) throws -> Void) throws {
        misuse(unless: size > 0, "the size of a batch is 1 or more")
        try perform { transaction, note in
            if request.isWholeType {
                var batch: [Resource] = []
                try scan(transaction) { resource in
                    batch.append(resource)
                    guard batch.count == size else { return }
                    try body(batch)
                    batch.removeAll(keepingCapacity: true)
                }
                return batch.isEmpty ? () : try body(batch)
            }
            try transaction.forEachBatch(request, of: size) { batch in
                if let note { for resource in batch { note(resource) } }
                try body(batch.compactMap { $0 as? Resource })
            }
        }
    }
}

extension FHIRStore {
    /// A query for the resources of a type.
    ///
    /// - Precondition: the class belongs to the store's release.
    public func query<Resource: FHIRResource>(_ type: Resource.Type) -> FHIRQuery<Resource> { FHIRQuery(store: self) }
}
