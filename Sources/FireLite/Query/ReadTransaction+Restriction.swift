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
    package var containedTypes: [Layout] { access.schema.tables.filter { $0.isResource && $0.holdsContainedRows }.map(\.root.layout) }

    // MARK: - Requests

    /// A request with the conditions of the restrictions, also on the resources that its own conditions look at.
    func restricted(_ request: QueryRequest) throws -> QueryRequest {
        if restriction == nil, request.restriction == nil { return request }
        var restrictions: [any QueryRestriction] = []
        for one in [restriction, request.restriction].compactMap({ $0 }) where !restrictions.contains(where: { $0 === one }) {
            restrictions.append(one)
        }
        var request = request
        for restriction in restrictions {
            var conditions: [String: Predicate] = [:]
            func condition(_ layout: Layout) throws -> Predicate {
                if let known = conditions[layout.name] { return known }
                let condition = try with(nil) { try restriction.condition(on: layout, in: self) }
                conditions[layout.name] = condition
                return condition
            }
            let own = try request.predicate.restricted(condition)
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
        request.predicate = .keys(roots.map { $0 << 24 })
        return Set(try self.roots(request))
    }

    func isPermitted(_ registration: Registration) throws -> Bool {
        if restriction == nil { return true }
        guard let name = try access.registry.typeName(ofShape: registration.shape), let table = access.schema.table(named: name) else {
            return false
        }
        return try permitted([registration.root], table.root.layout).contains(registration.root)
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
    fileprivate func restricted(_ condition: (Layout) throws -> Predicate) rethrows -> Predicate {
        switch self {
        case .target(let path, let layout, let inner):
            return .target(path, layout, .and([try condition(layout), try inner.restricted(condition)]))
        case .referredBy(let layout, let path, let inner):
            return .referredBy(layout, path, .and([try condition(layout), try inner.restricted(condition)]))
        case .any(let path, let inner): return .any(path, try inner.restricted(condition))
        case .contains(let layout, let inner): return .contains(layout, try inner.restricted(condition))
        case .and(let parts): return .and(try parts.map { try $0.restricted(condition) })
        case .or(let parts): return .or(try parts.map { try $0.restricted(condition) })
        case .not(let inner): return .not(try inner.restricted(condition))
        case .constant, .value, .exists, .count, .refers, .keys, .selected, .matching, .sampled: return self
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
