import FireLiteCore
import FireLiteSQLiteBridge

/// Turns predicates into SQL conditions on the rows of an alias.
///
/// A condition on an inlined element compares a column. One on a list searches for the owner's key among those of the list's
/// matching rows: `r._k IN (SELECT a._k & -16777216 FROM "Patient_name_given" a WHERE a."value" = ?)`, so that an index on the column
/// leads from the value to the resource, and without one only that table is read. If another condition already leads to the
/// resources, it looks up the resource's own rows instead: `EXISTS (SELECT 1 … WHERE a._k BETWEEN r._k AND r._k | 16777215 …)`.
final class PredicateCompiler {
    /// The use of a condition.
    enum Strategy {
        /// It can lead to the rows.
        case drive
        /// It filters rows that another one leads to.
        case filter
    }

    let schema: StorageSchema
    let indexes: IndexCatalog
    let statistics: RowStatistics
    /// The base addresses under which references lead to the store's own resources.
    let bases: [String]
    /// The approximate number of rows of the leading condition, for those that filter.
    var candidates = PredicateCompiler.many
    /// Whether rows are reached in the order of their keys until there are enough results.
    var isWalking = false
    /// The way from objects to their elements.
    let walk: TableWalk
    /// What other programs have dropped; nil if that does not matter.
    var lost: LostTables?
    /// The sets that conditions name.
    var definitions: [String: SQLFragment] = [:]

    init(schema: StorageSchema, indexes: IndexCatalog, statistics: RowStatistics, bases: [String]) {
        self.schema = schema
        walk = TableWalk(schema)
        self.indexes = indexes
        self.statistics = statistics
        self.bases = bases
    }

    /// Refuses conditions on a type that has lost a table.
    ///
    /// - Throws: `FHIRStoreError.notAStore`.
    func requireWhole(_ layout: Layout) throws {
        if let lost, !lost.isEmpty { try lost.require(layout.name) }
    }

    /// The rows of a type that are resources and not contained.
    func rootScope(_ layout: Layout, alias: RowAlias? = nil) -> StoredPlace { walk.resources(layout, alias: alias ?? walk.newRow()) }

    // MARK: - Predicates

    /// - Parameter hasLead: whether indexes lead to the rows that meet the condition; nil if that is not known.
    func condition(
        _ predicate: Predicate, _ scope: StoredPlace, _ strategy: Strategy, hasLead: Bool? = nil
    ) throws -> SQLFragment {
        switch predicate {
        case .constant(let value): return value ? .always : .never
        case .and(let parts):
            if strategy == .filter { return .all(try parts.map { try condition($0, scope, .filter) }) }
            return try conjunction(predicate.conjuncts, scope, .none)
        case .or(let parts):
            if strategy == .drive, scope.isRoot, try hasLead ?? (lead(parts, 0, scope) != nil) { return try union(parts, scope) }
            return .either(try parts.map { try condition($0, scope, strategy) })
        case .not(let inner): return try condition(inner, scope, strategy).negated
        case .count(let path, let comparison, let number):
            return "\(try count(path, scope)) \(raw: comparison.rawValue) \(bind: .integer(Int64(number)))"
        case .referredBy(let layout, let path, let inner):
            return try referred(by: layout, path, predicate: inner, scope: scope, strategy: strategy)
        case .contains(let layout, let inner): return try contains(layout, inner, scope)
        case .matching(let terms): return try matching(terms, scope)
        case .named(let name, let layout, let inner, let isMade):
            try requireWhole(layout)
            return try named(name, layout: layout, predicate: inner, isMade: isMade, scope: scope)
        case .keys(let keys): return ValueTestCompiler(column: "\(scope.alias)._k").condition(.oneOf(keys.map { .integer($0) }))
        case .selected(let selection):
            guard scope.isRoot, schema.hasDefinitions(of: selection.module) else { return .never }
            return "\(raw: strategy == .filter ? "+" : "")\(scope.alias)._k IN (\(selection.keys))"
        default:
            guard let (path, end) = end(of: predicate, strategy) else { return .never }
            return try some(path.steps[...], scope: scope, strategy: strategy, leaf: end)
        }
    }

    /// The path of a predicate, and its condition on the end of the path; nil for other predicates.
    private func end(
        of predicate: Predicate, _ strategy: Strategy
    ) -> (path: QueryPath, condition: (QueryLeaf) throws -> SQLFragment)? {
        switch predicate {
        case .value(let path, let test): (path, { try self.test(test, $0, strategy) })
        case .sampled(let path, let bound, let comparison, let number):
            (path, { try self.sampled($0, bound: bound, comparison: comparison, number: number) })
        case .exists(let path): (path, { try self.exists($0, strategy) })
        case .any(let path, let inner): (path, { try self.fulfils(inner, $0, strategy) })
        case .refers(let path, let texts): (path, { self.refers(try self.reference($0), texts, strategy) })
        case .target(let path, let layout, let inner):
            (path, { try self.target(self.reference($0), layout: layout, predicate: inner, strategy: strategy) })
        case .constant, .count, .referredBy, .contains, .matching, .named, .keys, .selected, .and, .or, .not: nil
        }
    }

    /// The rows of one list whose keys identify the resources that meet a predicate.
    struct ListRows {
        /// The key of a row.
        let key: SQLFragment
        /// `FROM` and `WHERE`.
        let from: SQLFragment
        /// Whether SQLite is expected to read the rows in the order of their keys.
        let isOrdered: Bool

        /// The key of a row's resource.
        var resource: SQLFragment { "\(key) & \(TableWalk.rootMask)" }
    }

