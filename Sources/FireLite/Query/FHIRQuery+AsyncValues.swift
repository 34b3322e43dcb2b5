import FireLiteCore

extension FHIRQuery {
    /// The values of one own element of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<Value>(_ path: KeyPath<Resource, Value?>) async throws -> sending [Value?] {
        let path = ValuePath<Value>(QueryPath([PathStep(slot: PathSlots.slot(path))]))
        return try await values { _ in path }
    }

    /// The values at one path of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) async throws -> sending [Path.Value?] {
        let path = path(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in path } }
    }
}
