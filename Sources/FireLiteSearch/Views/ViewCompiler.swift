import FireLite
import FireLiteCore
import FireLiteFHIRPath

/// Turns a view into one SQL statement.
struct ViewCompiler {
    /// A column of the statement.
    struct Column {
        let name: String
        let kind: SQLKind
        let isCollection: Bool
        /// What is left for this library to do with the value.
        var decoding = Decoding.none
    }

    /// How a value is made from what the statement gives. SQL can do the same, in five times the time.
    enum Decoding {
        case none
        /// The statement gives a reference's text; the value is the key of the resource, of a type if one is given.
        case referenceKey(String?)
        /// The statement gives a date or time in UTC, and its offset in another column.
        case temporal(PrimitiveType, aside: Int)
    }

    /// A statement that gives the rows of a view.
    struct Statement {
        let sql: SQLFragment
        let columns: [Column]

        /// The statement without parameters.
        ///
        /// - Throws: `ViewError` for a text that a statement cannot have.
        var literalText: String {
            get throws {
                guard let text = sql.literalText else {
                    throw ViewError(.notCompiled, "a text with a zero byte cannot be SQL here", at: "select")
                }
                return text
            }
        }
    }

    /// How the values are written.
    enum Form {
        /// For this library: numbers with the digits of their literals, rows in the order of resources and lists.
        case rows
        /// The same, with some values as they are stored (`Decoding`).
        case storedRows
        /// For the definition of a view: numbers as SQL's, rows in any order.
        case view
        /// For a lake: dates in UTC and decimals as text, each with the rest of its literal in another column, references as texts, and the
        /// number of each row's resource; rows in any order.
        case published
        /// The same, of the resources whose numbers are a list of JSON in parameter 1.
        case publishedChanges

        var isPublished: Bool { self == .published || self == .publishedChanges }
    }

    /// One `SELECT`; a union has one for each branch.
    struct Part {
        var joins: [SQLFragment] = []
        var conditions: [SQLFragment] = []
        var columns: [SQLFragment] = []
        /// The rest of each column's literal, in the form `published`.
        var asides: [SQLFragment] = []
        /// What rows are sorted by: positions in lists, and the numbers of branches.
        var keys: [SQLFragment] = []
        /// The rows with one item of a list that are joined for columns, by what they are joined by.
        private var singles: [Single: RowAlias] = [:]

        /// A table, and the condition that its row is the item.
        private struct Single: Hashable {
            let table: String
            let condition: SQLFragment.Key
        }

        /// A primitive of one item of a list as one of a joined row, which several columns share. Other collections stay as they are.
        ///
        /// A view in the file has subqueries instead: who does not read a column does not pay for it. And for a condition on an element SQLite might
        /// build an index of it for the query. Positions in lists are no such condition.
        mutating func shared(_ items: SQLCollection, _ outer: Set<RowAlias>, _ form: Form) -> SQLCollection {
            guard form != .view, items.isSingle, items.conditions.isEmpty, items.rows.count == 1, let row = items.rows.first,
                row.isByPosition || !row.link.hasValues,
                case .column(var column) = items.value, column.alias == row.alias
            else { return items }
            let single = Single(table: row.table, condition: row.condition().key(outer: outer))
            if let alias = singles[single] {
                column.alias = alias
            } else {
                singles[single] = row.alias
                joins.append(" LEFT JOIN \(name: row.table) \(row.alias) ON \(row.condition(isJoined: true))")
            }
            return SQLCollection(.column(column))
        }

        /// Both parts together, as their tables are joined.
        func joined(_ other: Part) -> Part {
            var both = self
            both.joins += other.joins
            both.conditions += other.conditions
            both.columns += other.columns
            both.asides += other.asides
            both.keys += other.keys
            return both
        }
    }

    struct Scope {
        var focus: ExpressionCompiler.Focus
        /// The condition that there is an element, after forEachOrNull.
        var guardCondition: SQLFragment?
        /// The rows that its expressions begin at, and those around it.
        var rows: Set<RowAlias>
    }

    private let plan: ViewPlan
    let walk: TableWalk
    let form: Form
    /// Whether values may be left as they are stored.
    private let decodes: Bool
    /// Whether the statement is for resources with keys between two parameters.
    private let isOfRange: Bool
    let expressions: ExpressionCompiler

    private init(_ plan: ViewPlan, walk: TableWalk, form: Form, bases: SQLText.Bases, isOfRange: Bool) {
        self.isOfRange = isOfRange
        self.plan = plan
        self.walk = walk
        self.form = form
        // The branches of a union would have to agree.
        decodes = (form == .storedRows || form.isPublished) && !plan.selects.contains(where: \.hasUnion)
        expressions = ExpressionCompiler(
            walk: walk, constants: Dictionary(uniqueKeysWithValues: plan.definition.constants.map { ($0.name, $0) }),
            isLasting: form == .view, bases: bases)
    }