    /// The resources that meet a predicate, if the keys of one list's rows identify them. Nil if other rows must be read.
    func listRows(_ predicate: Predicate, _ scope: StoredPlace) throws -> ListRows? {
        guard let (path, end) = end(of: predicate, .drive), let list = try distantList(path.steps[...], scope) else { return nil }
        let inner = try some(path.steps.dropFirst(list.consumed), scope: list.scope, strategy: .drive, leaf: end)
        return inner.isNever ? nil : rows(of: list, inner, isOrdered: try readsInOrder(predicate, scope))
    }

    func rows(of list: ListStep, _ condition: SQLFragment, isOrdered: Bool) -> ListRows {
        let alias = list.scope.alias
        return ListRows(key: "\(alias)._k", from: " FROM \(list.table) \(alias) WHERE \(condition)", isOrdered: isOrdered)
    }

    /// Whether the rows that meet a predicate are read in the order of their keys: they are if no index is searched for more than one value.
    private func readsInOrder(_ predicate: Predicate, _ scope: StoredPlace) throws -> Bool {
        switch predicate {
        case .value(let path, let test):
            guard let column = try column(path, scope) else { return false }
            return test.isEquality || !indexes.hasIndex(on: column)
        case .any(let path, let inner):
            return try inner.conjuncts.allSatisfy { part in
                guard case .value(let rest, let test) = part else { return false }
                return try readsInOrder(.value(QueryPath(path.steps + rest.steps), test), scope)
            }
        default: return false
        }
    }

    /// Alternatives that each have an index: SQLite would scan the whole table for them, as the indexes of a resource type's
    /// table exclude contained resources.
    func union(_ alternatives: [Predicate], _ scope: StoredPlace) throws -> SQLFragment {
        var selects: [SQLFragment] = []
        var count = 0
        var sets: [SQLFragment] = []
        func flush() {
            if !selects.isEmpty { sets.append(.key(of: scope.alias, in: .joined(selects, " UNION ALL "), .resources, terms: count)) }
            (selects, count) = ([], 0)
        }
        for alternative in alternatives {
            let inner = rootScope(scope.group.layout)
            let condition = try condition(alternative, inner, .drive)
            if condition.isNever { continue }
            let row = inner.alias
            let selected = condition.select(of: row, .resources)
            let terms = selected == nil ? 1 : condition.selectedTerms
            if count + terms > Self.mostSelects { flush() }
            selects.append(selected ?? "SELECT \(row)._k FROM \(inner.table) \(row) WHERE \(row)._parent IS NULL AND \(condition)")
            count += terms
        }
        flush()
        return .either(sets)
    }

    /// SQLite allows 500 parts of a compound SELECT (<https://www.sqlite.org/limits.html#max_compound_select>).
    private static let mostSelects = 400

    private func fulfils(_ predicate: Predicate, _ leaf: QueryLeaf, _ strategy: Strategy) throws -> SQLFragment {
        switch leaf {
        case .object(let scope, isRow: true): return try condition(predicate, scope, strategy)
        case .object(let scope, isRow: false): return .all([try exists(leaf, .filter), try condition(predicate, scope, strategy)])
        case .column(let column):
            guard column.name != nil else { return .never }
            return .all(["\(column) IS NOT NULL", try conditionOnValue(predicate, column, strategy)])
        case .choice: throw FHIRStoreError(.invalidArgument, "a choice element as a whole cannot be compared: name one of its types")
        }
    }

    /// A condition on a primitive itself.
    func conditionOnValue(_ predicate: Predicate, _ column: StoredColumn, _ strategy: Strategy) throws -> SQLFragment {
        switch predicate {
        case .constant(let value): return value ? .always : .never
        case .and(let parts): return .all(try parts.map { try conditionOnValue($0, column, strategy) })
        case .or(let parts): return .either(try parts.map { try conditionOnValue($0, column, strategy) })
        case .not(let inner): return try conditionOnValue(inner, column, strategy).negated
        case .value(let path, let test) where path.isEmpty: return self.test(test, column, strategy)
        case .exists(let path) where path.isEmpty: return "\(column) IS NOT NULL"
        case .any(let path, let inner) where path.isEmpty: return try conditionOnValue(inner, column, strategy)
        default: throw FHIRStoreError(.invalidArgument, "a condition on a value has a path that leads out of it: use it outside of any { }")
        }
    }

    // MARK: - Leaves

    private func test(_ test: ValueTest, _ leaf: QueryLeaf, _ strategy: Strategy) throws -> SQLFragment {
        guard case .column(let column) = leaf else {
            throw FHIRStoreError(.invalidArgument, "a complex element cannot be compared with a value: name one of its elements")
        }
        return self.test(test, column, strategy)
    }

    func test(_ test: ValueTest, _ column: StoredColumn, _ strategy: Strategy) -> SQLFragment {
        guard column.name != nil else { return .never }
        if strategy == .drive, let search = caselessSearch(test, column) { return search.condition(test) }
        if strategy == .drive, let keys = amongAlternatives(test, column) { return keys }
        // A plus keeps SQLite from using the column's index, as another condition leads.
        let hidesIndex = strategy == .filter && indexes.hasIndex(on: column)
        return ValueTestCompiler(column: hidesIndex ? "+\(column)" : column.sql).condition(test)
    }

    /// The condition that there is something at the end of a path.
    func exists(_ leaf: QueryLeaf, _ strategy: Strategy) throws -> SQLFragment {
        switch leaf {
        case .object(_, isRow: true): return .always
        case .object(let scope, isRow: false): return walk.hasContent(scope)
        case .column(let column): return column.name == nil ? .never : "\(column) IS NOT NULL"
        case .choice(let scope, let slots):
            return .either(try slots.map { try condition(.exists(QueryPath([PathStep(slot: $0)])), scope, .filter) })
        }
    }
}
