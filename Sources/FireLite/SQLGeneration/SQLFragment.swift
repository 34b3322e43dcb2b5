import FireLiteSQLiteBridge

/// A piece of SQL: text with marks for values, and for rows that have no names yet. It is combined with others and never edited; `SQLWriter` writes it.
///
/// ```swift
/// let condition: SQLFragment = "\(row)._parent IS NULL AND \(row).\(name: column) = \(bind: .text("female"))"
/// ```
/// Only literals are text without a label, so no value gets into a statement as text.
package struct SQLFragment: Sendable {
    /// What stands in the text for something else. No text has these bytes: what users write is a value.
    enum Mark {
        /// A row's alias: its number follows in four bytes.
        static let row: UInt8 = 1
        /// The next value: a parameter, or a literal in the definition of a view.
        static let value: UInt8 = 2
        /// The next value, for a parameter that stands in the text before.
        static let parameter: UInt8 = 3
    }

    /// The text in UTF-8, with marks. Fragments are put together often, each time they are copied, so it is plain memory.
    private(set) var code: [UInt8] = []
    /// The values, in the order of their marks.
    private(set) var values: [SQLValue] = []
    /// What a condition of the form `alias._k IN (SELECT …)` selects; none for others. As an optional it crashes Swift 6.3's optimizer.
    private var selections: [KeySelection] = []
    /// The sets of keys that it names, which the statement defines at its beginning.
    private(set) var namedSets: [KeyDefinition] = []
    /// Whether it is a disjunction, or has one in it.
    private(set) var hasAlternatives = false

    /// A fragment without text.
    package init() {}

    /// A statement that a module wrote, with `?` for its values.
    init(raw sql: String, _ arguments: [SQLValue] = []) {
        append(sql)
        code += Array(repeating: Mark.parameter, count: arguments.count)
        values = arguments
    }

    /// A row's alias.
    init(_ row: RowAlias) { append(row) }

    /// A condition that names a set of keys.
    func naming(_ definition: KeyDefinition) -> SQLFragment {
        var named = self
        named.namedSets = Self.merged(namedSets, [definition])
        return named
    }

    private static func merged(_ definitions: [KeyDefinition], _ others: [KeyDefinition]) -> [KeyDefinition] {
        if others.isEmpty { return definitions }
        var all = definitions
        for other in others where !all.contains(where: { $0.name == other.name }) { all.append(other) }
        return all
    }

    package var isEmpty: Bool { code.isEmpty }

    /// Whether it is the value of what no row has.
    var isNull: Bool { values.isEmpty && code.elementsEqual("NULL".utf8) }

    /// Whether it compares something with a value.
    package var hasValues: Bool { !values.isEmpty }

    // MARK: - Keys

    /// The condition that the key of `alias` is among those of a `SELECT`.
    ///
    /// - Parameter terms: the number of statements that `UNION ALL` joins in the `SELECT`.
    static func key(of alias: RowAlias, in select: SQLFragment, _ keys: KeySelection.Keys, terms: Int = 1) -> SQLFragment {
        var condition: SQLFragment = "\(alias)._k IN (\(select))"
        condition.selections = [KeySelection(alias: alias, select: select, keys: keys, terms: terms)]
        return condition
    }

    /// The number of statements that `UNION ALL` joins in the `SELECT` of such a condition.
    var selectedTerms: Int { selections.first?.terms ?? 1 }

    /// The `SELECT` of a condition of the form `alias._k IN (SELECT …)`; nil if it is another one, or on other keys.
    func select(of alias: RowAlias, _ keys: KeySelection.Keys) -> SQLFragment? {
        guard let selection = selections.first, selection.alias == alias, selection.keys == keys else { return nil }
        return selection.select
    }

    // MARK: - Conditions

    package static let always: SQLFragment = "1"
    package static let never: SQLFragment = "0"

    package var isAlways: Bool { code.count == 1 && code[0] == UInt8(ascii: "1") }
    package var isNever: Bool { code.count == 1 && code[0] == UInt8(ascii: "0") }

    /// The conjunction of conditions; true if there are none.
    package static func all(_ parts: [SQLFragment]) -> SQLFragment {
        if parts.contains(where: \.isNever) { return .never }
        return grouped(parts.filter { !$0.isAlways }, " AND ") ?? .always
    }

    /// The disjunction of conditions; false if there are none.
    package static func either(_ parts: [SQLFragment]) -> SQLFragment {
        if parts.contains(where: \.isAlways) { return .always }
        let possible = parts.filter { !$0.isNever }
        var all = grouped(possible, " OR ") ?? .never
        if possible.count > 1 { all.hasAlternatives = true }
        return all
    }

    /// The negation of a condition; NULL counts as false.
    package var negated: SQLFragment {
        if isAlways { return .never }
        if isNever { return .always }
        return "NOT coalesce(\(self), 0)"
    }

    /// So many parts stand side by side; more are in groups. SQLite reads `a OR b OR c` as `(a OR b) OR c`, and its expressions have at most a
    /// thousand levels (<https://www.sqlite.org/limits.html#max_expr_depth>). The sign keeps its planner from comparing each part of a group with
    /// each other in search of an index: three thousand took it twenty seconds.
    private static let mostInGroup = 64

    private static func grouped(_ parts: [SQLFragment], _ separator: String) -> SQLFragment? {
        guard let first = parts.first else { return nil }
        if parts.count == 1 { return first }
        var all = SQLFragment()
        all.code.reserveCapacity(parts.reduce(2) { $0 + $1.code.count + separator.utf8.count })
        all.append(group: parts[...], separator)
        return all
    }

    private mutating func append(group parts: ArraySlice<SQLFragment>, _ separator: String) {
        if parts.count == 1, let part = parts.first { return append(part) }
        append("(")
        if parts.count <= Self.mostInGroup {
            append(parts, separator)
        } else {
            var size = Self.mostInGroup
            while size * Self.mostInGroup < parts.count { size *= Self.mostInGroup }
            for start in stride(from: parts.startIndex, to: parts.endIndex, by: size) {
                if start > parts.startIndex { append(separator) }
                append("+(")
                append(group: parts[start..<min(start + size, parts.endIndex)], separator)
                append(")")
            }
        }
        append(")")
    }

    // MARK: - Putting together

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { code.append(contentsOf: $0) }
    }

    private mutating func append(_ row: RowAlias) {
        withUnsafeTemporaryAllocation(byteCount: 5, alignment: 1) { bytes in
            bytes[0] = Mark.row
            bytes.storeBytes(of: row.number.littleEndian, toByteOffset: 1, as: Int32.self)
            code.append(contentsOf: bytes)
        }
    }

    /// The name of a table or column, as an identifier.
    private mutating func append(name: String) {
        let quotation = UInt8(ascii: "\"")
        code.append(quotation)
        var name = name
        name.withUTF8 { bytes in
            if bytes.contains(quotation) {
                for byte in bytes { code += byte == quotation ? [byte, byte] : [byte] }
            } else {
                code.append(contentsOf: bytes)
            }
        }
        code.append(quotation)
    }

    private mutating func append(value: SQLValue) {
        code.append(Mark.value)
        values.append(value)
    }

    private mutating func append(_ other: SQLFragment) {
        code += other.code
        if !other.values.isEmpty { values += other.values }
        if !other.namedSets.isEmpty { namedSets = Self.merged(namedSets, other.namedSets) }
        hasAlternatives = hasAlternatives || other.hasAlternatives
    }

    private mutating func append(_ parts: ArraySlice<SQLFragment>, _ separator: String) {
        for (index, part) in parts.enumerated() {
            if index > 0 { append(separator) }
            append(part)
        }
    }

    /// Several fragments with a text between them; nothing if there are none.
    package static func joined(_ parts: [SQLFragment], _ separator: String) -> SQLFragment {
        var all = SQLFragment()
        all.append(parts[...], separator)
        return all
    }

    /// Values as parameters, with commas between them.
    static func list(_ values: [SQLValue]) -> SQLFragment {
        var list = SQLFragment()
        list.code.reserveCapacity(2 * values.count)
        for index in values.indices {
            if index > 0 { list.code.append(UInt8(ascii: ",")) }
            list.code.append(Mark.value)
        }
        list.values = values
        return list
    }

    package static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        var both = left
        both.selections = []
        both.append(right)
        return both
    }

    package static func += (left: inout SQLFragment, right: SQLFragment) {
        left.selections = []
        left.append(right)
    }
}

