import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The rows at a path, joined to their owner's row.
    struct PathRows {
        /// The lists, outermost first.
        var lists: [StoredList] = []
        /// The condition on the joined rows.
        var condition = SQLFragment.always
        /// The end of the path.
        var leaf: QueryLeaf

        /// `CROSS JOIN`s that follow the row's own table.
        var joins: SQLFragment { .joined(lists.map { " CROSS JOIN \($0.table) \($0.row.alias)" }, "") }
        /// The tables as the FROM clause of a subquery.
        var tables: SQLFragment { .joined(lists.map { "\($0.table) \($0.row.alias)" }, " CROSS JOIN ") }
        /// The positions in the lists, for document order.
        var orders: SQLFragment { .joined(lists.map { "\($0.row.alias)._ord" }, ", ") }
        /// Whether the path goes through no list.
        var isDirect: Bool { lists.isEmpty }

        /// Continues with the rows at a path from the leaf.
        mutating func append(_ rows: PathRows) {
            lists += rows.lists
            condition = .all([condition, rows.condition])
            leaf = rows.leaf
        }
    }

    /// The rows at a path from the row of a scope; nil if the file has none.
    func rows(_ path: QueryPath, _ scope: StoredPlace) throws -> PathRows? {
        var rows = PathRows(leaf: .object(scope, isRow: true))
        var scope = scope
        var rest = path.steps[...]
        while true {
            switch try walk(rest, scope) {
            case .leaf(let leaf):
                rows.leaf = leaf
                return rows
            case .list(let step, let position):
                guard step.list.exists else { return nil }
                rows.lists.append(step.list)
                rows.condition = .all([rows.condition, step.list.link] + (position.map { [step.list.isAt(Int64($0))] } ?? []))
                scope = step.scope
                rest = rest.dropFirst(step.consumed)
            }
        }
    }

    /// The rows at a path with filters; nil if the file has none.
    func rows(_ path: SortPath, _ scope: StoredPlace) throws -> PathRows? {
        var found = PathRows(leaf: .object(scope, isRow: true))
        var scope = scope
        for filter in path.filters {
            guard let rows = try rows(filter.path, scope) else { return nil }
            found.append(rows)
            switch rows.leaf {
            case .object(let inner, _):
                found.condition = .all([found.condition, try condition(filter.condition, inner, .filter)])
                scope = inner
            case .column(let column):
                found.condition = .all([found.condition, try conditionOnValue(filter.condition, column, .filter)])
                return path.path.isEmpty ? found : nil
            case .choice: throw FHIRStoreError(.invalidArgument, "a choice element as a whole has no elements: name one of its types")
            }
        }
        guard let rows = try rows(path.path, scope) else { return nil }
        found.append(rows)
        return found
    }

    /// The number of elements at a path, or of values if it ends in primitives.
    func count(_ path: QueryPath, _ scope: StoredPlace) throws -> SQLFragment {
        guard let rows = try rows(path, scope) else { return "0" }
        let isPresent = try exists(rows.leaf, .filter)
        if rows.isDirect { return "(CASE WHEN \(isPresent) THEN 1 ELSE 0 END)" }
        return "(SELECT count(*) FROM \(rows.tables) WHERE \(.all([rows.condition, isPresent])))"
    }

    /// A value for each resource: the value of a to-one path; through lists, the least, the greatest, or the first in the document.
    func value(_ path: QueryPath, _ scope: StoredPlace, _ choose: Choose) throws -> (sql: SQLFragment, column: StoredColumn?) {
        try value(SortPath(path), scope, choose)
    }

    /// The same at a path with filters.
    func value(_ path: SortPath, _ scope: StoredPlace, _ choose: Choose) throws -> (sql: SQLFragment, column: StoredColumn?) {
        guard let rows = try rows(path, scope) else { return ("NULL", nil) }
        guard case .column(let column) = rows.leaf else {
            throw FHIRStoreError(
                .invalidArgument, "only primitives can be sorted by and listed: name a primitive element of the complex one")
        }
        if column.name == nil { return ("NULL", column) }
        if rows.isDirect {
            if rows.condition.isNever { return ("NULL", column) }
            return (rows.condition.isAlways ? column.sql : "CASE WHEN \(rows.condition) THEN \(column) END", column)
        }
        switch choose {
        case .least: return ("(SELECT min(\(column)) FROM \(rows.tables) WHERE \(rows.condition))", column)
        case .greatest: return ("(SELECT max(\(column)) FROM \(rows.tables) WHERE \(rows.condition))", column)
        case .first(let aside):
            let result = aside ? column.asideSQL ?? "NULL" : column.sql
            let present = SQLFragment.all([rows.condition, "\(column) IS NOT NULL"])
            return ("(SELECT \(result) FROM \(rows.tables) WHERE \(present) ORDER BY \(rows.orders) LIMIT 1)", column)
        }
    }

    /// The least or greatest value at several paths.
    func value(ofSeveral paths: [SortPath], _ scope: StoredPlace, _ choose: Choose) throws -> SQLFragment {
        var selects: [SQLFragment] = []
        for path in paths {
            let (sql, column) = try value(path, scope, choose)
            guard column?.name != nil else { continue }
            selects.append(selects.isEmpty ? "SELECT \(sql) AS v" : "SELECT \(sql)")
        }
        if selects.isEmpty { return "NULL" }
        let function = if case .greatest = choose { "max" } else { "min" }
        return "(SELECT \(raw: function)(v) FROM (\(.joined(selects, " UNION ALL "))))"
    }

    /// Which of several values represents a resource.
    enum Choose {
        case least, greatest
        /// The first in the document, or its second column.
        case first(aside: Bool)
    }
}
