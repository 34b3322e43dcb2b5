import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The rows at a path, joined to their owner's row.
    struct PathRows {
        /// `CROSS JOIN`s that follow the row's own table.
        var joins: SQLFragment
        /// The condition on the joined rows.
        var condition: SQLFragment
        /// The end of the path.
        var leaf: QueryLeaf
        /// The positions in the lists, outermost first, for document order.
        var orders: [String]
        /// Whether the path goes through no list.
        var isDirect: Bool { orders.isEmpty }

        /// Continues with the rows at a path from the leaf.
        mutating func append(_ rows: PathRows) {
            joins += rows.joins
            condition = .all([condition, rows.condition])
            leaf = rows.leaf
            orders += rows.orders
        }
    }

    /// The rows at a path from the row of a scope; nil if the file has none.
    func rows(_ path: QueryPath, _ scope: QueryScope) throws -> PathRows? {
        var rows = PathRows(joins: SQLFragment(""), condition: .always, leaf: .object(scope, isRow: true), orders: [])
        var scope = scope
        var rest = path.steps[...]
        while true {
            switch try walk(rest, scope) {
            case .leaf(let leaf):
                rows.leaf = leaf
                return rows
            case .list(let step, let position):
                guard step.exists else { return nil }
                let alias = step.scope.alias
                rows.joins += SQLFragment(" CROSS JOIN \(step.table.quotedName) \(alias)")
                var conditions = [rows.condition, SQLFragment(ownership(of: alias, by: scope))]
                if let position { conditions.append(SQLFragment("\(alias)._ord = ?", [.integer(Int64(position))])) }
                if let member = step.member { conditions.append(SQLFragment("\(alias).\"_member\" = ?", [.text(member)])) }
                rows.condition = .all(conditions)
                rows.orders.append("\(alias)._ord")
                scope = step.scope
                rest = rest.dropFirst(step.consumed)
            }
        }
    }

    /// The rows at a path with filters; nil if the file has none.
    func rows(_ path: SortPath, _ scope: QueryScope) throws -> PathRows? {
        var found = PathRows(joins: SQLFragment(""), condition: .always, leaf: .object(scope, isRow: true), orders: [])
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
    func count(_ path: QueryPath, _ scope: QueryScope) throws -> SQLFragment {
        guard let rows = try rows(path, scope) else { return SQLFragment("0") }
        let isPresent = try exists(rows.leaf, .filter)
        if rows.isDirect { return "(CASE WHEN " + isPresent + " THEN 1 ELSE 0 END)" }
        return "(SELECT count(*) FROM " + from(rows) + " WHERE " + SQLFragment.all([rows.condition, isPresent]) + ")"
    }

    /// The joins as the FROM clause of a subquery.
    func from(_ rows: PathRows) -> SQLFragment {
        rows.joins.withoutPrefix(" CROSS JOIN ")
    }

    /// A value for each resource: the value of a to-one path; through lists, the least, the greatest, or the first in the document.
    func value(_ path: QueryPath, _ scope: QueryScope, _ choose: Choose) throws -> (sql: SQLFragment, column: QueryColumn?) {
        try value(SortPath(path), scope, choose)
    }

    /// The same at a path with filters.
    func value(_ path: SortPath, _ scope: QueryScope, _ choose: Choose) throws -> (sql: SQLFragment, column: QueryColumn?) {
        guard let rows = try rows(path, scope) else { return (SQLFragment("NULL"), nil) }
        guard case .column(let column) = rows.leaf else {
            throw FHIRStoreError(
                .invalidArgument, "only primitives can be sorted by and listed: name a primitive element of the complex one")
        }
        if column.name == nil { return (SQLFragment("NULL"), column) }
        if rows.isDirect {
            if rows.condition.isNever { return (SQLFragment("NULL"), column) }
            return (rows.condition.isAlways ? SQLFragment(column.sql) : "CASE WHEN " + rows.condition + " THEN \(column.sql) END", column)
        }
        let present = SQLFragment.all([rows.condition, SQLFragment("\(column.sql) IS NOT NULL")])
        switch choose {
        case .least: return ("(SELECT min(\(column.sql)) FROM " + from(rows) + " WHERE " + rows.condition + ")", column)
        case .greatest: return ("(SELECT max(\(column.sql)) FROM " + from(rows) + " WHERE " + rows.condition + ")", column)
        case .first(let aside):
            let result = aside ? (column.aside.map { "\(column.alias).\(quoted($0))" } ?? "NULL") : column.sql
            let select = "(SELECT \(result) FROM " + from(rows) + " WHERE " + present
            return (select + " ORDER BY \(rows.orders.joined(separator: ", ")) LIMIT 1)", column)
        }
    }

    /// The least or greatest value at several paths.
    func value(ofSeveral paths: [SortPath], _ scope: QueryScope, _ choose: Choose) throws -> SQLFragment {
        var values: SQLFragment?
        for path in paths {
            let (sql, column) = try value(path, scope, choose)
            guard column?.name != nil else { continue }
            let select = "SELECT " + sql + (values == nil ? " AS v" : "")
            values = values.map { $0 + " UNION ALL " + select } ?? select
        }
        let function = if case .greatest = choose { "max" } else { "min" }
        return values.map { "(SELECT \(function)(v) FROM (" + $0 + "))" } ?? SQLFragment("NULL")
    }

    /// Which of several values represents a resource.
    enum Choose {
        case least, greatest
        /// The first in the document, or its second column.
        case first(aside: Bool)
    }
}
