import FireLiteSQLiteBridge

/// A piece of SQL and the values of its parameters, in their order. User values are always parameters.
struct SQLFragment: Sendable {
    var sql: String
    var arguments: [SQLValue]
    /// What a condition of the form `alias._k IN (SELECT …)` selects; none for others. As an optional it crashes Swift 6.3's optimizer.
    private var selections: [KeySelection] = []
    /// The sets of keys that it names, which the statement defines at its beginning.
    private var definitions: [KeyDefinition] = []

    init(_ sql: String, _ arguments: [SQLValue] = []) {
        self.sql = sql
        self.arguments = arguments
    }

    private init(_ sql: String, _ arguments: [SQLValue], _ definitions: [KeyDefinition]) {
        self.sql = sql
        self.arguments = arguments
        self.definitions = definitions
    }

    /// A condition that names a set of keys.
    init(_ sql: String, naming definition: KeyDefinition) { self.init(sql, [], [definition]) }

    /// The statement with the definitions that it needs.
    var statement: SQLFragment {
        if definitions.isEmpty { return self }
        let all = Self.merged([], definitions.flatMap(\.withInner))
        let sets = all.map { "\($0.name)(k) AS \($0.hint)(\($0.select.sql))" }
        return SQLFragment("WITH \(sets.joined(separator: ", ")) \(sql)", all.flatMap(\.select.arguments) + arguments)
    }

    /// The sets that it names.
    var namedSets: [KeyDefinition] { definitions }

    private static func merged(_ definitions: [KeyDefinition], _ others: [KeyDefinition]) -> [KeyDefinition] {
        var all = definitions
        for other in others where !all.contains(where: { $0.name == other.name }) { all.append(other) }
        return all
    }

    /// The condition that the key of `alias` is among those of a `SELECT`.
    ///
    /// - Parameter terms: the number of statements that `UNION ALL` joins in the `SELECT`.
    static func key(of alias: String, in select: SQLFragment, _ keys: KeySelection.Keys, terms: Int = 1) -> SQLFragment {
        var condition = "\(alias)._k IN (" + select + ")"
        condition.selections = [KeySelection(alias: alias, select: select.sql, keys: keys, terms: terms)]
        return condition
    }

    /// The number of statements that `UNION ALL` joins in the `SELECT` of such a condition.
    var selectedTerms: Int { selections.first?.terms ?? 1 }

    /// The `SELECT` of a condition of the form `alias._k IN (SELECT …)`; nil if it is another one, or on other keys.
    func select(of alias: String, _ keys: KeySelection.Keys) -> SQLFragment? {
        guard let selection = selections.first, selection.alias == alias, selection.keys == keys else { return nil }
        return SQLFragment(selection.select, arguments, definitions)
    }

    static let always = SQLFragment("1")
    static let never = SQLFragment("0")

    var isAlways: Bool { sql == "1" }
    var isNever: Bool { sql == "0" }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.arguments + right.arguments, merged(left.definitions, right.definitions))
    }

    static func + (left: SQLFragment, right: String) -> SQLFragment { SQLFragment(left.sql + right, left.arguments, left.definitions) }

    static func + (left: String, right: SQLFragment) -> SQLFragment { SQLFragment(left + right.sql, right.arguments, right.definitions) }

    static func += (left: inout SQLFragment, right: SQLFragment) { left = left + right }

    /// The conjunction of conditions; true if there are none.
    static func all(_ parts: [SQLFragment]) -> SQLFragment {
        if parts.contains(where: \.isNever) { return .never }
        return joined(parts.filter { !$0.isAlways }, " AND ") ?? .always
    }

    /// The disjunction of conditions; false if there are none.
    static func either(_ parts: [SQLFragment]) -> SQLFragment {
        if parts.contains(where: \.isAlways) { return .always }
        return joined(parts.filter { !$0.isNever }, " OR ") ?? .never
    }

    private static func joined(_ parts: [SQLFragment], _ separator: String) -> SQLFragment? {
        guard let first = parts.first else { return nil }
        if parts.count == 1 { return first }
        let arguments = parts.flatMap(\.arguments)
        let definitions = parts.reduce(into: []) { $0 = merged($0, $1.definitions) }
        return SQLFragment(grouped(parts[...], separator), arguments, definitions)
    }

    /// So many parts stand side by side; more are in groups. SQLite reads `a OR b OR c` as `(a OR b) OR c`, and its expressions have at most a
    /// thousand levels (<https://www.sqlite.org/limits.html#max_expr_depth>). The sign keeps its planner from comparing each part of a group with
    /// each other in search of an index: three thousand took it twenty seconds.
    private static let mostInGroup = 64

    private static func grouped(_ parts: ArraySlice<SQLFragment>, _ separator: String) -> String {
        if parts.count == 1, let part = parts.first { return part.sql }
        guard parts.count > mostInGroup else { return "(" + parts.map(\.sql).joined(separator: separator) + ")" }
        var size = mostInGroup
        while size * mostInGroup < parts.count { size *= mostInGroup }
        let groups = stride(from: parts.startIndex, to: parts.endIndex, by: size).map { start in
            "+(" + grouped(parts[start..<min(start + size, parts.endIndex)], separator) + ")"
        }
        return "(" + groups.joined(separator: separator) + ")"
    }

    /// The fragment without its first characters.
    func withoutPrefix(_ prefix: String) -> SQLFragment { SQLFragment(String(sql.dropFirst(prefix.count)), arguments, definitions) }

    /// The negation of a condition; NULL counts as false.
    var negated: SQLFragment {
        if isAlways { return .never }
        if isNever { return .always }
        return SQLFragment("NOT coalesce(\(sql), 0)", arguments, definitions)
    }
}

extension Statement {
    /// Binds values from parameter 1 on.
    func bind(_ values: [SQLValue]) {
        for (index, value) in values.enumerated() { bind(index + 1, value) }
    }

    func bind(_ index: Int, _ value: SQLValue) {
        switch value {
        case .null: bindNull(index)
        case .integer(let value): bind(index, value)
        case .real(let value): bind(index, value)
        case .text(let value): bind(index, value)
        case .blob(let value): bind(index, blob: value)
        }
    }

    /// A result column's value.
    func value(_ column: Int) -> SQLValue {
        switch type(column) {
        case .null: .null
        case .integer: .integer(int(column))
        case .float: .real(double(column))
        case .text: .text(String(decoding: textBytes(column), as: UTF8.self))
        case .blob: .blob(blob(column))
        }
    }
}
