import FireLiteCore

extension PredicateCompiler {
    /// The number of resources to walk through, in the order of their keys, in search of the first results; nil if the leading condition leaves
    /// so few rows that reading and sorting all of them costs no more.
    ///
    /// With *m* of *n* rows spread evenly, *n* / *m* rows are read for each result, and *m* rows for all: it is the same for the square root.
    /// Twice that bounds what a walk costs in vain, where results are rare or all come late.
    func rowsToWalk(_ parts: [Predicate], _ leads: [QueryPlan.Lead], _ scope: StoredPlace, wanted: Int) throws -> Int? {
        guard let first = leads.first else { return nil }
        // The keys of an index's rows are cheap to sort; to look each up, or to follow its reference, is not.
        if parts.count == 1, leads.count == 1, !parts[first.part].followsReferences { return nil }
        let size = try statistics.size(of: scope.table)
        var cost = 1
        for part in parts { cost = Swift.max(cost, try costOfTesting(part, scope)) }
        guard size > QueryPlan.leastWalked / cost, wanted < size / cost else { return nil }
        let most = Int((Double(wanted) * Double(size) * Double(cost)).squareRoot())
        guard try fewest(leads, atMost: Swift.max(most, QueryPlan.selectiveRows)) == nil else { return nil }
        return Swift.max(2 * most / cost, wanted)
    }

    /// The conjunction of conditions on a row that is reached in the order of keys.
    func walking(_ parts: [Predicate], _ scope: StoredPlace, rows: Int) throws -> SQLFragment {
        candidates = rows
        defer { candidates = Self.many }
        return try walking(true) { .all(try parts.map { try condition($0, scope, .filter) }) }
    }

    private func walking<Value>(_ isWalking: Bool, _ body: () throws -> Value) rethrows -> Value {
        let outer = self.isWalking
        self.isWalking = isWalking
        defer { self.isWalking = outer }
        return try body()
    }

    /// About how many rows are read to test a condition on one.
    private func costOfTesting(_ predicate: Predicate, _ scope: StoredPlace) throws -> Int {
        switch predicate {
        case .and(let parts), .or(let parts): return try parts.map { try costOfTesting($0, scope) }.max() ?? 1
        case .not(let inner): return try costOfTesting(inner, scope)
        case .referredBy(let layout, _, _):
            let table = schema.table(of: layout)
            guard table.isInFile else { return 1 }
            return (try statistics.size(of: table) / Swift.max(statistics.size(of: scope.table), 1) + 3) / 2
        default: return 1
        }
    }

    /// In a walk, the condition that a reference leads to one of few targets, which are found once; nil if there are many, or no walk.
    func targetOfWalk(_ column: StoredColumn, _ layout: Layout, _ predicate: Predicate) throws -> SQLFragment? {
        guard isWalking else { return nil }
        return try walking(false) {
            let scope = rootScope(layout)
            guard try bestLead(predicate.conjuncts, scope, atMost: Self.mostTargets) != nil else { return nil }
            return try targetAmongFew(column, layout, predicate)
        }
    }

    /// Most references are compared as texts, and only others by what they lead to, which takes a function of this library.
    private func targetAmongFew(_ column: StoredColumn, _ layout: Layout, _ predicate: Predicate) throws -> SQLFragment {
        // The sign keeps SQLite from beginning with the references' index.
        let (reference, type): (SQLFragment, String) = ("+\(column)", layout.name)
        let texts = try targets(
            layout, predicate: predicate, strategy: .drive,
            select: { id, _ in ReferenceText.relative(type, ReferenceText.validID(id, type)) },
            where: { id, _ in "\(id) IS NOT NULL" })
        guard let texts else { return .never }
        // The character after the slash is 0.
        let isOther: SQLFragment =
            "(\(reference) < '\(raw: type)/' OR \(reference) >= '\(raw: type)0' OR instr(\(reference), '/_history/') > 0)"
        return .either(["\(reference) IN (\(texts))", .all([isOther, try targetAmongAll(column, layout, predicate)])])
    }
}

extension Predicate {
    /// Whether it is about other resources.
    fileprivate var followsReferences: Bool {
        switch self {
        case .target, .referredBy: true
        case .and(let parts), .or(let parts): parts.contains(where: \.followsReferences)
        case .not(let inner), .any(_, let inner): inner.followsReferences
        case .contains, .constant, .value, .exists, .count, .refers, .keys, .selected, .matching, .named, .sampled: false
        }
    }
}
