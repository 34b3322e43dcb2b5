import FireLiteCore
import FireLiteSQLiteBridge

/// Builds the statements of a query.
struct QueryStatement {
    static let alias = RowAlias.result

    let request: QueryRequest
    let access: StoreConnection
    let compiler: PredicateCompiler
    let scope: StoredPlace
    private let known = Known()

    /// What the statements of a query share.
    private final class Known {
        var conjuncts: [Predicate]?
        var leads: [QueryPlan.Lead]?
    }

    /// The part of the results after a cursor, if absent values of the first sort key come after present ones.
    enum Part {
        case present, absent
    }

    /// - Parameter statistics: answers the planner; nil for those of this statement alone.
    init(
        _ request: QueryRequest, _ access: StoreConnection, _ identity: StoreIdentity, _ statistics: RowStatistics? = nil
    ) throws {
        var request = request
        request.predicate = request.predicate.withNamedChains
        self.request = request
        self.access = access
        let bases = try access.preparedForQueries(identity)
        compiler = PredicateCompiler(
            schema: access.schema, indexes: access.queries.indexes, statistics: statistics ?? RowStatistics(access), bases: bases.texts)
        compiler.lost = try access.schema.lostTables(access.connection)
        try compiler.requireWhole(request.layout)
        if let container = request.container { try compiler.requireWhole(container.layout) }
        scope =
            request.container == nil
            ? compiler.rootScope(request.layout, alias: Self.alias) : compiler.containedScope(request.layout, alias: Self.alias)
    }

    /// Whether the file cannot have results: it has no resources of the type, or none in others.
    var isEmpty: Bool {
        guard let container = request.container else { return !scope.table.isInFile }
        return !scope.table.isInFile || !scope.table.holdsContainedRows || !compiler.schema.table(of: container.layout).isInFile
    }

    private var from: SQLFragment { " FROM \(scope.table) \(Self.alias)" }

    // MARK: - Parts

    var sortTerms: [SortTerm] {
        get throws {
            try request.sort.map { key in
                let choose = key.isDescending ? PredicateCompiler.Choose.greatest : .least
                // Of several paths, usually one has values in the file, and an index may be on it.
                let paths =
                    try key.paths.count < 2
                    ? key.paths
                    : key.paths.filter { try compiler.value($0, scope, choose).column?.name != nil }
                guard paths.count == 1 else {
                    let sql = try compiler.value(ofSeveral: paths, scope, choose)
                    return SortTerm(sql: sql, isDescending: key.isDescending, nulls: key.nulls, indexedColumn: nil, isElsewhere: true)
                }
                let (sql, column) = try compiler.value(paths[0], scope, choose)
                let indexed = column.flatMap { paths[0].filters.isEmpty && isIndexed($0) ? $0.name : nil }
                return SortTerm(
                    sql: sql, isDescending: key.isDescending, nulls: key.nulls, indexedColumn: indexed,
                    isElsewhere: column?.alias != Self.alias)
            }
        }
    }

    private func isIndexed(_ column: StoredColumn) -> Bool { column.alias == Self.alias && compiler.indexes.hasIndex(on: column) }

    /// The condition on the results.
    private func condition(_ order: QueryPlan.Order = .none) throws -> SQLFragment { .all(try conditions(order).parts) }

    /// The conditions on the results, and the place of the one that leads to them; nil if none does, or results are in others.
    private func conditions(_ order: QueryPlan.Order) throws -> (parts: [SQLFragment], leader: Int?) {
        let sections = try request.sections.map { try isIn($0) }
        if let container = request.container {
            let condition = try compiler.condition(compiler.pruned(request.predicate, scope), scope, .filter)
            return ([try compiler.isContained(scope, in: container), condition] + sections, nil)
        }
        let (conditions, leader) = try compiler.conjuncts(conjuncts, scope, order, leads: leads)
        return (["\(Self.alias)._parent IS NULL"] + conditions + sections, leader.flatMap { $0 < 0 ? nil : $0 + 1 })
    }

