import FireLite
import FireLiteCore

extension ViewCompiler.Statement {
    /// The values of a row of the statement.
    func values(_ row: SQLRow) throws -> [ViewValue] {
        try zip(columns, row.values).map { column, value in
            guard column.isCollection else { return Self.value(value, column.kind) }
            return .list(try Self.elements(value.text ?? "[]"))
        }
    }

    private static func value(_ value: SQLValue, _ kind: SQLKind) -> ViewValue {
        switch (value, kind) {
        case (.null, _), (.blob, _): .null
        case (.integer(let number), .boolean): .boolean(number != 0)
        case (.integer(let number), .decimal): FHIRDecimal("\(number)").map { .decimal($0) } ?? .null
        case (.integer(let number), _): .integer(number)
        case (.real(let number), _): .decimal(FHIRDecimal(number))
        case (.text(let text), .decimal): FHIRDecimal(text).map { .decimal($0) } ?? .text(text)
        case (.text(let text), _): .text(text)
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
