import FireLiteCore
import FireLiteSQLiteBridge

/// A statement as SQLite reads it, with the values of its parameters in their order.
package struct SQLStatement: Sendable {
    package let sql: String
    package let arguments: [SQLValue]

    package init(sql: String, arguments: [SQLValue]) {
        self.sql = sql
        self.arguments = arguments
    }
}

/// Writes fragments as statements. Rows get their names here, by their order.
struct SQLWriter {
    /// What becomes of values.
    enum Values {
        /// Parameters.
        case parameters
        /// Literals, as the definition of a view has no parameters.
        case literals
    }

    private let values: Values
    private var bytes: [UInt8] = []
    private(set) var arguments: [SQLValue] = []
    /// The number in the name of each row, by the row's number; 0 for none.
    private var names: [Int32] = []
    private var count: Int32 = 0
    /// Whether a value has no literal.
    private(set) var isIncomplete = false

    init(_ values: Values) { self.values = values }

    /// The text that was written.
    var sql: String { String(decoding: bytes, as: UTF8.self) }

    mutating func write(_ fragment: SQLFragment) {
        bytes.reserveCapacity(fragment.code.count)
        if values == .parameters { arguments = fragment.values }
        fragment.forEachPart { part in
            switch part {
            case .text(let text): bytes.append(contentsOf: text)
            case .row(let row): write(row)
            case .value(let value): if values == .parameters { bytes.append(UInt8(ascii: "?")) } else { write(literal: value) }
            case .parameter: if values == .literals { isIncomplete = true }
            }
        }
    }

    private mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private mutating func write(_ row: RowAlias) {
        if row == .result { return bytes.append(UInt8(ascii: "r")) }
        let index = Int(row.number)
        if index >= names.count { names += Array(repeating: 0, count: index + 1 - names.count) }
        if names[index] == 0 {
            count += 1
            names[index] = count
        }
        bytes.append(UInt8(ascii: "t"))
        write("\(names[index])")
    }

    private mutating func write(literal value: SQLValue) {
        switch value {
        case .null: write("NULL")
        case .integer(let number): write("\(number)")
        case .real(let number):
            if !number.isFinite { isIncomplete = true }
            write("\(number)")
        case .text(let text):
            // SQLite reads a statement up to its first zero.
            if text.utf8.contains(0) { isIncomplete = true }
            write("'" + (text.utf8.contains(UInt8(ascii: "'")) ? text.replacingBytes("'", with: "''") : text) + "'")
        case .blob(let bytes): write("x'\(bytes.hexText)'")
        }
    }
}

extension SQLFragment {
    /// The statement with the sets of keys that it names, and parameters for its values.
    package var statement: SQLStatement {
        var writer = SQLWriter(.parameters)
        writer.write(withSets)
        return SQLStatement(sql: writer.sql, arguments: writer.arguments)
    }

    /// The statement with literals for its values; nil for a text with a zero byte.
    package var literalText: String? {
        var writer = SQLWriter(.literals)
        writer.write(withSets)
        return writer.isIncomplete ? nil : writer.sql
    }

    private var withSets: SQLFragment {
        if namedSets.isEmpty { return self }
        var all: [KeyDefinition] = []
        for definition in namedSets.flatMap(\.withInner) where !all.contains(where: { $0.name == definition.name }) {
            all.append(definition)
        }
        return "WITH \(.joined(all.map { "\(name: $0.name)(k) AS \(raw: $0.hint)(\($0.select))" }, ", ")) \(self)"
    }
}

extension Statement {
    /// Binds values from parameter 1 on.
    /// Binds values to the parameters after the first `count`.
    func bind(_ values: [SQLValue], after count: Int = 0) {
        for (index, value) in values.enumerated() { bind(count + index + 1, value) }
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