    /// A statement for the first results, which reads resources one by one up to a key.
    struct Walk {
        let keys: SQLFragment
        /// The key up to which it reads; nil if it reads to the end.
        let end: Int64?
    }

    /// The walk to begin with where a page of results is wanted in the order of their keys; nil if the plan is to begin with a condition.
    func walk(_ columns: [SQLFragment]) throws -> Walk? {
        guard request.sort.isEmpty, request.offset == 0, request.container == nil, request.sections.isEmpty, let limit = request.limit,
            limit > 0
        else { return nil }
        let parts = try conjuncts
        guard let rows = try compiler.rowsToWalk(parts, leads, scope, wanted: limit) else { return nil }
        let start = request.cursor?.key ?? -1
        let end = try compiler.statistics.key(in: scope.table, after: start, number: rows)
        let isBetween: SQLFragment =
            "\(Self.alias)._k > \(bind: .integer(start)) AND \(Self.alias)._k <= \(bind: .integer(end ?? .max))"
        let condition = SQLFragment.all(
            [isBetween, "\(Self.alias)._parent IS NULL", try compiler.walking(parts, scope, rows: rows)])
        return Walk(
            keys: "\(select(columns))\(from) WHERE \(condition) ORDER BY \(Self.alias)._k LIMIT \(bind: .integer(Int64(limit)))", end: end)
    }

    /// The column with the ids of the results.
    var id: SQLFragment { get throws { try compiler.value(QueryPath([PathStep(slot: 0)]), scope, .least).sql } }

    /// `SELECT` of the keys of the results and some columns.
    private func select(_ columns: [SQLFragment]) -> SQLFragment { "SELECT \(.joined(["\(Self.alias)._k"] + columns, ", "))" }

    /// The keys of the results in their order, followed by `columns`, and by the sort values if a cursor is needed.
    ///
    /// - Parameter start: the key after which the results begin; nil for all.
    func keys(
        _ columns: [SQLFragment] = [], withCursor: Bool = false, part: Part? = nil, limit: Int? = nil, after start: Int64? = nil
    ) throws -> SQLFragment {
        let terms = try sortTerms
        var order = QueryPlan.Order.keys
        if let limit = limit ?? request.limit, let column = terms.first?.indexedColumn {
            order = .index(column: column, limit: min(limit, .max / 2) + min(request.offset, .max / 2))
        }
        var (conditions, leader) = try conditions(order)
        if let cursor = request.cursor { conditions.append(try after(cursor, terms, part)) }
        if let start { conditions.append("\(Self.alias)._k > \(bind: .integer(start))") }
        // By what no row has, SQLite would sort all the same.
        let sorted = terms.filter { !$0.sql.isNull }
        var sql: SQLFragment
        if let leader, !sorted.isEmpty, let arms = try compiler.separateArms(conjuncts[leader - 1], scope) {
            sql = armByArm(arms, instead: leader, of: conditions, columns, terms, withCursor: withCursor)
        } else {
            let columns = columns + (withCursor ? terms.map(\.sql) : [])
            let orders = ordering(sorted.map(\.order), "\(Self.alias)._k")
            sql = "\(select(columns))\(try source(terms)) WHERE \(.all(conditions)) ORDER BY \(orders)"
        }
        let limit = limit ?? request.limit
        let offset = request.cursor == nil ? request.offset : 0
        if limit != nil || offset > 0 {
            sql += " LIMIT \(bind: .integer(Int64(limit ?? -1))) OFFSET \(bind: .integer(Int64(offset)))"
        }
        return sql
    }

    /// Terms to sort by, with the key as the last one.
    private func ordering(_ terms: [SQLFragment], _ key: SQLFragment) -> SQLFragment {
        .joined(terms + ["\(key)\(raw: isKeyDescending ? " DESC" : "")"], ", ")
    }

