import FireLiteCore

/// A row of a view: values by the number or name of a column.
public struct ViewRow: Sendable, Hashable {
    /// The names of the columns, in their order.
    public let columns: [String]
    /// The values, in the order of the columns.
    public let values: [ViewValue]

    /// The value of a column by its number.
    ///
    /// - Parameter index: the number, from 0.
    /// - Precondition: there is such a column.
    public subscript(index: Int) -> ViewValue { values[index] }

    /// The value of a column by its name; null if there is none.
    public subscript(name: String) -> ViewValue { columns.firstIndex(of: name).map { values[$0] } ?? .null }

    /// The row as one JSON object, with every column.
    public var json: String { JSONText.object(zip(columns, values).map { ($0, $1.json) }) }

    /// The row as comma-separated values (RFC 4180), without a line ending.
    public var csv: String { Self.csv(values.map(\.text)) }

    /// Cells as comma-separated values.
    static func csv(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") }

    private static func cell(_ text: String) -> String {
        // By scalars: a reader takes a quotation mark with an accent for a quotation mark.
        let scalars = text.unicodeScalars
        guard scalars.contains(where: { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }) else { return text }
        return "\"" + String(String.UnicodeScalarView(scalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] })) + "\""
    }

    /// About the number of bytes in memory.
    var size: Int { values.reduce(64) { $0 + 32 + ($1 == .null ? 0 : $1.size) } }
}

extension ViewValue {
    fileprivate var size: Int {
        switch self {
        case .text(let text), .object(let text): text.utf8.count
        case .list(let values): values.reduce(0) { $0 + 32 + $1.size }
        default: 0
        }
    }
}
