import FireLiteSQLiteBridge

/// A value of a row of a statement. The bytes of a text are valid until the next row.
package enum StatementCell {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeBufferPointer<UInt8>)
}

extension StatementRow {
    /// A column's value, looked up once.
    package func cell(_ index: Int) -> StatementCell {
        let value = row.value(index)
        return switch value.type {
        case .text: .text(value.textBytes)
        case .integer: .integer(value.int)
        case .float: .real(value.double)
        case .null, .blob: .null
        }
    }
}

extension StatementCell {
    /// The integer; nil for values of other classes.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// A copy of the text; nil for values of other classes.
    package var text: String? { if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }
}