    /// `SELECT` of the keys of the results and some columns in their order, from one index search after the other.
    ///
    /// A condition with alternatives leads to a set of keys otherwise, and each row is then looked up by its key, too: half as much again.
    ///
    /// - Parameters:
    ///   - arms: conditions of which each row that the leading condition leads to meets exactly one.
    ///   - leader: the place of that condition.
    private func armByArm(
        _ arms: [SQLFragment], instead leader: Int, of conditions: [SQLFragment], _ columns: [SQLFragment], _ terms: [SortTerm],
        withCursor: Bool
    ) -> SQLFragment {
        func name(_ column: Int) -> SQLFragment { "\(raw: "c\(column)")" }
        let values = (columns + terms.map(\.sql)).enumerated().map { "\($1) AS \(name($0))" as SQLFragment }
        let selects = arms.map { arm in
            var conditions = conditions
            conditions[leader] = arm
            return "\(select(values))\(from) WHERE \(.all(conditions))" as SQLFragment
        }
        // A plus keeps SQLite from sorting each search by itself, perhaps with an index on what it sorts by.
        let orders = terms.enumerated().filter { !$1.sql.isNull }.map { index, term in
            term.sorting(by: "+\(Self.alias).\(name(columns.count + index))").order
        }
        let selected = select((0..<columns.count + (withCursor ? terms.count : 0)).map { "\(Self.alias).\(name($0))" })
        return "\(selected) FROM (\(.joined(selects, " UNION ALL "))) \(Self.alias) ORDER BY \(ordering(orders, "\(Self.alias)._k"))"
    }

    /// The table of the results, for a sort.
    ///
    /// If all of it is sorted by values in other rows, these are side by side in the order of the keys. SQLite would rather read the index on ids, which is
    /// smaller, and look up the others in the order of the ids, which is any.
    private func source(_ terms: [SortTerm]) throws -> SQLFragment {
        guard let first = terms.first, first.isElsewhere, request.container == nil, request.sections.isEmpty else { return from }
        let isAll = try conjuncts.allSatisfy { if case .constant(true) = $0 { true } else { false } }
        return isAll ? "\(from) NOT INDEXED" : from
    }

    /// The tie-break has the direction of the last key, so that one index provides both.
    private var isKeyDescending: Bool { request.sort.last?.isDescending ?? false }

    /// `SELECT expression` over the results, ignoring limits and sorting.
    func over(
        _ expression: SQLFragment, joins: SQLFragment = SQLFragment(), condition extra: SQLFragment = .always,
        tail: SQLFragment = SQLFragment()
    )
        throws -> SQLFragment
    {
        "SELECT \(expression)\(from)\(joins) WHERE \(.all([try condition(), extra]))\(tail)"
    }

    /// `SELECT count(…)` of the results, ignoring limits.
    ///
    /// - Parameter isOrdered: whether to rely on the order in which SQLite is expected to read; the count is NULL if the order was different.
    func counting(isOrdered: Bool) throws -> SQLFragment {
        // An index on the list is then enough: the resources' own rows are not read.
        guard let rows = try listRows(conjuncts) else { return try over("count(*)") }
        return "SELECT \(Self.count(rows, isOrdered))\(rows.from)"
    }

    /// Statements for the keys of the resources that meet each condition, or of rows in them, if counting the resources in all of these sets
    /// costs least; nil otherwise.
    func keySets() throws -> [SQLFragment]? {
        if request.container != nil || !request.sections.isEmpty { return nil }
        let parts = try conjuncts
        guard try listRows(parts) == nil else { return nil }
        return try compiler.keySets(parts, scope)
    }

    private var conjuncts: [Predicate] {
        get throws {
            if let conjuncts = known.conjuncts { return conjuncts }
            let conjuncts = try compiler.pruned(request.predicate, scope).conjuncts
            known.conjuncts = conjuncts
            return conjuncts
        }
    }

