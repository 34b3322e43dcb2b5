import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The condition that a reference leads to a resource of a type that meets a predicate.
    func target(_ column: StoredColumn, layout: Layout, predicate: Predicate, strategy: Strategy) throws -> SQLFragment {
        try requireWhole(layout)
        guard column.name != nil, schema.table(of: layout).isInFile else { return .never }
        if strategy == .filter {
            return try targetOfWalk(column, layout, predicate) ?? targetOfRow(column, layout, predicate)
        }
        return try leadsFromTargets(column, layout, predicate)
            ? try rowsOfTargets(column, layout, predicate) : try targetAmongAll(column, layout, predicate)
    }

    /// Selects from the targets: resources of a type that meet a predicate. Nil if there are none.
    func targets(
        _ layout: Layout, predicate: Predicate, strategy: Strategy, select: (_ id: SQLFragment, _ key: SQLFragment) -> SQLFragment,
        where link: (_ id: SQLFragment, _ key: SQLFragment) -> SQLFragment
    ) throws -> SQLFragment? {
        let scope = rootScope(layout)
        let alias = scope.alias
        let (id, key): (SQLFragment, SQLFragment) = (scope.group.queryColumn(0, alias: alias).sql, "\(alias)._k")
        let condition = try condition(predicate, scope, strategy)
        if condition.isNever { return nil }
        let isTarget: SQLFragment = "\(alias)._parent IS NULL AND \(link(id, key))"
        return "SELECT \(select(id, key)) FROM \(scope.table) \(alias) WHERE \(.all([isTarget, condition]))"
    }

    /// For rows that another condition leads to: the target of each is looked up.
    private func targetOfRow(_ column: StoredColumn, _ layout: Layout, _ predicate: Predicate) throws -> SQLFragment {
        let (reference, type) = (column.sql, layout.name)
        let name = ReferenceText.id(reference, type)
        let byID = try targets(
            layout, predicate: predicate, strategy: .filter, select: { _, _ in "1" }, where: { id, _ in "\(id) = \(name)" })
        let byPK = try targets(
            layout, predicate: predicate, strategy: .filter, select: { _, _ in "1" },
            where: { "\($1) = \(ReferenceText.key(ofUUID: reference))" })
        guard let byID, let byPK else { return .never }
        return .either(["EXISTS (\(byID))", "(\(ReferenceText.isUUID("+\(reference)")) AND EXISTS (\(byPK)))"])
    }

    /// The targets are found once, and every reference is read.
    func targetAmongAll(_ column: StoredColumn, _ layout: Layout, _ predicate: Predicate) throws -> SQLFragment {
        let reference = column.sql
        let ids = try targets(
            layout, predicate: predicate, strategy: .drive, select: { id, _ in id }, where: { id, _ in "\(id) IS NOT NULL" })
        let keys = try targets(layout, predicate: predicate, strategy: .drive, select: { $1 }, where: { "\($1) IS NOT NULL" })
        guard let ids, let keys else { return .never }
        return .either([
            "\(ReferenceText.id(reference, layout.name)) IN (\(ids))",
            "(\(ReferenceText.isUUID("+\(reference)")) AND \(ReferenceText.key(ofUUID: reference)) IN (\(keys)))",
        ])
    }

    /// The targets are found once, and an index finds the references to each, without a version and with one; in addition only
    /// absolute URLs are read.
    private func rowsOfTargets(_ column: StoredColumn, _ layout: Layout, _ predicate: Predicate) throws -> SQLFragment {
        let type = layout.name
        let all = try targets(
            layout, predicate: predicate, strategy: .drive, select: { "\(ReferenceText.validID($0, type)), \($1)" },
            where: { "\($1) IS NOT NULL" })
        guard let all else { return .never }
        let (found, row): (SQLFragment, RowAlias) = ("found_\(walk.newRow())", walk.newRow())
        let reference: SQLFragment = "\(row).\(name: column.name ?? "")"
        let text = ReferenceText.relative(type, "\(found).id")
        let rows: SQLFragment = "SELECT \(row)._k FROM \(column.table) \(row)"
        let rowsOfFound: SQLFragment = "SELECT \(row)._k FROM \(found) CROSS JOIN \(column.table) \(row)"
        var arms: [SQLFragment] = [
            "\(rowsOfFound) WHERE \(reference) = \(text)",
            "\(rowsOfFound) WHERE \(ReferenceText.isVersion(reference, of: text)) AND \(ReferenceText.id(reference, type)) = \(found).id",
        ]
        if !bases.isEmpty {
            arms.append(
                "\(rows) WHERE \(ReferenceText.isAbsolute(reference)) AND \(ReferenceText.id(reference, type)) IN (SELECT id FROM \(found))"
            )
        }
        if try hasUUIDs(column) {
            arms.append("\(rowsOfFound) WHERE \(reference) = \(ReferenceText.uuid(ofID: "\(found).id", type))")
            arms.append("\(rowsOfFound) WHERE \(reference) = \(ReferenceText.uuid(ofKey: "\(found).key", type))")
        }
        // An index on a resource type's table has only the resources that are not contained.
        if column.table.isResource { arms = arms.map { "\($0) AND \(row)._parent IS NULL" } }
        return "\(column.alias)._k IN (WITH \(found)(id, key) AS (\(all)) \(.joined(arms, " UNION ALL ")))"
    }

    /// Whether to go from the targets to the references: they have an index, and there are fewer targets than references.
    private func leadsFromTargets(_ column: StoredColumn, _ layout: Layout, _ predicate: Predicate) throws -> Bool {
        // An index on a resource type's table excludes contained resources.
        guard indexes.hasIndex(on: column), !column.table.isResource || column.alias.isResource else { return false }
        let scope = rootScope(layout)
        let references = try statistics.size(of: column.table)
        let limit = Swift.max(references / Self.referencesPerTarget, 1)
        if try statistics.size(of: scope.table) <= limit { return true }
        return try bestLead(predicate.conjuncts, scope, atMost: limit) != nil
    }

    /// Looking up the references to a target costs about as much as reading this many references.
    private static let referencesPerTarget = 2

    /// Whether an indexed column has references that begin with `urn:uuid:`.
    func hasUUIDs(_ column: StoredColumn) throws -> Bool {
        let alias = walk.newRow()
        let isRow: SQLFragment = column.table.isResource ? "\(alias)._parent IS NULL AND " : ""
        let range = ReferenceText.isUUID("\(alias).\(name: column.name ?? "")")
        return try statistics.rows("SELECT 1 FROM \(column.table) \(alias) WHERE \(isRow)\(range)", upTo: 1) > 0
    }
}
