import FireLiteSQLiteBridge

/// A piece of SQL and the values of its parameters, in their order. User values are always parameters.
struct SQLFragment: Sendable {
    var sql: String
    var arguments: [SQLValue]
    /// What a condition of the form `alias._k IN (SELECT …)` selects; none for others. As an optional it crashes Swift 6.3's optimizer.
    private var selections: [KeySelection] = []

    init(_ sql: String, _ arguments: [SQLValue] = []) {
        self.sql = sql
        self.arguments = arguments
    }

    /// The condition that the key of `alias` is among those of a `SELECT`.
    static func key(of alias: String, in select: SQLFragment, _ keys: KeySelection.Keys) -> SQLFragment {
        var condition = "\(alias)._k IN (" + select + ")"
        condition.selections = [KeySelection(alias: alias, select: select.sql, keys: keys)]
        return condition
    }

    /// The `SELECT` of a condition of the form `alias._k IN (SELECT …)`; nil if it is another one, or on other keys.
    func select(of alias: String, _ keys: KeySelection.Keys) -> SQLFragment? {
        guard let selection = selections.first, selection.alias == alias, selection.keys == keys else { return nil }
        return SQLFragment(selection.select, arguments)
    }

    static let always = SQLFragment("1")
    static let never = SQLFragment("0")

    var isAlways: Bool { sql == "1" }
    var isNever: Bool { sql == "0" }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.arguments + right.arguments)
    }

    static func + (left: SQLFragment, right: String) -> SQLFragment { SQLFragment(left.sql + right, left.arguments) }

    static func + (left: String, right: SQLFragment) -> SQLFragment { SQLFragment(left + right.sql, right.arguments) }

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
        return SQLFragment("(" + parts.map(\.sql).joined(separator: separator) + ")", arguments)
    }

    /// The negation of a condition; NULL counts as false.
    var negated: SQLFragment {
        if isAlways { return .never }
        if isNever { return .always }
        return SQLFragment("NOT coalesce(\(sql), 0)", arguments)
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
