import FireLiteCore

// With Swift 6.3 the compiler gives up on an argument of type `Any` that is made from such a call in one expression:
// `print(try query.values(\.id, \.birthDate).count)`, "failed to produce diagnostic for expression". With the rows in a constant it compiles.

extension FHIRQuery {
    // MARK: - Own elements

    /// The values of own elements of each result, in tuples, without reading the resources.
    ///
    /// ```swift
    /// for (id, birthDate) in try store.query(Patient.self).values(\.id, \.birthDate) { … }
    /// ```
    /// - Precondition: the key paths are to-one primitives of the class.
    /// - Throws: `FHIRStoreError`.
    public func values<each Value>(_ paths: repeat KeyPath<Resource, (each Value)?>) throws -> [(repeat (each Value)?)] {
        try rows(QueryPaths(own: repeat each paths))
    }

    /// The values of own elements of each result, in tuples, without blocking the caller.
    ///
    /// - Precondition: the key paths are to-one primitives of the class.
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<each Value>(
        _ paths: repeat KeyPath<Resource, (each Value)?>
    ) async throws -> sending [(repeat (each Value)?)] {
        let paths = QueryPaths(own: repeat each paths)
        return try await store.reading { try self.rows(paths) }
    }

    // MARK: - Elements at any path

    /// The values at paths of each result, in tuples, without reading the resources; for a path through lists, the first in the document.
    ///
    /// ```swift
    /// let rows = try store.query(Observation.self).values { ($0.subject.reference, $0.valueQuantity.value, $0.code.coding.code) }
    /// ```
    /// - Throws: `FHIRStoreError`.
    public func values<each Path: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) throws -> [(repeat (each Path).Value?)] {
        try rows(QueryPaths(at: repeat each paths(ElementPath(QueryPath()))))
    }

    /// The values at paths of each result, in tuples, without blocking the caller; for a path through lists, the first in the document.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func values<each Path: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) async throws -> sending [(repeat (each Path).Value?)] {
        let paths = QueryPaths(at: repeat each paths(ElementPath(QueryPath())))
        return try await store.reading { try self.rows(paths) }
    }

    private func rows<each Value>(_ paths: QueryPaths<repeat each Value>) throws -> [(repeat (each Value)?)] {
        try tuples(paths.paths, paths.values)
    }
}

/// Paths to values, and the types of these.
private struct QueryPaths<each Value>: Sendable {
    private(set) var paths: [QueryPath] = []

    init<Resource: FHIRResource>(own paths: repeat KeyPath<Resource, (each Value)?>) {
        for path in repeat each paths { self.paths.append(QueryPath([PathStep(slot: PathSlots.slot(path))])) }
    }

    init<each Path: QueryValuePath>(at paths: repeat each Path) where (repeat (each Path).Value) == (repeat each Value) {
        for path in repeat each paths { self.paths.append(path._path.path) }
    }

    /// The values of one result from their literals.
    func values(_ literals: [String?]) -> (repeat (each Value)?) {
        var position = 0
        return (repeat Self.value(literals, &position, (each Value).self))
    }

    private static func value<One>(_ literals: [String?], _ position: inout Int, _ type: One.Type) -> One? {
        defer { position += 1 }
        return literals[position].flatMap { ProjectedValue.value($0, as: type) }
    }
}
