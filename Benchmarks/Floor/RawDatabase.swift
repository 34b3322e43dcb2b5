import FireLiteSQLite

/// A database file by way of SQLite's C API alone, with the journal, durability and cache sizes of a store: what the floors are measured
/// with.
///
/// It writes no checksums of pages and looks at none: what it has written to is not for a store.
final class RawDatabase {
    let path: String
    let handle: OpaquePointer
    private var statements: [OpaquePointer] = []

    init(_ path: String, synchronous: String = "FULL", cacheMB: Int = 64) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else { throw BenchmarkFailure("cannot open \(path)") }
        self.path = path
        self.handle = handle
        try execute(
            """
            PRAGMA synchronous = \(synchronous); PRAGMA cache_size = -\(cacheMB * 1_024); PRAGMA temp_store = MEMORY;
            PRAGMA journal_mode = WAL
            """
        )
        sqlite3_busy_timeout(handle, 5_000)
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// Compiles a statement that lives as long as the connection.
    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK, let statement else {
            throw failure(sql)
        }
        statements.append(statement)
        return statement
    }

    func failure(_ sql: String) -> BenchmarkFailure { BenchmarkFailure("\(String(cString: sqlite3_errmsg(handle))) in \(sql)") }

    /// The rows of a query as text, for what is not measured.
    func rows(_ sql: String) throws -> [[String?]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        defer { sqlite3_finalize(statement) }
        var rows: [[String?]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) }
                })
        }
        return rows
    }

    func integer(_ sql: String) throws -> Int { try rows(sql).first?.first?.flatMap { Int($0) } ?? 0 }

    /// Calls `body` with the first column of each row.
    func forEachInteger(_ sql: String, _ body: (Int64) -> Void) throws {
        let statement = try prepare(sql)
        while sqlite3_step(statement) == SQLITE_ROW { body(sqlite3_column_int64(statement, 0)) }
        sqlite3_reset(statement)
    }

    /// The types of the resources in the file.
    func types() throws -> [String] { try rows("SELECT DISTINCT type FROM _shape").compactMap { $0[0] } }

    /// The names of the tables that resources of some types have rows in, with those of what they contain.
    func tables(of types: [String]) throws -> Set<String> {
        let shapes = try rows("SELECT type, tables FROM _shape").filter { types.contains($0[0] ?? "") }
        return Set(shapes.flatMap { ($0[1] ?? "").split(separator: " ").map(String.init) })
    }

    /// Reads every value of the row that a statement stands on, and returns something that depends on all of them.
    @inline(__always)
    static func touch(_ statement: OpaquePointer, columns: Int32) -> Int64 {
        var sum: Int64 = 0
        for column in 0..<columns {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: sum &+= sqlite3_column_int64(statement, column)
            case SQLITE_FLOAT: sum &+= Int64(sqlite3_column_double(statement, column).bitPattern >> 12)
            case SQLITE_TEXT:
                sum &+= Int64(sqlite3_column_text(statement, column)?.pointee ?? 0) &+ Int64(sqlite3_column_bytes(statement, column))
            case SQLITE_BLOB: sum &+= Int64(sqlite3_column_bytes(statement, column))
            default: break
            }
        }
        return sum
    }
}
