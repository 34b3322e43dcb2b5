import FireLite
import FireLiteCore

/// Reads the rows of a compiled view.
struct CompiledRows {
    private let columns: [ViewCompiler.Column]
    /// The last text of each column: patients and codes repeat from row to row, and a comparison costs less than another text.
    private var texts: [String]
    /// The value made of the last text.
    private var values: [ViewValue]

    init(_ statement: ViewCompiler.Statement) {
        columns = statement.columns
        texts = Array(repeating: "", count: columns.count)
        values = Array(repeating: .text(""), count: columns.count)
    }

    /// The values of a row of the statement.
    mutating func values(_ row: StatementRow) throws -> [ViewValue] {
        var result: [ViewValue] = []
        result.reserveCapacity(columns.count)
        for index in columns.indices { result.append(try value(row, index)) }
        return result
    }

    private mutating func value(_ row: StatementRow, _ index: Int) throws -> ViewValue {
        let column = columns[index]
        guard !column.isCollection else { return .list(try Self.elements(row.value(index).text ?? "[]")) }
        if case .temporal(let type, let aside) = column.decoding {
            return row.literal(index, aside: aside, type).map { .text($0) } ?? .null
        }
        guard let bytes = row.text(index) else { return Self.value(row.value(index), column.kind) }
        if Self.isEqual(texts[index], bytes) { return values[index] }
        let text = String(decoding: bytes, as: UTF8.self)
        let value = Self.value(text, column)
        texts[index] = text
        values[index] = value
        return value
    }

    private static func isEqual(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.count == bytes.count && $0.elementsEqual(bytes) } ?? false
    }

    private static func value(_ text: String, _ column: ViewCompiler.Column) -> ViewValue {
        if case .referenceKey(let type) = column.decoding {
            let parts = ReferenceParts(text)
            guard let named = parts.type, let id = parts.id, type == nil || type == named else { return .null }
            return .text("\(named)/\(id)")
        }
        return column.kind == .decimal ? FHIRDecimal(text).map { .decimal($0) } ?? .text(text) : .text(text)
    }

    /// The value of a cell that is no text.
    private static func value(_ value: SQLValue, _ kind: SQLKind) -> ViewValue {
        switch (value, kind) {
        case (.integer(let number), .boolean): .boolean(number != 0)
        case (.integer(let number), .decimal): FHIRDecimal("\(number)").map { .decimal($0) } ?? .null
        case (.integer(let number), _): .integer(number)
        case (.real(let number), _): .decimal(FHIRDecimal(number))
        case (.null, _), (.blob, _), (.text, _): .null
        }
    }

    private static func elements(_ json: String) throws -> [ViewValue] {
        guard case .list(let elements) = try ViewJSON(text: json) else { return [] }
        return elements.map { element in
            switch element {
            case .boolean(let truth): .boolean(truth)
            case .number(let text): Int64(text).map { .integer($0) } ?? .text(text)
            case .string(let text): .text(text)
            default: .null
            }
        }
    }
}