// MARK: - Literals

extension SQLFragment: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { append(text) }

    package init(stringInterpolation interpolation: StringInterpolation) { self = interpolation.fragment }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = SQLFragment()

        /// Most of what is put in is short.
        private static let usual = 24

        package init(literalCapacity: Int, interpolationCount: Int) {
            fragment.code.reserveCapacity(literalCapacity + Self.usual * interpolationCount)
        }

        package mutating func appendLiteral(_ text: String) { fragment.append(text) }

        package mutating func appendInterpolation(_ row: RowAlias) { fragment.append(row) }

        package mutating func appendInterpolation(_ other: SQLFragment) { fragment.append(other) }

        package mutating func appendInterpolation(_ column: StoredColumn) {
            guard let name = column.name else { return fragment.append("NULL") }
            fragment.append(column.alias)
            fragment.append(".")
            fragment.append(name: name)
        }

        /// A value.
        package mutating func appendInterpolation(bind value: SQLValue) { fragment.append(value: value) }

        /// The name of a table or column.
        package mutating func appendInterpolation(name: String) { fragment.append(name: name) }

        /// A table.
        mutating func appendInterpolation(_ table: TablePlan) { fragment.append(table.quotedName) }

        /// A number of the statement's own.
        package mutating func appendInterpolation(_ number: Int) { fragment.append("\(number)") }

        package mutating func appendInterpolation(_ number: Int64) { fragment.append("\(number)") }

        /// Text that is no value: the name of a function or an operator.
        package mutating func appendInterpolation(raw text: String) { fragment.append(text) }
    }
}

