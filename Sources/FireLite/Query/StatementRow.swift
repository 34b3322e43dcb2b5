import FireLiteCore
import FireLiteSQLiteBridge

/// The current row of a statement, for modules that read many rows: nothing is copied until it is asked for. Valid until the next row.
package struct StatementRow {
    let row: ResultRow

    init(_ row: ResultRow) { self.row = row }

    /// A column's value.
    package func value(_ index: Int) -> SQLValue {
        switch row.type(index) {
        case .null: .null
        case .integer: .integer(row.int(index))
        case .float: .real(row.double(index))
        case .text: .text(String(decoding: row.textBytes(index), as: UTF8.self))
        case .blob: .null
        }
    }

    /// The literal of a primitive in two columns: its value, and the rest of its literal; nil for no value.
    package func literal(_ index: Int, aside: Int, _ type: PrimitiveType) -> String? {
        ValueCodec.literal(value(index), aside: value(aside), type)
    }

    /// The literal of a date or time in UTC whose zone is so many minutes away; nil if the text is of a kind that the other form reads.
    package static func literal(ofTemporal utc: UnsafeBufferPointer<UInt8>, minutes: Int64) -> String? {
        ValueCodec.literal(ofTemporal: utc, minutes: minutes)
    }
}

extension FHIRStore {
    /// Runs a statement that only reads, and calls `body` with each row.
    ///
    /// - Throws: what `body` throws; `FHIRStoreError` as `sql(_:arguments:isCancelled:)` does.
    package func forEachStatementRow(_ statement: SQLStatement, _ body: (StatementRow) throws -> Void) throws {
        try perform { transaction in
            try run(statement.sql, arguments: statement.arguments, in: transaction, columns: { _ in }) { try body(StatementRow($0.row)) }
        }
    }
}
