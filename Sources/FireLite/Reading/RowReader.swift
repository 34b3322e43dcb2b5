import FireLiteCore
import FireLiteSQLiteBridge

/// Reads the rows of one table for a range of keys, or for several ranges.
final class RowReader {
    /// Which rows a statement reads.
    enum Kind {
        /// Those with keys in a range.
        case range
        /// Those with keys in up to `RowReader.group` ranges, which it looks up one after the other.
        case ranges
    }

    let columns: RowColumns
    let kind: Kind
    let statement: Statement
    /// The current row of the statement.
    let row: ResultRow
    /// The number of ranges that one run of a statement for several reads.
    static let group = 16

    init(_ columns: RowColumns, _ kind: Kind, _ connection: Connection) throws {
        self.columns = columns
        self.kind = kind
        let table = columns.plan.quotedName
        switch kind {
        case .range:
            statement = try connection.prepare("SELECT \(columns.selection) FROM \(table) WHERE _k BETWEEN ? AND ? ORDER BY _k")
        case .ranges:
            // In the order of the values. No element's name begins with an underscore.
            let values = repeatElement("(?,?)", count: Self.group).joined(separator: ",")
            statement = try connection.prepare(
                """
                WITH wanted(_first, _last) AS (VALUES \(values)) SELECT \(columns.selection) FROM wanted CROSS JOIN \(table)
                ON _k BETWEEN _first AND _last
                """)
        }
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

    /// Starts reading the rows of resources with numbers in these ranges, of which there are at most `group`.
    func start(_ ranges: ArraySlice<ClosedRange<Int64>>) {
        statement.reset()
        var parameter = 1
        for range in ranges {
            statement.bind(parameter, RowKey.key(range.lowerBound))
            statement.bind(parameter + 1, RowKey.last(range.upperBound))
            parameter += 2
        }
        while parameter < 2 * Self.group {
            // A row with NULL has no rows of the table, whatever its other value.
            statement.bindNull(parameter)
            parameter += 2
        }
    }
}
