import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    // MARK: - Which condition leads

    /// The conjunction of several conditions on the row of a scope. The one with the fewest rows leads, and the others filter.
    ///
    /// A condition that most rows meet does not lead, index or not: looking up each row costs more than scanning the table.
    ///
    /// - Parameter leads: the ways in which indexes lead to the rows of the conditions, if they are known.
    func conjunction(
        _ parts: [Predicate], _ scope: StoredPlace, _ order: QueryPlan.Order, leads known: [QueryPlan.Lead]? = nil
    ) throws -> SQLFragment {
        .all(try conjuncts(parts, scope, order, leads: known).conditions)
    }

    /// The same, condition by condition, and which one leads: nil if none does, and -1 if the sort order's index does.
    func conjuncts(
        _ parts: [Predicate], _ scope: StoredPlace, _ order: QueryPlan.Order, leads known: [QueryPlan.Lead]? = nil
    ) throws -> (conditions: [SQLFragment], leader: Int?) {
        let leads = try known ?? leads(parts, scope)
        let (leader, rows) = try leader(leads, parts, scope: scope, order: order)
        let hidden = leader == nil ? Set(leads.filter(\.isOwn).map(\.part)) : []
        let outer = candidates
        defer { candidates = outer }
        let conditions = try parts.enumerated().map { index, part in
            candidates = rows
            // SQLite would scan the whole table for a range, as it assumes that many rows are in it and must be sorted.
            if case .keys = order, leader == index, leads.contains(where: { $0.part == index && $0.isOwn && !$0.isOrdered }) {
                return try union([part], scope)
            }
            let isLed = leader.map { $0 != index } ?? hidden.contains(index)
            return try condition(part, scope, isLed ? .filter : .drive, hasLead: leads.contains { $0.part == index })
        }
        return (conditions, leader)
    }

    /// The ways in which indexes lead from each of several conditions to rows of a scope.
    func leads(_ parts: [Predicate], _ scope: StoredPlace) throws -> [QueryPlan.Lead] {
        try parts.enumerated().flatMap { try leads($1, $0, scope) }
    }

    /// The predicate without alternatives that nothing in the file can meet, as elements that no resource has. Those that compare one value with
    /// texts or numbers become one.
    func pruned(_ predicate: Predicate, _ scope: StoredPlace) throws -> Predicate {
        switch predicate {
        case .and(let parts): return .and(try parts.map { try pruned($0, scope) })
        case .or(let parts):
            let live = try Self.merged(parts.map { try pruned($0, scope) }).filter { part in
                switch part {
                case .constant(let value): value
                case .value, .exists, .any, .refers, .sampled: try !condition(part, scope, .filter).isNever
                case .and(let inner) where inner.allSatisfy(\.isAboutElements):
                    try !condition(part, scope, .filter).isNever
                case .or(let rest): !rest.isEmpty
                case .count, .target, .referredBy, .contains, .keys, .selected, .matching, .named, .and, .not: true
                }
            }
            return live.count == 1 ? live[0] : .or(live)
        default: return predicate
        }
    }

    /// Alternatives without those that one list of values can say.
    private static func merged(_ parts: [Predicate]) -> [Predicate] {
        guard parts.count > ValueTestCompiler.boundValues else { return parts }
        var values: [QueryPath: [SQLValue]] = [:]
        for case .value(let path, let test) in parts { if let more = test.listedValues { values[path, default: []] += more } }
        var references: [QueryPath: [String]] = [:]
        for case .refers(let path, let texts) in parts { references[path, default: []] += texts }
        var done: Set<QueryPath> = []
        var followed: Set<QueryPath> = []
        return parts.compactMap { part in
            if case .refers(let path, _) = part {
                return followed.insert(path).inserted ? .refers(path, references[path] ?? []) : nil
            }
            guard case .value(let path, let test) = part, test.listedValues != nil, let all = values[path] else { return part }
            return done.insert(path).inserted ? .value(path, .oneOf(all)) : nil
        }
    }

    /// The index of the leading condition and its number of rows; -1 if the sort order's index leads, and nil if nothing does.
    private func leader(
        _ leads: [QueryPlan.Lead], _ parts: [Predicate], scope: StoredPlace, order: QueryPlan.Order
    ) throws -> (part: Int?, rows: Int) {
        guard let first = leads.first else { return (nil, Self.many) }
        let count = parts.count
        // References to each of the rows are looked up, or not, by the number of the rows.
        let isCounted = parts.contains(where: \.isAboutReferring)
        if count == 1, leads.count == 1 {
            switch order {
            case .none: return (0, Self.many)
            case .keys where first.isOrdered || !first.isOwn: return (0, Self.many)
            // The order goes through the same index, so however many rows there are, no plan reads fewer.
            case .index(let column, _) where first.ownColumn == column: return (0, Self.many)
            default: break
            }
        }
        if let best = try fewest(leads, atMost: QueryPlan.selectiveRows, isCounted: isCounted) { return (best.lead.part, best.rows) }
        let size = try statistics.size(of: scope.table)
        // Without others, the only cost of a condition on the row itself is sorting its rows.
        let share = count == 1 && first.isOwn ? QueryPlan.selectiveShareAlone : QueryPlan.selectiveShare
        let most = Swift.max(size / share, QueryPlan.selectiveRows)
        var limit = most
        var isOrderLeading = false
        var sorted: QueryPlan.Lead?
        if case .index(let column, let wanted) = order {
            sorted = leads.first { $0.ownColumn == column }
            // The number of rows of the sort order's index to read for enough results grows the fewer meet the conditions. An unknown
            // condition is assumed to leave one row of so many.
            let unknown = count > Set(leads.map(\.part)).count ? QueryPlan.selectiveShare : 1
            let most = (Double(wanted) * Double(size) * Double(2 * unknown)).squareRoot()
            if most < Double(limit) { (limit, isOrderLeading) = (Int(most), true) }
        }
        if let best = try fewest(leads, atMost: limit, isCounted: isCounted) { return (best.lead.part, best.rows) }
        // The sort order's index starts where a condition on the same column says.
        if let sorted { return (sorted.part, Self.many) }
        if isOrderLeading { return (-1, Self.many) }
        return (count == 1 && !first.isOwn ? 0 : nil, Self.many)
    }

    /// The lead with the fewest rows and their approximate number; nil if each has more than `limit`.
    ///
    /// - Parameter isCounted: whether the number is wanted if it is low.
    func fewest(_ leads: [QueryPlan.Lead], atMost limit: Int, isCounted: Bool = false) throws -> (lead: QueryPlan.Lead, rows: Int)? {
        try statistics.fewest(leads.map(\.selects), atMost: limit, isCounted: isCounted).map { (leads[$0.lead], $0.rows) }
    }

    func hasMore(_ lead: QueryPlan.Lead, than limit: Int) throws -> Bool { try statistics.hasMore(lead.selects, than: limit) }

    /// The lead with the fewest rows of several conditions on the row of a scope, and their approximate number; nil if none of them has an
    /// index, or each has more than `limit`.
    ///
    /// - Parameter isCounted: whether the number is wanted if it is low.
    func bestLead(
        _ parts: [Predicate], _ scope: StoredPlace, atMost limit: Int, isCounted: Bool = false
    ) throws -> (lead: QueryPlan.Lead, rows: Int)? {
        let leads = try leads(parts, scope)
        return leads.isEmpty ? nil : try fewest(leads, atMost: limit, isCounted: isCounted)
    }

    /// Whether any of several conditions on the row of a scope has an index.
    func hasLead(_ parts: [Predicate], _ scope: StoredPlace) throws -> Bool { try parts.contains { try !leads($0, 0, scope).isEmpty } }

    // MARK: - What can lead

    /// The ways in which indexes lead from a condition to rows of a scope.
    func leads(_ predicate: Predicate, _ part: Int, _ scope: StoredPlace) throws -> [QueryPlan.Lead] {
        switch predicate {
        case .value(let path, let test):
            guard let column = try column(path, scope), let lead = lead(column, test: test, part: part, scope: scope) else { return [] }
            return [lead]
        case .refers(let path, let texts):
            guard let end = try end(path, scope) else { return [] }
            let column = try reference(end)
            guard indexes.hasIndex(on: column) else { return [] }
            let arms = refersEach(column, texts, .drive)
            return [QueryPlan.Lead(part: part, selects: arms.map { rows(column, $0) }, ownColumn: nil, isOrdered: false)]
        case .any(let path, let inner):
            switch try end(path, scope) {
            case .object(let scope, _)?: return try inner.conjuncts.flatMap { try leads($0, part, scope) }.map(\.ofOtherRow)
            case .column(let column)?:
                return inner.conjuncts.compactMap { inner in
                    guard case .value(let path, let test) = inner, path.isEmpty else { return nil }
                    return lead(column, test: test, part: part, scope: scope)
                }
            default: return []
            }
        case .or(let alternatives): return try lead(alternatives, part, scope).map { [$0] } ?? []
        case .referredBy(let layout, _, let inner):
            guard scope.isRoot, schema.table(of: layout).isInFile else { return [] }
            let source = rootScope(layout)
            return try inner.conjuncts.flatMap { try leads($0, part, source) }.map(\.ofOtherRow)
        case .keys(let keys):
            guard scope.isRoot else { return [] }
            let isOne = ValueTestCompiler(column: "\(scope.alias)._k").condition(.oneOf(keys.map { .integer($0) }))
            let select: SQLFragment = "SELECT 1 FROM \(scope.table) \(scope.alias) WHERE \(isOne)"
            return [QueryPlan.Lead(part: part, selects: [select], ownColumn: nil, isOrdered: true)]
        case .selected(let selection):
            guard scope.isRoot, schema.hasDefinitions(of: selection.module) else { return [] }
            return [QueryPlan.Lead(part: part, selects: [selection.keys], ownColumn: nil, isOrdered: false)]
        case .target(let path, let layout, let inner):
            return try leadOfTargets(path, layout: layout, predicate: inner, part: part, scope: scope).map { [$0] } ?? []
        default: return []
        }
    }

    private func lead(_ column: StoredColumn, test: ValueTest, part: Int, scope: StoredPlace) -> QueryPlan.Lead? {
        if let search = caselessSearch(test, column) {
            return QueryPlan.Lead(part: part, selects: search.selects, ownColumn: nil, isOrdered: false)
        }
        guard indexes.hasIndex(on: column), test.isSelective else { return nil }
        if let arms = arms(test, column) {
            return QueryPlan.Lead(part: part, selects: arms.map { rows(column, $0) }, ownColumn: nil, isOrdered: false)
        }
        let condition = ValueTestCompiler(column: column.sql).condition(test)
        if column.table.isResource, condition.hasAlternatives { return nil }
        let ownColumn = column.alias == scope.alias ? column.name : nil
        return QueryPlan.Lead(
            part: part, selects: [rows(column, condition)], ownColumn: ownColumn, isOrdered: test.isEquality)
    }

    /// The rows of a column's table that meet a condition.
    private func rows(_ column: StoredColumn, _ condition: SQLFragment) -> SQLFragment {
        // An index on a resource type's table has only the resources that are not contained.
        let condition = column.table.isResource ? SQLFragment.all([condition, "\(column.alias)._parent IS NULL"]) : condition
        return "SELECT 1 FROM \(column.table) \(column.alias) WHERE \(condition)"
    }

    /// Alternatives lead if each does.
    func lead(_ alternatives: [Predicate], _ part: Int, _ scope: StoredPlace) throws -> QueryPlan.Lead? {
        var selects: [SQLFragment] = []
        for alternative in alternatives {
            // Nothing in the file meets it, so it needs no index.
            if try condition(alternative, scope, .filter).isNever { continue }
            let leads = try leads(alternative, part, scope)
            guard let best = leads.count == 1 ? leads[0] : try fewest(leads, atMost: Self.mostTargets)?.lead else { return nil }
            // In the row of a list, SQLite combines only indexes of the same table.
            if !scope.isRoot, !best.isOwn { return nil }
            selects += best.selects
        }
        if selects.isEmpty { return nil }
        return QueryPlan.Lead(part: part, selects: selects, ownColumn: scope.isRoot ? nil : "", isOrdered: false)
    }

    /// References to resources that an index leads to.
    private func leadOfTargets(
        _ path: QueryPath, layout: Layout, predicate: Predicate, part: Int, scope: StoredPlace
    ) throws -> QueryPlan.Lead? {
        guard schema.table(of: layout).isInFile, let end = try end(path, scope) else { return nil }
        let column = try reference(end)
        guard let name = column.name, indexes.hasIndex(on: column), !column.table.isResource || column.alias.isResource else { return nil }
        let target = rootScope(layout)
        guard let best = try bestLead(predicate.conjuncts, target, atMost: Self.mostTargets) else { return nil }
        let condition = try condition(predicate, target, .drive)
        let (alias, row) = (target.alias, walk.newRow())
        let isRow: SQLFragment = column.table.isResource ? " AND \(row)._parent IS NULL" : ""
        let id = target.group.queryColumn(0, alias: alias).sql
        let references: SQLFragment = """
            SELECT 1 FROM \(target.table) \(alias) CROSS JOIN \(column.table) \(row) WHERE \(alias)._parent IS NULL AND \(condition) \
            AND \(row).\(name: name) = \(ReferenceText.relative(layout.name, id))\(isRow)
            """
        return QueryPlan.Lead(part: part, selects: best.lead.selects + [references], ownColumn: nil, isOrdered: false)
    }

    /// The maximum number of targets whose references lead.
    static let mostTargets = 2_000
    /// More rows than were counted.
    static let many = Int.max >> 8

    private func end(_ path: QueryPath, _ scope: StoredPlace) throws -> QueryLeaf? {
        var rest = path.steps[...]
        var scope = scope
        while true {
            switch try walk(rest, scope) {
            case .leaf(let leaf): return leaf
            case .list(let step, _):
                guard step.list.exists else { return nil }
                scope = step.scope
                rest = rest.dropFirst(step.consumed)
            }
        }
    }

    /// The column at the end of a path; nil if it does not end in a primitive or the file has no such table.
    func column(_ path: QueryPath, _ scope: StoredPlace) throws -> StoredColumn? {
        guard case .column(let column)? = try end(path, scope) else { return nil }
        return column
    }
}