    /// The statement of a view; nil if there are no rows.
    ///
    /// - Parameters:
    ///   - bases: the base addresses under which references are to the store's own resources; not used for the definition of a view,
    ///     which asks the file.
    ///   - ofRange: whether it is for the resources with keys from parameter 1 to parameter 2, and all other values are in its text. Default: false.
    /// - Throws: `NotCompiled` with the place, if an expression has no form in SQL.
    static func statement(
        _ plan: ViewPlan, _ walk: TableWalk, _ form: Form, bases: [String] = [], ofRange isOfRange: Bool = false
    ) throws -> Statement? {
        guard let root = walk.resources(plan.layout) else { return nil }
        return try ViewCompiler(plan, walk: walk, form: form, bases: form == .view ? .ofFile : .these(bases), isOfRange: isOfRange)
            .statement(root)
    }

    // MARK: - The statement

    private func statement(_ root: StoredPlace) throws -> Statement {
        let focus = ExpressionCompiler.Focus(item: SQLCollection(.object(root)), rowIndex: "0")
        var parts = [Part()]
        for select in plan.selects { parts = product(parts, try self.parts(select, Scope(focus: focus, rows: [root.alias]))) }
        let filter = try plan.conditions.map { condition in
            try located(condition.place) { try expressions.truth(expressions.collection(condition.path.syntax, focus)) }
        }
        var columns = plan.selects.flatMap(\.allColumns).map { column in
            let name = column.definition.name
            return Column(name: name, kind: kinds[name] ?? .text, isCollection: column.definition.isCollection)
        }
        var asides: [SQLFragment] = []
        for index in columns.indices {
            switch found.stored[columns[index].name] {
            case .referenceKey(let type)?: columns[index].decoding = .referenceKey(type)
            case .temporal(let type, let offset)?:
                columns[index].decoding = .temporal(type, aside: columns.count + asides.count)
                asides.append(offset)
            case nil: break
            }
        }
        if form.isPublished { return published(parts, of: root, where: filter, columns: columns) }
        let statements = parts.map { part in
            let range: [SQLFragment] = isOfRange ? ["\(root.alias)._k BETWEEN ?1 AND ?2"] : []
            let conditions = ["\(root.alias)._parent IS NULL"] + range + filter + part.conditions
            return (
                select: zip(part.columns, columns).map { "\($0) AS \(name: $1.name)" as SQLFragment },
                from: " FROM \(name: root.tableName) \(root.alias)\(.joined(part.joins, "")) WHERE \(.joined(conditions, " AND "))"
                    as SQLFragment,
                keys: ["\(root.alias)._k"] + part.keys
            )
        }
        func list(_ parts: [SQLFragment]) -> SQLFragment { .joined(parts, ", ") }
        if form == .view {
            return Statement(
                sql: .joined(statements.map { "SELECT \(list($0.select))\($0.from)" }, " UNION ALL "), columns: columns)
        }
        if statements.count == 1, let only = statements.first {
            return Statement(sql: "SELECT \(list(only.select + asides))\(only.from) ORDER BY \(list(only.keys))", columns: columns)
        }
        let width = statements.map(\.keys.count).max() ?? 0
        let selects = statements.map { statement in
            let keys = statement.keys + Array(repeating: "0", count: width - statement.keys.count)
            let named = keys.enumerated().map { "\($1) AS \(name: "_\($0)")" as SQLFragment }
            return "SELECT \(list(statement.select + named))\(statement.from)" as SQLFragment
        }
        let names = list(columns.map { "\(name: $0.name)" })
        let order = list((0..<width).map { "\(name: "_\($0)")" })
        return Statement(sql: "SELECT \(names) FROM (\(.joined(selects, " UNION ALL "))) ORDER BY \(order)", columns: columns)
    }

    /// The statement that a lake is filled by: the number of the resource, and each column with the rest of its literal.
    private func published(_ parts: [Part], of root: StoredPlace, where filter: [SQLFragment], columns: [Column]) -> Statement {
        let statements = parts.map { part in
            let chosen = form == .publishedChanges ? [PublishedView.restriction(to: root.alias)] : []
            let conditions = ["\(root.alias)._parent IS NULL"] + chosen + filter + part.conditions
            let selected = zip(columns, zip(part.columns, part.asides)).flatMap { column, values in
                let value: SQLFragment = "\(values.0) AS \(name: column.name)"
                guard PublishedView.hasAside(column.kind, isCollection: column.isCollection) else { return [value] }
                return [value, "\(values.1) AS \(name: PublishedView.aside(of: column.name))"]
            }
            let list: SQLFragment = .joined(["\(root.alias)._k >> 24 AS \(name: PublishedView.root)"] + selected, ", ")
            let from: SQLFragment = "\(name: root.tableName) \(root.alias)\(.joined(part.joins, ""))"
            return "SELECT \(list) FROM \(from) WHERE \(.joined(conditions, " AND "))" as SQLFragment
        }
        return Statement(sql: .joined(statements, " UNION ALL "), columns: columns)
    }

