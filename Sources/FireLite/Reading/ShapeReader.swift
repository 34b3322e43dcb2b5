import FireLiteCore
import FireLiteSQLiteBridge

/// Reads all rows of a resource with one statement, which goes through the tables of the resource's shape one after the other.
///
/// Starting and ending a statement is a third of the cost of reading a table, and the statement keeps the memory of its results
/// from one table to the next.
final class ShapeReader {
    private let tables: ContiguousArray<RowColumns>
    private let statement: Statement
    /// The result with the number of a row's table, after those of the widest table.
    private let numberColumn: Int
    /// The maximum number of results of all tables together; a larger statement takes too long to compile.
    private static let maximumResults = 2_000

    /// - Returns: nil if there are too many tables, or they are too wide.
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
        statement.bind(1, RowKey.key(root))
        statement.bind(2, RowKey.last(root))
        let row = statement.row
        while try statement.step() {
            tables.withUnsafeBufferPointer { body(row, $0[Int(row.value(numberColumn).int)]) }
        }
        statement.reset()
    }
}
