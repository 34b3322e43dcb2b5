import FireLiteCore
import FireLiteSQLiteBridge

/// Reads the rows of one table for a range of keys.
final class RowReader {
    let columns: RowColumns
    let statement: Statement
    /// The current row of the statement.
    let row: ResultRow

    init(_ columns: RowColumns, _ connection: Connection) throws {
        self.columns = columns
        statement = try connection.prepare(
            "SELECT \(columns.selection) FROM \(columns.plan.quotedName) WHERE _k BETWEEN ? AND ? ORDER BY _k")
        row = statement.row
    }

    /// Calls `body` with each row of a resource.
    ///
    /// - Throws: `SQLiteError`.
    @inline(__always)
    func forEachRow(of root: Int64, _ body: (ResultRow, RowColumns) -> Void) throws {
        start(RowKey.key(root), RowKey.last(root))
        while try statement.step() { body(row, columns) }
        statement.reset()
    }

    /// Starts reading the rows with keys in a range.
    @inline(__always)
    func start(_ first: Int64, _ last: Int64) {
        statement.reset()
        statement.bind(1, first)
        statement.bind(2, last)
    }
}
