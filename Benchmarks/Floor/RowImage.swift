import FireLiteSQLite

/// Rows of a store's file in flat memory, in the order in which an app would write them: resource by resource, owners before what they own.
struct RowImage {
    enum Kind: UInt8 {
        case null, int, double, text, blob
    }

    struct Cell {
        let column: Int32
        let kind: Kind
        let length: Int32
        /// The number, or the place of the text in `bytes`.
        let payload: Int64
    }

    struct Row {
        let table: Int32
        let key: Int64
        var cellStart: Int
        var cellEnd: Int
    }

    private(set) var rows = ContiguousArray<Row>()
    private(set) var cells = ContiguousArray<Cell>()
    private(set) var bytes = ContiguousArray<UInt8>()

    /// Adds a row that a statement stands on.
    mutating func read(_ statement: OpaquePointer, table: Int, key: Int64) {
        let start = cells.count
        for column in 0..<sqlite3_column_count(statement) {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: cells.append(Cell(column: column, kind: .int, length: 0, payload: sqlite3_column_int64(statement, column)))
            case SQLITE_FLOAT:
                let bits = Int64(bitPattern: sqlite3_column_double(statement, column).bitPattern)
                cells.append(Cell(column: column, kind: .double, length: 0, payload: bits))
            case SQLITE_TEXT: append(sqlite3_column_text(statement, column), sqlite3_column_bytes(statement, column), column, .text)
            case SQLITE_BLOB: append(sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column), column, .blob)
            default: break
            }
        }
        rows.append(Row(table: Int32(table), key: key, cellStart: start, cellEnd: cells.count))
    }

    private mutating func append(_ start: UnsafeRawPointer?, _ count: Int32, _ column: Int32, _ kind: Kind) {
        cells.append(Cell(column: column, kind: kind, length: count, payload: Int64(bytes.count)))
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    /// Puts the rows in order, with a NULL only where the parameter has a value of the table's row before: no bind is done in vain.
    ///
    /// - Parameter bound: which parameters of each table's statement have a value, before and after.
    mutating func arrange(_ order: [Int], bound: inout [[Bool]]) {
        var ordered = ContiguousArray<Row>()
        var orderedCells = ContiguousArray<Cell>()
        ordered.reserveCapacity(rows.count)
        orderedCells.reserveCapacity(cells.count)
        for index in order {
            var row = rows[index]
            let table = Int(row.table)
            let start = orderedCells.count
            var isSet = [Bool](repeating: false, count: bound[table].count)
            for cell in cells[row.cellStart..<row.cellEnd] {
                isSet[Int(cell.column)] = true
                orderedCells.append(cell)
            }
            for column in isSet.indices where bound[table][column] && !isSet[column] {
                orderedCells.append(Cell(column: Int32(column), kind: .null, length: 0, payload: 0))
            }
            bound[table] = isSet
            (row.cellStart, row.cellEnd) = (start, orderedCells.count)
            ordered.append(row)
        }
        rows = ordered
        cells = orderedCells
    }
}
