import FireLiteCore

/// What the engine decides about a query: which condition leads to the rows, and which only sort out.
struct QueryPlan {
    /// More rows than this at the end of an index, and it does not lead if anything better is there.
    static let selectiveRows = 2_000

    /// A condition that an index can lead to, as the rows of the index's table that it asks for.
    struct Lead {
        let part: Int
        let table: TablePlan
        let alias: String
        let condition: SQLFragment

        /// Counts the rows, up to a few more than are selective.
        var counting: SQLFragment {
            // An index on a resource type's table holds the resources that are in no other.
            let condition = table.isResource ? SQLFragment.all([condition, SQLFragment("\(alias)._parent IS NULL")]) : condition
            return "SELECT count(*) FROM (SELECT 1 FROM \"\(table.name)\" \(alias) WHERE " + condition
                + " LIMIT \(QueryPlan.selectiveRows + 1))"
        }
    }
}

extension PredicateCompiler {
    /// The condition on a result's row. The lead with the fewest rows leads; the others sort out what it leads to.
    ///
    /// - Parameters:
    ///   - isSortIndexed: whether an index gives the rows in the order that is asked for, and only the first of them are.
    ///   - rows: how many rows a lead has, counted up to a limit.
    func whereClause(
        _ predicate: Predicate, _ scope: QueryScope, isSortIndexed: Bool, rows: (QueryPlan.Lead) throws -> Int
    ) throws -> SQLFragment {
        let parts = predicate.conjuncts
        let leads = try lookingAhead { try parts.enumerated().compactMap { index, part in try lead(part, index, scope) } }
        var leader: Int?
        if leads.count > 1 || (isSortIndexed && !leads.isEmpty) {
            var fewest = Int.max
            for lead in leads {
                let count = try rows(lead)
                if count < fewest { (leader, fewest) = (lead.part, count) }
            }
            if isSortIndexed, fewest > QueryPlan.selectiveRows { leader = -1 }
        } else {
            leader = leads.first?.part
        }
        return .all(
            try parts.enumerated().map { index, part in try condition(part, scope, leader == nil || leader == index ? .drive : .filter) })
    }

    /// Whether an index can lead from a condition to the rows of a scope.
    func isIndexed(_ predicate: Predicate, _ scope: QueryScope) throws -> Bool {
        try lookingAhead { try lead(predicate, 0, scope) } != nil
    }

    private func lead(_ predicate: Predicate, _ part: Int, _ scope: QueryScope) throws -> QueryPlan.Lead? {
        switch predicate {
        case .value(let path, let test):
            guard let column = try column(path, scope), indexes.hasIndex(on: column), test.isSelective else { return nil }
            return QueryPlan.Lead(part: part, table: column.table, alias: column.alias, condition: self.test(test, column, .drive))
        case .refers(let path, let texts):
            guard let end = try end(path, scope) else { return nil }
            let column = try reference(end)
            guard indexes.hasIndex(on: column) else { return nil }
            return QueryPlan.Lead(part: part, table: column.table, alias: column.alias, condition: refers(column, texts, .drive))
        case .any(let path, let inner):
            guard let end = try end(path, scope) else { return nil }
            if case .object(let scope, _) = end {
                for inner in inner.conjuncts { if let lead = try lead(inner, part, scope) { return lead } }
            } else if case .column(let column) = end, indexes.hasIndex(on: column) {
                for case .value(let path, let test) in inner.conjuncts where path.isEmpty && test.isSelective {
                    return QueryPlan.Lead(part: part, table: column.table, alias: column.alias, condition: self.test(test, column, .drive))
                }
            }
            return nil
        case .or(let parts):
            let leads = try parts.map { try lead($0, part, scope) }
            guard let first = leads.first ?? nil, leads.allSatisfy({ $0?.table === first.table && $0 != nil }) else { return nil }
            return first
        case .matching: return nil
        default: return nil
        }
    }

    private func end(_ path: QueryPath, _ scope: QueryScope) throws -> QueryLeaf? {
        var rest = path.steps[...]
        var scope = scope
        while true {
            switch try walk(rest, scope) {
            case .leaf(let leaf): return leaf
            case .list(let step, _):
                guard step.exists else { return nil }
                scope = step.scope
                rest = rest.dropFirst(step.consumed)
            }
        }
    }

    /// The column at the end of a path; nil where it does not end in a primitive or the file has no such table.
    func column(_ path: QueryPath, _ scope: QueryScope) throws -> QueryColumn? {
        guard case .column(let column)? = try end(path, scope) else { return nil }
        return column
    }
}

extension ValueTest {
    /// Whether an index can lead from the test to rows.
    var isSelective: Bool {
        switch self {
        case .compare, .oneOf, .between, .date, .dateOneOf: true
        case .text(let way, _, let folding): folding.isEmpty && (way == .equal || way == .hasPrefix)
        }
    }
}
