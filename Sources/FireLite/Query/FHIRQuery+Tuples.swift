import FireLiteCore

// One function for each number of elements. With parameter packs the compiler gives up on such a call as an argument of another call
// (`print(try query.values(\.id, \.birthDate).count)`: "failed to produce diagnostic for expression", Swift 6.3).

extension FHIRQuery {
    // MARK: - Own elements

    /// The values of own elements of each result, in tuples, without reading the resources; for two to eight elements.
    ///
    /// ```swift
    /// for (id, birthDate) in try store.query(Patient.self).values(\.id, \.birthDate) { … }
    /// ```
    /// - Precondition: the key paths are to-one primitives of the class.
    /// - Throws: `FHIRStoreError`.
    public func values<A, B>(_ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>) throws -> [(A?, B?)] {
        try tuples([Self.path(a), Self.path(b)]) { (Self.value($0[0]), Self.value($0[1])) }
    }

    /// The values of three own elements of each result.
    public func values<A, B, C>(_ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>) throws -> [(A?, B?, C?)]
    {
        try tuples([Self.path(a), Self.path(b), Self.path(c)]) { (Self.value($0[0]), Self.value($0[1]), Self.value($0[2])) }
    }

    /// The values of four own elements of each result.
    public func values<A, B, C, D>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>
    ) throws -> [(A?, B?, C?, D?)] {
        try tuples([Self.path(a), Self.path(b), Self.path(c), Self.path(d)]) {
            (Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]))
        }
    }

    /// The values of five own elements of each result.
    public func values<A, B, C, D, E>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>,
        _ e: KeyPath<Resource, E?>
    ) throws -> [(A?, B?, C?, D?, E?)] {
        try tuples([Self.path(a), Self.path(b), Self.path(c), Self.path(d), Self.path(e)]) {
            (Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]), Self.value($0[4]))
        }
    }

    /// The values of six own elements of each result.
    public func values<A, B, C, D, E, F>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>,
        _ e: KeyPath<Resource, E?>, _ f: KeyPath<Resource, F?>
    ) throws -> [(A?, B?, C?, D?, E?, F?)] {
        try tuples([Self.path(a), Self.path(b), Self.path(c), Self.path(d), Self.path(e), Self.path(f)]) {
            (Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]), Self.value($0[4]), Self.value($0[5]))
        }
    }

    /// The values of seven own elements of each result.
    public func values<A, B, C, D, E, F, G>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>,
        _ e: KeyPath<Resource, E?>, _ f: KeyPath<Resource, F?>, _ g: KeyPath<Resource, G?>
    ) throws -> [(A?, B?, C?, D?, E?, F?, G?)] {
        try tuples([Self.path(a), Self.path(b), Self.path(c), Self.path(d), Self.path(e), Self.path(f), Self.path(g)]) {
            (
                Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]), Self.value($0[4]), Self.value($0[5]),
                Self.value($0[6])
            )
        }
    }

    /// The values of eight own elements of each result.
    public func values<A, B, C, D, E, F, G, H>(
        _ a: KeyPath<Resource, A?>, _ b: KeyPath<Resource, B?>, _ c: KeyPath<Resource, C?>, _ d: KeyPath<Resource, D?>,
        _ e: KeyPath<Resource, E?>, _ f: KeyPath<Resource, F?>, _ g: KeyPath<Resource, G?>, _ h: KeyPath<Resource, H?>
    ) throws -> [(A?, B?, C?, D?, E?, F?, G?, H?)] {
        try tuples([Self.path(a), Self.path(b), Self.path(c), Self.path(d), Self.path(e), Self.path(f), Self.path(g), Self.path(h)]) {
            (
                Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]), Self.value($0[4]), Self.value($0[5]),
                Self.value($0[6]), Self.value($0[7])
            )
        }
    }

    private static func path(_ path: PartialKeyPath<Resource>) -> QueryPath { QueryPath([PathStep(slot: PathSlots.slot(path))]) }

    private static func value<Value>(_ literal: String?) -> Value? { literal.flatMap { ProjectedValue.value($0, as: Value.self) } }

    // MARK: - Elements at any path

    /// The values at paths of each result, in tuples, without reading the resources; for a path through lists, the first in the document.
    /// For two to eight paths.
    ///
    /// ```swift
    /// let rows = try store.query(Observation.self).values { ($0.subject.reference, $0.valueQuantity.value, $0.code.coding.code) }
    /// ```
    /// - Throws: `FHIRStoreError`.
    public func values<A: QueryValuePath, B: QueryValuePath>(_ paths: (ElementPath<Resource>) -> (A, B)) throws -> [(A.Value?, B.Value?)] {
        let (a, b) = paths(ElementPath(QueryPath()))
        return try tuples([a._path.path, b._path.path]) { (Self.value($0[0]), Self.value($0[1])) }
    }

    /// The values at three paths of each result.
    public func values<A: QueryValuePath, B: QueryValuePath, C: QueryValuePath>(_ paths: (ElementPath<Resource>) -> (A, B, C)) throws -> [(
        A.Value?, B.Value?, C.Value?
    )] {
        let (a, b, c) = paths(ElementPath(QueryPath()))
        return try tuples([a._path.path, b._path.path, c._path.path]) { (Self.value($0[0]), Self.value($0[1]), Self.value($0[2])) }
    }

    /// The values at four paths of each result.
    public func values<A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (A, B, C, D)
    ) throws -> [(A.Value?, B.Value?, C.Value?, D.Value?)] {
        let (a, b, c, d) = paths(ElementPath(QueryPath()))
        return try tuples([a._path.path, b._path.path, c._path.path, d._path.path]) {
            (Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]))
        }
    }

    /// The values at five paths of each result.
    public func values<A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath, E: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (A, B, C, D, E)
    ) throws -> [(A.Value?, B.Value?, C.Value?, D.Value?, E.Value?)] {
        let (a, b, c, d, e) = paths(ElementPath(QueryPath()))
        return try tuples([a._path.path, b._path.path, c._path.path, d._path.path, e._path.path]) {
            (Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]), Self.value($0[4]))
        }
    }

    /// The values at six paths of each result.
    public func values<A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath, E: QueryValuePath, F: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (A, B, C, D, E, F)
    ) throws -> [(A.Value?, B.Value?, C.Value?, D.Value?, E.Value?, F.Value?)] {
        let (a, b, c, d, e, f) = paths(ElementPath(QueryPath()))
        return try tuples([a._path.path, b._path.path, c._path.path, d._path.path, e._path.path, f._path.path]) {
            (Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]), Self.value($0[4]), Self.value($0[5]))
        }
    }

    /// The values at seven paths of each result.
    public func values<
        A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath, E: QueryValuePath, F: QueryValuePath, G: QueryValuePath
    >(_ paths: (ElementPath<Resource>) -> (A, B, C, D, E, F, G)) throws -> [(
        A.Value?, B.Value?, C.Value?, D.Value?, E.Value?, F.Value?, G.Value?
    )] {
        let (a, b, c, d, e, f, g) = paths(ElementPath(QueryPath()))
        return try tuples([a._path.path, b._path.path, c._path.path, d._path.path, e._path.path, f._path.path, g._path.path]) {
            (
                Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]), Self.value($0[4]), Self.value($0[5]),
                Self.value($0[6])
            )
        }
    }

    /// The values at eight paths of each result.
    public func values<
        A: QueryValuePath, B: QueryValuePath, C: QueryValuePath, D: QueryValuePath, E: QueryValuePath, F: QueryValuePath, G: QueryValuePath,
        H: QueryValuePath
    >(_ paths: (ElementPath<Resource>) -> (A, B, C, D, E, F, G, H)) throws -> [(
        A.Value?, B.Value?, C.Value?, D.Value?, E.Value?, F.Value?, G.Value?, H.Value?
    )] {
        let (a, b, c, d, e, f, g, h) = paths(ElementPath(QueryPath()))
        return try tuples([a._path.path, b._path.path, c._path.path, d._path.path, e._path.path, f._path.path, g._path.path, h._path.path])
        {
            (
                Self.value($0[0]), Self.value($0[1]), Self.value($0[2]), Self.value($0[3]), Self.value($0[4]), Self.value($0[5]),
                Self.value($0[6]), Self.value($0[7])
            )
        }
    }
}
