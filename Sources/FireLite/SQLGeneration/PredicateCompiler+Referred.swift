import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The resources that refer to others: the rows with their references, and the condition on them.
    private struct Sources {
        let layout: Layout
        let path: QueryPath
        let predicate: Predicate
        /// The resource referred to.
        let target: StoredPlace

        var type: String { target.group.layout.name }
    }

    /// The condition that a resource of a type that meets a predicate points to the scope's resource.
    ///
    /// Either the referring resources are found first, by their own condition, and each names its target; or the references to one target
    /// after the other are looked up, which needs an index on them.
    func referred(by layout: Layout, _ path: QueryPath, predicate: Predicate, scope: StoredPlace, strategy: Strategy) throws
        -> SQLFragment
    {
        guard scope.isRoot else {
            throw FHIRStoreError(.invalidArgument, "isReferred applies to a resource as a whole: use it outside of any { }")
        }
        try requireWhole(layout)
        let sources = Sources(layout: layout, path: path, predicate: predicate, target: scope)
        guard let column = try referenceColumn(sources) else { return .never }
        if try looksUpReferences(sources, column, strategy) { return try lookUp(sources, column) }
        return try find(sources, column)
    }

    /// The column of the references, in the rows of the referring resources or in a list; nil if the file has none.
    private func referenceColumn(_ sources: Sources) throws -> (column: StoredColumn, isDirect: Bool)? {
        let scope = rootScope(sources.layout)
        guard scope.table.isInFile, let rows = try rows(sources.path, scope) else { return nil }
        let column = try reference(rows.leaf)
        return column.name == nil ? nil : (column, rows.isDirect)
    }

    /// A `SELECT` from the referring resources that meet the condition; nil if there are none.
    private func references(
        _ sources: Sources, _ strategy: Strategy, _ select: (SQLFragment) -> SQLFragment, where link: (SQLFragment) -> SQLFragment
    ) throws -> SQLFragment? {
        let source = rootScope(sources.layout)
        let alias = source.alias
        guard let rows = try rows(sources.path, source) else { return nil }
        let reference = try self.reference(rows.leaf).sql
        let condition = try condition(sources.predicate, source, strategy)
        if condition.isNever { return nil }
        let all = SQLFragment.all(["\(alias)._parent IS NULL AND \(link(reference))", rows.condition, condition])
        return "SELECT \(select(reference)) FROM \(source.table) \(alias)\(rows.joins) WHERE \(all)"
    }

    // MARK: - From the resources that refer

    private func find(_ sources: Sources, _ column: (column: StoredColumn, isDirect: Bool)) throws -> SQLFragment {
        let (type, alias) = (sources.type, sources.target.alias)
        let id = sources.target.group.queryColumn(0, alias: alias).sql
        let ids = try references(sources, .drive, { ReferenceText.id($0, type) }, where: { "\($0) IS NOT NULL" })
        guard let ids else { return .never }
        let byID: SQLFragment = "\(id) IN (\(ids))"
        if indexes.hasIndex(on: column.column), try !hasUUIDs(column.column) { return byID }
        let keys = try references(sources, .drive, { ReferenceText.key(ofUUID: $0) }, where: { ReferenceText.isUUID("+\($0)") })
        return .either([byID, keys.map { "\(alias)._k IN (\($0))" } ?? .never])
    }

    // MARK: - From the resource referred to

    private func lookUp(_ sources: Sources, _ column: (column: StoredColumn, isDirect: Bool)) throws -> SQLFragment {
        let (type, alias) = (sources.type, sources.target.alias)
        let id = sources.target.group.queryColumn(0, alias: alias).sql
        func exists(_ link: (SQLFragment) -> SQLFragment) throws -> SQLFragment {
            try references(sources, .filter, { _ in "1" }, where: link).map { "EXISTS (\($0))" } ?? .never
        }
        let validID = ReferenceText.validID(id, type)
        var parts = [
            try exists { "\($0) = \(ReferenceText.relative(type, validID))" },
            try exists { "\(ReferenceText.isVersion($0, of: ReferenceText.relative(type, id))) AND \(ReferenceText.id($0, type)) = \(id)" },
        ]
        if try hasUUIDs(column.column) {
            parts.append(try exists { "\($0) = \(ReferenceText.uuid(ofID: id, type))" })
            parts.append(try exists { "\($0) = \(ReferenceText.uuid(ofKey: "\(alias)._k", type))" })
        }
        // Under no base but the store's own does a reference lead there.
        if bases.isEmpty { return .either(parts) }
        let absolute = try references(sources, .filter, { ReferenceText.id($0, type) }, where: ReferenceText.isAbsolute)
        if let absolute { parts.append("\(id) IN (\(absolute))") }
        return .either(parts)
    }

    // MARK: - Which of the two

    /// Looking up the references to one target costs about as much as finding this many referring resources.
    private static let foundPerLookUp = 3
    /// The number of referring resources on which to test a condition without an index, to estimate how many meet it.
    private static let sample = 256

    private func looksUpReferences(
        _ sources: Sources, _ column: (column: StoredColumn, isDirect: Bool), _ strategy: Strategy
    ) throws -> Bool {
        guard column.isDirect, indexes.hasIndex(on: column.column) else { return false }
        if isWalking { return true }
        let source = rootScope(sources.layout)
        let targets = try strategy == .filter ? candidates : statistics.size(of: sources.target.table)
        let references = try statistics.size(of: source.table)
        let perTarget = Swift.max(references / Swift.max(try statistics.size(of: sources.target.table), 1), 1)
        /// The cost of looking up, if one of so many references belongs to a resource that meets the condition.
        func lookingUp(_ oneIn: Int) -> Int { Swift.min(targets, references) * (Self.foundPerLookUp + Swift.min(perTarget, oneIn)) }
        if case .constant = sources.predicate { return lookingUp(0) <= references }
        // If an index leads to those that meet the condition, at most as many are counted as looking up would cost.
        let most = Swift.min(lookingUp(perTarget), references)
        let conditions = sources.predicate.conjuncts
        if try bestLead(conditions, source, atMost: most / 16) != nil { return false }
        if let lead = try bestLead(conditions, source, atMost: most, isCounted: true) {
            return lead.rows > lookingUp(references / Swift.max(lead.rows, 1))
        }
        if try hasLead(conditions, source) { return lookingUp(1) <= references }
        if lookingUp(perTarget) <= references / 2 { return true }
        let tried = Swift.min(references, Self.sample)
        let found = try sampled(sources, tried)
        return found * 16 >= tried && lookingUp(2 * tried / Swift.max(found, 1)) <= references / 2
    }

    /// The number of the first referring resources that meet the condition.
    private func sampled(_ sources: Sources, _ count: Int) throws -> Int {
        let scope = rootScope(sources.layout)
        let condition = try condition(sources.predicate, scope, .filter)
        let first: SQLFragment = "SELECT _k FROM \(scope.table) WHERE _parent IS NULL ORDER BY _k LIMIT \(count)"
        let select: SQLFragment = "SELECT 1 FROM \(scope.table) \(scope.alias) WHERE \(scope.alias)._k IN (\(first)) AND \(condition)"
        return try statistics.rows(select, upTo: count)
    }
}