    /// The kinds of the columns, as far as they were met.
    private final class Kinds {
        var known: [String: SQLKind] = [:]
        /// Columns with values as they are stored.
        var stored: [String: Stored] = [:]
    }

    private enum Stored {
        case referenceKey(String?)
        case temporal(PrimitiveType, offset: SQLFragment)
    }

    private let found = Kinds()
    private var kinds: [String: SQLKind] { found.known }

    private func product(_ left: [Part], _ right: [Part]) -> [Part] { left.flatMap { one in right.map { one.joined($0) } } }

    private func located<Value>(_ place: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as NotCompiled {
            throw ViewError(.notCompiled, "\(error.what) cannot be SQL here", at: place)
        }
    }

    // MARK: - Parts

    private func parts(_ select: ViewPlan.Select, _ outer: Scope) throws -> [Part] {
        var part = Part()
        let scope = try located(select.place) { try self.scope(select, outer, &part) }
        for column in select.columns { part.columns.append(try located(column.place) { try value(column, scope, &part) }) }
        var result = [part]
        for inner in select.selects { result = product(result, try parts(inner, scope)) }
        guard !select.unionAll.isEmpty else { return result }
        if scope.guardCondition != nil, select.unionAll.count > 1 {
            throw ViewError(.notCompiled, "a union after forEachOrNull cannot be SQL here", at: select.place)
        }
        var branches: [Part] = []
        for (number, branch) in select.unionAll.enumerated() {
            for var part in try parts(branch, scope) {
                part.keys.insert("\(number)", at: 0)
                branches.append(part)
            }
        }
        return product(result, branches)
    }

    private func scope(_ select: ViewPlan.Select, _ outer: Scope, _ part: inout Part) throws -> Scope {
        switch select.iteration {
        case .once: return outer
        case .repeating(let paths):
            guard outer.guardCondition == nil else { throw NotCompiled(what: "repeat within forEachOrNull") }
            return try repeating(paths, outer, &part)
        case .forEach(let path):
            guard outer.guardCondition == nil else { throw NotCompiled(what: "forEach within forEachOrNull") }
            return try forEach(expressions.collection(path.syntax, outer.focus), outer, &part)
        case .forEachOrNull(let path): return try forEachOrNull(expressions.collection(path.syntax, outer.focus), outer, &part)
        }
    }

    func item(_ items: SQLCollection, _ rowIndex: SQLFragment?) -> ExpressionCompiler.Focus {
        ExpressionCompiler.Focus(item: SQLCollection(items.value), rowIndex: rowIndex)
    }

    private func forEach(_ items: SQLCollection, _ outer: Scope, _ part: inout Part) throws -> Scope {
        guard let presence = try expressions.presence(items.value) else {
            part.conditions.append("0")
            return Scope(focus: item(items, "0"), rows: outer.rows)
        }
        if case .computed = items.value, !items.rows.isEmpty { throw NotCompiled(what: "forEach of computed values") }
        for row in items.rows {
            part.joins.append(" \(raw: form != .view ? "CROSS JOIN" : "JOIN") \(name: row.table) \(row.alias) ON \(row.condition())")
        }
        part.conditions += items.conditions + (presence.isAlways ? [] : [presence])
        part.keys += items.orders
        let index: SQLFragment? = items.isSingle ? "0" : items.plainList.map { "\($0.row.alias)._ord" as SQLFragment }
        return Scope(focus: item(items, index), rows: outer.rows.union(items.rows.map(\.alias)))
    }

    private func forEachOrNull(_ items: SQLCollection, _ outer: Scope, _ part: inout Part) throws -> Scope {
        guard let presence = try expressions.presence(items.value) else {
            return Scope(focus: item(.nothing, "0"), guardCondition: .never, rows: outer.rows)
        }
        if items.rows.isEmpty {
            let condition = SQLFragment.joined([presence] + items.conditions.map { "coalesce(\($0), 0)" }, " AND ")
            return Scope(focus: item(items, "0"), guardCondition: "(\(condition))", rows: outer.rows)
        }
        guard items.rows.count == 1, let row = items.rows.first else { throw NotCompiled(what: "forEachOrNull over several lists") }
        if case .computed = items.value { throw NotCompiled(what: "forEachOrNull of computed values") }
        let condition = SQLFragment.joined([row.condition()] + items.conditions + (presence.isAlways ? [] : [presence]), " AND ")
        part.joins.append(" LEFT JOIN \(name: row.table) \(row.alias) ON \(condition)")
        part.keys += items.orders
        let index: SQLFragment? = items.isSingle ? "0" : items.plainList == nil ? nil : "coalesce(\(row.alias)._ord, 0)"
        return Scope(
            focus: item(items, index), guardCondition: "\(row.alias)._k IS NOT NULL", rows: outer.rows.union([row.alias]))
    }

