import FireLiteCore

extension ReadTransaction {
    /// Runs `body` with a restriction on the transaction's calls.
    ///
    /// - Throws: errors of `body`.
    package func restricted<Value>(by restriction: any QueryRestriction, _ body: () throws -> Value) rethrows -> Value {
        try with(restriction, body)
    }

    private func with<Value>(_ restriction: (any QueryRestriction)?, _ body: () throws -> Value) rethrows -> Value {
        let outer = self.restriction
        self.restriction = restriction
        defer { self.restriction = outer }
        return try body()
    }

    /// The types of which the file has resources within others.
    package var containedTypes: [Layout] { access.schema.storedTables.filter { $0.isResource && $0.holdsContainedRows }.map(\.root.layout) }

    // MARK: - Cursors

    /// A cursor for the caller: sealed, if something is hidden.
    ///
    /// - Throws: what sealing throws.
    package func sealed(_ cursor: QueryCursor) throws -> QueryCursor { try restriction?.sealed(cursor, in: store) ?? cursor }

    /// The place of a cursor that came from a caller.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for one of another view.
    package func opened(_ cursor: QueryCursor) throws -> QueryCursor { try Self.opened(cursor, restriction, store) }

    private static func opened(
        _ cursor: QueryCursor, _ restriction: (any QueryRestriction)?, _ store: FHIRStore
    ) throws -> QueryCursor {
        if let restriction { return try restriction.opened(cursor, in: store) }
        guard cursor.sealed == nil else {
            throw FHIRStoreError(.invalidArgument, "the cursor belongs to a restricted view: use it with that view")
        }
        return cursor
    }

    // MARK: - Requests

    /// A request with the conditions of the restrictions, also on the resources that its own conditions look at.
    func restricted(_ request: QueryRequest) throws -> QueryRequest {
        var request = request
        // A request of a query has its cursor from the caller; others are made by this library.
        if let cursor = request.cursor, request.restriction != nil || cursor.sealed != nil {
            request.cursor = try Self.opened(cursor, request.restriction, store)
        }
        if restriction == nil, request.restriction == nil { return request }
        var restrictions: [any QueryRestriction] = []
        for one in [restriction, request.restriction].compactMap({ $0 }) where !restrictions.contains(where: { $0 === one }) {
            restrictions.append(one)
        }
        for (number, restriction) in restrictions.enumerated() {
            var conditions: [String: Predicate] = [:]
            func condition(_ layout: Layout) throws -> Predicate {
                if let known = conditions[layout.name] { return known }
                let condition = try with(nil) { try restriction.condition(on: layout, in: self) }
                conditions[layout.name] = condition
                return condition
            }
            let own = try request.predicate.restricted(condition, "permitted\(number)_")
            if let container = request.container {
                request.container?.predicate = .and([try condition(container.layout), container.predicate])
                request.predicate = own
            } else {
                request.predicate = .and([try condition(request.layout), own])
            }
        }
        return request
    }

    /// Those of some resources of a type that the restriction does not hide.
    func permitted(_ roots: [Int64], _ layout: Layout) throws -> Set<Int64> {
        var request = QueryRequest(layout)
        request.predicate = .keys(roots.map { RowKey.key($0) })
        return Set(try self.roots(request))
    }

    func isPermitted(_ registration: Registration) throws -> Bool {
        if restriction == nil { return true }
        guard let name = try access.registry.typeName(ofShape: registration.shape), let table = access.schema.table(named: name) else {
            return false
        }
        return try permitted([registration.root], table.root.layout).contains(registration.root)
    }

    /// Whether there are stored resources of a type with these ids that the restriction does not hide, in the order of the ids.
    ///
    /// - Precondition: there is a restriction.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    package func arePermitted(typeName: String, ids: [String]) throws -> [Bool] {
        try perform(observesRestriction: true) {
            let permitted = Set(try permittedIDs(ids, table(ofTypeNamed: typeName).root.layout).map { ExactText($0) })
            return ids.map { permitted.contains(ExactText($0)) }
        }
    }

    /// Those ids of a type that belong to resources that the restriction does not hide; all if there is none.
    func permittedIDs(_ ids: [String], _ layout: Layout) throws -> [String] {
        if restriction == nil { return ids }
        let table = table(of: layout)
        let roots = try ids.map { try access.registry.root(of: table, id: $0) }
        let permitted = try permitted(roots.compactMap { $0 }, layout)
        return zip(ids, roots).filter { $1.map { permitted.contains($0) } ?? false }.map(\.0)
    }
}

extension Predicate {
    /// The predicate with a condition on each other resource that it looks at.
    ///
    /// - Parameters:
    ///   - condition: the condition on resources of a type.
    ///   - prefix: what the names of the conditions begin with where they stand further inside, at each step of a chain.
    ///   - depth: the number of references on the way.
    fileprivate func restricted(_ condition: (Layout) throws -> Predicate, _ prefix: String, depth: Int = 0) rethrows -> Predicate {
        func seen(_ layout: Layout, _ inner: Predicate) throws -> Predicate {
            let own = try condition(layout)
            let further = try inner.restricted(condition, prefix, depth: depth + 1)
            return .and([depth == 0 ? own : .named(prefix + layout.name, layout, own, isMade: false), further])
        }
        func within(_ inner: Predicate) throws -> Predicate { try inner.restricted(condition, prefix, depth: depth) }
        switch self {
        case .target(let path, let layout, let inner): return .target(path, layout, try seen(layout, inner))
        case .referredBy(let layout, let path, let inner): return .referredBy(layout, path, try seen(layout, inner))
        case .any(let path, let inner): return .any(path, try within(inner))
        case .contains(let layout, let inner): return .contains(layout, try within(inner))
        case .and(let parts): return .and(try parts.map(within))
        case .or(let parts): return .or(try parts.map(within))
        case .not(let inner): return .not(try within(inner))
        case .constant, .value, .exists, .count, .refers, .keys, .selected, .matching, .named, .sampled: return self
        }
    }
}

extension FHIRQuery {
    /// The query, with a restriction on what it sees.
    package func restricted(by restriction: any QueryRestriction) -> Self {
        var query = self
        query.request.restriction = restriction
        return query
    }
}