    private var leads: [QueryPlan.Lead] {
        get throws {
            if let leads = known.leads { return leads }
            let leads = try compiler.leads(conjuncts, scope)
            known.leads = leads
            return leads
        }
    }

    private func listRows(_ parts: [Predicate]) throws -> PredicateCompiler.ListRows? {
        parts.count == 1 && request.sections.isEmpty ? try compiler.listRows(parts[0], scope) : nil
    }

    /// The number of resources of a list's rows.
    private static func count(_ rows: PredicateCompiler.ListRows, _ isOrdered: Bool) -> SQLFragment {
        isOrdered && rows.isOrdered
            ? "\(raw: QueryFunctions.runs)(\(rows.key))" : "count(DISTINCT \(rows.resource))"
    }

    /// `SELECT` over the values at a path of all results, without NULL; nil if the file has no such column.
    ///
    /// - Parameters:
    ///   - isOrdered: as for `counting`.
    ///   - select: builds the selection from the column with the values and the expression that counts the results.
    func values(
        _ path: QueryPath, isOrdered: Bool, _ select: (_ column: SQLFragment, _ count: SQLFragment) -> SQLFragment,
        tail: (_ column: SQLFragment) -> SQLFragment
    ) throws -> (sql: SQLFragment, column: StoredColumn)? {
        guard let rows = try compiler.rows(path, scope) else { return nil }
        guard case .column(let column) = rows.leaf else {
            throw FHIRStoreError(.invalidArgument, "only primitives can be aggregated: name a primitive element of the complex one")
        }
        guard column.name != nil else { return nil }
        if case .constant(true) = request.predicate, request.sections.isEmpty, let list = try compiler.distantList(path.steps[...], scope),
            case .leaf(.column(let column)) = try compiler.walk(path.steps.dropFirst(list.consumed), list.scope)
        {
            // In an index the rows with one value are in the order of their keys.
            let isIndexed = compiler.indexes.hasIndex(on: column)
            let rows = compiler.rows(of: list, "\(column) IS NOT NULL", isOrdered: isIndexed)
            return ("SELECT \(select(column.sql, Self.count(rows, isOrdered)))\(rows.from)\(tail(column.sql))", column)
        }
        let present = SQLFragment.all([rows.condition, "\(column) IS NOT NULL"])
        let count: SQLFragment = rows.isDirect ? "count(*)" : "count(DISTINCT \(Self.alias)._k)"
        return (try over(select(column.sql, count), joins: rows.joins, condition: present, tail: tail(column.sql)), column)
    }

    // MARK: - Keyset paging

    /// Whether the results after the cursor have two parts: those with a value of the first key, and then those without.
    var hasTwoParts: Bool {
        guard let cursor = request.cursor, let first = request.sort.first, let value = cursor.values.first else { return false }
        return first.nulls == .last && !value.isNull
    }

    private func after(_ cursor: QueryCursor, _ terms: [SortTerm], _ part: Part?) throws -> SQLFragment {
        guard cursor.values.count == terms.count else {
            throw FHIRStoreError(
                .invalidArgument, "the cursor belongs to a query that sorts by other paths: use it with the query that created it")
        }
        if part == .absent, let first = terms.first { return "\(first.sql) IS NULL" }
        var condition: SQLFragment = "\(Self.alias)._k \(raw: isKeyDescending ? "<" : ">") \(bind: .integer(cursor.key))"
        for (index, term) in terms.enumerated().reversed() where !(term.sql.isNull && cursor.values[index].isNull) {
            condition = term.after(cursor.values[index], then: condition, skipsNulls: part == .present && index == 0)
        }
        if part == .present, let first = terms.first, let value = cursor.values.first {
            // Repeated on its own, so that an index can start there.
            condition = .all(["\(first.sql) \(raw: first.isDescending ? "<=" : ">=") \(bind: value)", condition])
        }
        return condition
    }
}
