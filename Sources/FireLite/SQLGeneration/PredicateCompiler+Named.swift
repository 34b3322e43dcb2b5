import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The condition that a resource is in the set of those of its type that meet a predicate, which the statement defines by a name.
    ///
    /// - Parameter isMade: whether the set is made before it is used, and not looked into key by key.
    func named(_ name: String, layout: Layout, predicate: Predicate, isMade: Bool, scope: StoredPlace) throws -> SQLFragment {
        guard scope.isRoot, scope.group.layout === layout else {
            throw FHIRStoreError(.invalidArgument, "a named condition applies to a resource as a whole")
        }
        let select = try definitions[name] ?? definition(layout, predicate, isMade ? .drive : .filter)
        definitions[name] = select
        if select.isNever || select.isAlways { return select }
        let definition = KeyDefinition(name: name, select: select, isMade: isMade)
        let row = walk.newRow()
        let condition: SQLFragment =
            isMade
            ? "\(scope.alias)._k IN (SELECT k FROM \(name: name))"
            : "EXISTS (SELECT 1 FROM \(name: name) \(row) WHERE \(row).k = \(scope.alias)._k)"
        return condition.naming(definition)
    }

    /// Selects the keys of the resources that meet a predicate; always or never if all or none do.
    private func definition(_ layout: Layout, _ predicate: Predicate, _ strategy: Strategy) throws -> SQLFragment {
        let scope = rootScope(layout)
        let condition = try condition(predicate, scope, strategy)
        if condition.isNever || condition.isAlways { return condition }
        let alias = scope.alias
        return "SELECT \(alias)._k FROM \(scope.table) \(alias) WHERE \(alias)._parent IS NULL AND \(condition)"
    }
}

extension Predicate {
    /// Up to this number of references, each is a level of the statement.
    private static let deepest = 2

    /// The predicate with a name for what the resources at the end of a long chain of references must meet, as nested statements have limits.
    var withNamedChains: Predicate {
        var count = 0
        return named(depth: 0, &count)
    }

    /// The same for predicates of one statement, where each name is that of one set.
    static func withNamedChains(_ predicates: some Sequence<Predicate>) -> [Predicate] {
        var count = 0
        return predicates.map { $0.named(depth: 0, &count) }
    }

    private func named(depth: Int, _ count: inout Int) -> Predicate {
        func beyond(_ layout: Layout, _ inner: Predicate) -> Predicate {
            let further = inner.named(depth: depth + 1, &count)
            // What names a set already, or follows no reference, is no level of its own.
            guard depth >= Self.deepest - 1, inner.followsAnother else { return further }
            count += 1
            return .named("chain\(count)", layout, further, isMade: true)
        }
        switch self {
        case .target(let path, let layout, let inner): return .target(path, layout, beyond(layout, inner))
        case .referredBy(let layout, let path, let inner): return .referredBy(layout, path, beyond(layout, inner))
        case .any(let path, let inner): return .any(path, inner.named(depth: depth, &count))
        case .contains(let layout, let inner): return .contains(layout, inner.named(depth: depth, &count))
        case .and(let parts): return .and(parts.map { $0.named(depth: depth, &count) })
        case .or(let parts): return .or(parts.map { $0.named(depth: depth, &count) })
        case .not(let inner): return .not(inner.named(depth: depth, &count))
        case .constant, .value, .exists, .count, .refers, .keys, .selected, .matching, .named, .sampled: return self
        }
    }

    /// Whether some part of it is about another resource.
    private var followsAnother: Bool {
        switch self {
        case .target, .referredBy: true
        case .and(let parts), .or(let parts): parts.contains(where: \.followsAnother)
        case .not(let inner), .any(_, let inner), .contains(_, let inner): inner.followsAnother
        case .constant, .value, .exists, .count, .refers, .keys, .selected, .matching, .named, .sampled: false
        }
    }
}
