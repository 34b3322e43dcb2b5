import FireLiteSQLite
import Foundation

/// Whether two files hold the same rows in the same tables.
struct ContentComparison {
    static func areEqual(_ first: String, _ second: String) throws -> Bool {
        let (left, right) = (try RawDatabase(first), try RawDatabase(second))
        let tables = try left.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> '_meta' ORDER BY name").compactMap {
            $0[0]
        }
        let others = try right.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> '_meta' ORDER BY name").compactMap {
            $0[0]
        }
        guard tables == others else { return false }
        for table in tables {
            let sql = "SELECT * FROM \"\(table)\" ORDER BY 1"
            guard areEqual(try left.prepare(sql), try right.prepare(sql)) else { return false }
        }
        return true
    }

    private static func areEqual(_ left: OpaquePointer, _ right: OpaquePointer) -> Bool {
        guard sqlite3_column_count(left) == sqlite3_column_count(right) else { return false }
        while true {
            let (more, others) = (sqlite3_step(left), sqlite3_step(right))
            guard more == others else { return false }
            guard more == SQLITE_ROW else { return more == SQLITE_DONE }
            for column in 0..<sqlite3_column_count(left) where !isEqual(left, right, column) { return false }
        }
    }

    static func isEqual(_ left: OpaquePointer, _ right: OpaquePointer, _ column: Int32) -> Bool {
        let type = sqlite3_column_type(left, column)
        guard type == sqlite3_column_type(right, column) else { return false }
        switch type {
        case SQLITE_INTEGER: return sqlite3_column_int64(left, column) == sqlite3_column_int64(right, column)
        case SQLITE_FLOAT: return sqlite3_column_double(left, column) == sqlite3_column_double(right, column)
        case SQLITE_NULL: return true
        default:
            let count = sqlite3_column_bytes(left, column)
            guard count == sqlite3_column_bytes(right, column) else { return false }
            guard count > 0, let first = sqlite3_column_blob(left, column), let second = sqlite3_column_blob(right, column) else {
                return true
            }
            return memcmp(first, second, Int(count)) == 0
        }
    }
}
