import FireLite
import FireLiteCore

/// Reads the rows of a compiled view.
struct CompiledRows {
    private let columns: [CompiledColumn]

    init(_ statement: ViewCompiler.Statement) { columns = statement.columns.map(CompiledColumn.init) }

    /// The values of a row of the statement.
    func values(_ row: StatementRow) throws -> [ViewValue] {
        try columns.withUnsafeBufferPointer { columns in
            var values: [ViewValue] = []
            values.reserveCapacity(columns.count)
            for index in columns.indices { values.append(try columns[index].value(row, index)) }
            return values
        }
    }
}
