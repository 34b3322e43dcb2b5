import FireLiteSQLiteBridge

/// Reads all rows of a resource with one statement, which goes through the tables of the resource's shape one after the other.
///
/// Beginning and ending a statement is a third of what reading a table costs, and the statement keeps the memory of its results
/// from one table to the next.
final class ShapeReader {
    private let tables: ContiguousArray<RowColumns>
    private let statement: Statement
    /// The result that tells which table a row is of, after as many as the widest table has.
    private let numberColumn: Int
    /// A statement of more results than this, of all tables together, takes longer to compile than it is worth.
    private static let maximumResults = 2_000

    /// - Returns: nil where the tables are too many or too wide.
    /// - Throws: `SQLiteError`.
    init?(_ tables: some Sequence<RowColumns>, _ connection: Connection) throws {
        let tables = ContiguousArray(tables)
        let width = tables.map(\.count).max() ?? 0
        guard tables.count > 1, tables.count * (width + 1) <= Self.maximumResults else { return nil }
        let selects = tables.enumerated().map { number, columns in
            let padding = String(repeating: ",NULL", count: width - columns.count)
            return "SELECT \(columns.selection)\(padding),\(number) FROM \(columns.plan.quotedName) WHERE _k BETWEEN ?1 AND ?2"
        }
        statement = try connection.prepare(selects.joined(separator: " UNION ALL "))
        numberColumn = width
        self.tables = tables
    }

    /// Calls `body` with each row of a resource and the columns of its table.
    ///
    /// - Throws: `SQLiteError`.
    @inline(__always)
    func forEachRow(of root: Int64, _ body: (ResultRow, RowColumns) -> Void) throws {
        statement.bind(1, root << 24)
        statement.bind(2, root << 24 | 0xFF_FFFF)
        let row = statement.row
        while try statement.step() {
            tables.withUnsafeBufferPointer { body(row, $0[Int(row.value(numberColumn).int)]) }
        }
        statement.reset()
    }
}