// MARK: - Reading

extension SQLFragment {
    /// A part of a fragment.
    enum Part {
        case text(UnsafeBufferPointer<UInt8>)
        case row(RowAlias)
        case value(SQLValue)
        case parameter(SQLValue)
    }

    /// Calls `body` with each part in order.
    func forEachPart(_ body: (Part) -> Void) {
        code.withUnsafeBufferPointer { bytes in
            var (start, index, value) = (0, 0, 0)
            while index < bytes.count {
                let mark = bytes[index]
                if mark > Mark.parameter {
                    index += 1
                    continue
                }
                if index > start { body(.text(UnsafeBufferPointer(rebasing: bytes[start..<index]))) }
                index += 1
                if mark == Mark.row {
                    let number = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: Int32.self)
                    body(.row(RowAlias(Int32(littleEndian: number))))
                    index += 4
                } else {
                    body(mark == Mark.value ? .value(values[value]) : .parameter(values[value]))
                    value += 1
                }
                start = index
            }
            if index > start { body(.text(UnsafeBufferPointer(rebasing: bytes[start..<index]))) }
        }
    }

    /// What it says but for the names of rows that are its own: equal for fragments that say the same of the same rows around them.
    ///
    /// - Parameter outer: the rows that come from around it.
    package func key(outer: Set<RowAlias>) -> Key {
        var known: [RowAlias: Int32] = [:]
        var same = SQLFragment()
        forEachPart { part in
            switch part {
            case .text(let bytes): same.code.append(contentsOf: bytes)
            case .value(let value), .parameter(let value): same.append(value: value)
            case .row(let row) where outer.contains(row): same.append(row)
            case .row(let row):
                let number = known[row] ?? Int32(known.count)
                known[row] = number
                same.append(RowAlias(-1 - number))
            }
        }
        return Key(code: same.code, values: same.values)
    }

    /// What a fragment says.
    package struct Key: Hashable, Sendable {
        fileprivate let code: [UInt8]
        fileprivate let values: [SQLValue]
    }
}