extension QueryPlan.Lead {
    /// The same for the owner of the condition's row.
    fileprivate var ofOtherRow: QueryPlan.Lead { QueryPlan.Lead(part: part, selects: selects, ownColumn: nil, isOrdered: isOrdered) }
}

extension Predicate {
    /// Whether it is about resources that refer to one.
    fileprivate var isAboutReferring: Bool {
        switch self {
        case .referredBy: true
        case .and(let parts), .or(let parts): parts.contains(where: \.isAboutReferring)
        case .not(let inner), .any(_, let inner), .target(_, _, let inner), .contains(_, let inner), .named(_, _, let inner, _):
            inner.isAboutReferring
        case .constant, .value, .exists, .count, .refers, .keys, .selected, .matching, .sampled: false
        }
    }

    /// Whether it is about elements of the resource alone, and compiled without a look into the file.
    fileprivate var isAboutElements: Bool {
        switch self {
        case .value, .exists, .sampled, .constant: true
        case .and(let parts), .or(let parts): parts.allSatisfy(\.isAboutElements)
        case .any(_, let inner), .not(let inner): inner.isAboutElements
        case .refers, .count, .target, .referredBy, .contains, .keys, .selected, .matching, .named: false
        }
    }
}

extension ValueTest {
    /// The values that pass it, if they are a list.
    fileprivate var listedValues: [SQLValue]? {
        switch self {
        case .compare(.equal, let value): value.isNull ? nil : [value]
        case .oneOf(let values): values
        default: nil
        }
    }

    /// Whether an index can lead from the test to rows.
    var isSelective: Bool {
        switch self {
        case .compare, .oneOf, .between, .date: true
        // More values go into one parameter, which cannot use an index.
        case .dateOneOf(let dates): dates.count <= ValueTestCompiler.boundValues
        case .text(let way, _, let folding): folding.isEmpty && (way == .equal || way == .hasPrefix)
        case .referenceType, .referenceTo, .hasTime: false
        }
    }

    /// Whether all rows that pass it have the same value.
    var isEquality: Bool {
        switch self {
        case .compare(.equal, _), .text(.equal, _, []): true
        default: false
        }
    }
}