    // MARK: - Columns

    private func value(_ column: ViewPlan.Column, _ scope: Scope, _ part: inout Part) throws -> SQLFragment {
        let items = part.shared(try expressions.collection(column.path.syntax, scope.focus), scope.rows, form)
        var (sql, kind) = try written(items.value, isCollection: column.definition.isCollection)
        if !items.isNothing {
            if let known = kinds[column.definition.name], known != kind {
                throw NotCompiled(what: "a column with values of different types")
            }
            found.known[column.definition.name] = kind
        }
        if decodes, !column.definition.isCollection, let (text, stored) = self.stored(items) {
            found.stored[column.definition.name] = stored
            sql = text
        }
        let result = column.definition.isCollection ? try list(items, sql, kind) : try expressions.scalar(items, sql)
        func guarded(_ value: SQLFragment) -> SQLFragment {
            guard let condition = scope.guardCondition, !column.isRowIndex else { return value }
            return "CASE WHEN \(condition) THEN \(value) END"
        }
        if form.isPublished { part.asides.append(try aside(items, sql).map(guarded) ?? "NULL") }
        return guarded(result)
    }

    /// The rest of the literal of a value, for a lake; nil if there is none.
    private func aside(_ items: SQLCollection, _ sql: SQLFragment) throws -> SQLFragment? {
        guard case .column(let column) = items.value, let aside = column.asideSQL else { return nil }
        return try expressions.scalar(items, sql, "CAST(\(aside) AS TEXT)")
    }

    /// The value as it is stored, in the row of an object, if the rest is for this library to do.
    private func stored(_ items: SQLCollection) -> (sql: SQLFragment, stored: Stored)? {
        guard items.rows.isEmpty, items.conditions.isEmpty else { return nil }
        switch items.value {
        case .computed(_, .text):
            guard let reference = items.reference else { return nil }
            return (reference.text, .referenceKey(reference.type))
        case .column(let column):
            // A published time has its offset beside it in any case.
            guard !form.isPublished, column.name != nil, case .temporal = SQLKind(column.type), let offset = column.asideSQL else {
                return nil
            }
            return (column.sql, .temporal(column.type, offset: offset))
        default: return nil
        }
    }

    /// A value as the statement gives it.
    private func written(_ value: SQLCollection.Value, isCollection: Bool) throws -> (sql: SQLFragment, kind: SQLKind) {
        if case .column(let column) = value, column.name != nil {
            let kind = SQLKind(column.type)
            switch kind {
            case .temporal: return (form.isPublished && !isCollection ? column.sql : SQLMoment.literal(column), kind)
            case .decimal:
                if form.isPublished { return (Self.digits(of: "\(column)"), kind) }
                return (form == .view ? column.sql : column.asideSQL.map { "coalesce(\($0), \(column))" } ?? column.sql, kind)
            default: return (column.sql, kind)
            }
        }
        guard let (sql, kind) = expressions.value(value) else { throw NotCompiled(what: "an object as a value") }
        return (form.isPublished && kind == .decimal ? Self.digits(of: sql) : sql, kind)
    }

    /// The text of a decimal without a literal of its own, which has at most 15 digits. A cast gives 17 of them in newer versions of SQLite.
    private static func digits(of decimal: SQLFragment) -> SQLFragment {
        "CASE WHEN \(decimal) IS NOT NULL THEN printf('%!.15g', \(decimal)) END"
    }

    /// The values of a collection as a list of JSON.
    private func list(_ items: SQLCollection, _ sql: SQLFragment, _ kind: SQLKind) throws -> SQLFragment {
        if kind == .decimal { throw NotCompiled(what: "a list of decimals") }
        let element: SQLFragment = kind == .boolean ? "json(CASE WHEN v THEN 'true' ELSE 'false' END)" : "v"
        guard let presence = try expressions.presence(items.value) else { return "'[]'" }
        if items.rows.isEmpty {
            return """
                (SELECT CASE WHEN v IS NULL THEN '[]' ELSE json_array(\(element)) END FROM (SELECT \(try expressions.scalar(items, sql)) AS v))
                """
        }
        return """
            (SELECT json_group_array(\(element)) FROM \
            (SELECT \(sql) AS v FROM \(items.from) WHERE \(items.filter([presence])) ORDER BY \(items.order)))
            """
    }
}
