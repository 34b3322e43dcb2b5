import FireLiteSQLite

/// The rows of a trail in memory, to be inserted into another file by way of SQLite's C API.
final class AuditFloorRows {
    private enum Cell {
        case integer(Int64)
        case text(Range<Int>)
        case blob(Range<Int>)
        case null
    }

    private struct Table {
        let definitions: [String]
        let insertion: String
        let columns: Int
        var cells: [Cell] = []
    }

    private var tables: [Table] = []
    private var bytes: [UInt8] = []
    private var statements: [OpaquePointer] = []
    /// What is added to the keys, so that rows can be inserted several times.
    private var turn: Int64 = -1

    /// - Parameters:
    ///   - path: the file with the trail.
    ///   - limit: the number of rows of each table, the last ones.
    init(of path: String, limit: Int = .max) throws {
        let source = try RawDatabase(path)
        let names = try source.rows(#"SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '\_audit%' ESCAPE '\'"#)
        for name in names.compactMap(\.[0]) {
            let definitions = try source.rows("SELECT sql FROM sqlite_schema WHERE tbl_name = '\(name)' AND sql NOTNULL").compactMap(\.[0])
            let statement = try source.prepare("SELECT * FROM (SELECT * FROM \(name) ORDER BY 1 DESC LIMIT \(limit)) ORDER BY 1")
            let count = sqlite3_column_count(statement)
            let parameters = Array(repeating: "?", count: Int(count)).joined(separator: ", ")
            var table = Table(definitions: definitions, insertion: "INSERT INTO \(name) VALUES (\(parameters))", columns: Int(count))
            while sqlite3_step(statement) == SQLITE_ROW {
                for column in 0..<count { table.cells.append(cell(statement, column)) }
            }
            tables.append(table)
        }
    }

    private func cell(_ statement: OpaquePointer, _ column: Int32) -> Cell {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_NULL: return .null
        case let type:
            let start = bytes.count
            bytes.append(
                contentsOf: UnsafeRawBufferPointer(
                    start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column))))
            return type == SQLITE_TEXT ? .text(start..<bytes.count) : .blob(start..<bytes.count)
        }
    }

    /// Makes the tables and the statements.
    func prepare(_ target: RawDatabase) throws {
        for table in tables { for sql in table.definitions { try target.execute(sql) } }
        statements = try tables.map { try target.prepare($0.insertion) }
    }

    /// Inserts all rows in one transaction.
    func insert(into target: RawDatabase) throws {
        turn += 1
        let offset = turn * 1_000_000
        try target.execute("BEGIN IMMEDIATE")
        bytes.withUnsafeBytes { bytes in
            for (table, statement) in zip(tables, statements) {
                for row in stride(from: 0, to: table.cells.count, by: table.columns) {
                    for column in 0..<table.columns {
                        let place = Int32(column + 1)
                        switch table.cells[row + column] {
                        case .integer(let value): sqlite3_bind_int64(statement, place, column == 0 ? value + offset : value)
                        case .null: sqlite3_bind_null(statement, place)
                        case .text(let range):
                            let text = bytes.baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(to: CChar.self)
                            sqlite3_bind_text(statement, place, text, Int32(range.count), nil)
                        case .blob(let range):
                            sqlite3_bind_blob(statement, place, bytes.baseAddress?.advanced(by: range.lowerBound), Int32(range.count), nil)
                        }
                    }
                    sqlite3_step(statement)
                    sqlite3_reset(statement)
                }
            }
        }
        try target.execute("COMMIT")
    }
}
