import FireLite
import FireLiteCore

/// Reads the rows of a compiled view.
struct CompiledRows {
    private let columns: [CompiledColumn]

    /// - Parameter bases: the base addresses under which references are to the store's own resources.
    init(_ statement: ViewCompiler.Statement, bases: [String]) { columns = statement.columns.map { CompiledColumn($0, bases: bases) } }

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
