import FireLiteCore
import FireLiteSQLiteBridge

/// Many values as rows, bound as one parameter, so that statements do not differ by their number.
package enum ValueList {
    /// A statement that returns the values as one column `value`.
    package static func rows(_ values: [SQLValue]) -> SQLFragment {
        // SQLite's JSON ends a text at a NUL, and has no number that is not finite.
        let isPlain = values.allSatisfy { !($0.text?.utf8.contains(0) ?? false) && ($0.double?.isFinite ?? true) }
        guard Connection.hasJSON, isPlain else { return PackedValues(values).rows }
        return "SELECT value FROM json_each(\(bind: .text("[\(values.map(json).joined(separator: ","))]")))"
    }

    static func rows(_ texts: [String]) -> SQLFragment { rows(texts.map { .text($0) }) }

    static func json(_ value: SQLValue) -> String {
        switch value {
        case .null, .blob: "null"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): JSONText.string(value)
        }
    }
}
