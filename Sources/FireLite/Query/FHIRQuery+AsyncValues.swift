import FireLiteCore

// The asynchronous forms of `values`: see `FHIRQuery+Tuples.swift` for why there is one for each number of elements.

extension FHIRQuery {
    private static func path<Value>(_ path: KeyPath<Resource, Value?>) -> ValuePath<Value> {
        ValuePath(QueryPath([PathStep(slot: PathSlots.slot(path))]))
    }

    // MARK: - Own elements

    /// The values of one own element of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<Value>(_ path: KeyPath<Resource, Value?>) async throws -> sending [Value?] {
        let path = Self.path(path)
        return try await values { _ in path }
    }

    /// The values of two own elements of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A, B>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>
    ) async throws -> sending [(A?, B?)] {
        let paths = (Self.path(a), Self.path(b))
        return try await values { _ in paths }
    }

    /// The values of three own elements of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A, B, C>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>
    ) async throws -> sending [(A?, B?, C?)] {
        let paths = (Self.path(a), Self.path(b), Self.path(c))
        return try await values { _ in paths }
    }

    /// The values of four own elements of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A, B, C, D>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>
    ) async throws -> sending [(A?, B?, C?, D?)] {
        let paths = (Self.path(a), Self.path(b), Self.path(c), Self.path(d))
        return try await values { _ in paths }
    }

    /// The values of five own elements of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A, B, C, D, E>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>,
        _ e: KeyPath<Resource, E?>
    ) async throws -> sending [(A?, B?, C?, D?, E?)] {
        let paths = (Self.path(a), Self.path(b), Self.path(c), Self.path(d), Self.path(e))
        return try await values { _ in paths }
    }

    /// The values of six own elements of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A, B, C, D, E, F>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>,
        _ e: KeyPath<Resource, E?>, _ f: KeyPath<Resource, F?>
    ) async throws -> sending [(A?, B?, C?, D?, E?, F?)] {
        let paths = (Self.path(a), Self.path(b), Self.path(c), Self.path(d), Self.path(e), Self.path(f))
        return try await values { _ in paths }
    }

    /// The values of seven own elements of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A, B, C, D, E, F, G>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>,
        _ e: KeyPath<Resource, E?>, _ f: KeyPath<Resource, F?>, _ g: KeyPath<Resource, G?>
    ) async throws -> sending [(A?, B?, C?, D?, E?, F?, G?)] {
        let paths = (Self.path(a), Self.path(b), Self.path(c), Self.path(d), Self.path(e), Self.path(f), Self.path(g))
        return try await values { _ in paths }
    }

    /// The values of eight own elements of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A, B, C, D, E, F, G, H>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>,
        _ e: KeyPath<Resource, E?>, _ f: KeyPath<Resource, F?>, _ g: KeyPath<Resource, G?>, _ h: KeyPath<Resource, H?>
    ) async throws -> sending [(A?, B?, C?, D?, E?, F?, G?, H?)] {
        let paths = (Self.path(a), Self.path(b), Self.path(c), Self.path(d), Self.path(e), Self.path(f), Self.path(g), Self.path(h))
        return try await values { _ in paths }
    }

    // MARK: - Elements at any path

    /// The values at one path of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) async throws -> sending [Path.Value?] {
        let path = path(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in path } }
    }

    /// The values at two paths of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A: QueryValuePath, B: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (A, B)
    ) async throws -> sending [(A.Value?, B.Value?)] {
        let paths = paths(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in paths } }
    }

    /// The values at three paths of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A: QueryValuePath, B: QueryValuePath, C: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (A, B, C)
    ) async throws -> sending [(A.Value?, B.Value?, C.Value?)] {
        let paths = paths(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in paths } }
    }

    /// The values at four paths of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (A, B, C, D)
    ) async throws -> sending [(A.Value?, B.Value?, C.Value?, D.Value?)] {
        let paths = paths(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in paths } }
    }

    /// The values at five paths of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath, E: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (A, B, C, D, E)
    ) async throws -> sending [(A.Value?, B.Value?, C.Value?, D.Value?, E.Value?)] {
        let paths = paths(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in paths } }
    }

    /// The values at six paths of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath, E: QueryValuePath, F: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (A, B, C, D, E, F)
    ) async throws -> sending [(A.Value?, B.Value?, C.Value?, D.Value?, E.Value?, F.Value?)] {
        let paths = paths(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in paths } }
    }

    /// The values at seven paths of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<
        A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath, E: QueryValuePath, F: QueryValuePath, G: QueryValuePath
    >(
        _ paths: (ElementPath<Resource>) -> (A, B, C, D, E, F, G)
    ) async throws -> sending [(A.Value?, B.Value?, C.Value?, D.Value?, E.Value?, F.Value?, G.Value?)] {
        let paths = paths(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in paths } }
    }

    /// The values at eight paths of each result, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<
        A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath, E: QueryValuePath, F: QueryValuePath, G: QueryValuePath,
        H: QueryValuePath
    >(
        _ paths: (ElementPath<Resource>) -> (A, B, C, D, E, F, G, H)
    ) async throws -> sending [(A.Value?, B.Value?, C.Value?, D.Value?, E.Value?, F.Value?, G.Value?, H.Value?)] {
        let paths = paths(ElementPath(QueryPath()))
        return try await store.reading { try self.values { _ in paths } }
    }
}
