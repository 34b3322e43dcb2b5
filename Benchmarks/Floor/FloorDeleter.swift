import SQLiteLibrary

/// Deletes the rows of resources with prepared statements: a key range in each table that the resource has rows in, and its registry row.
final class FloorDeleter {
    private let database: RawDatabase
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let shape: OpaquePointer
    private let registration: OpaquePointer
    private var lookups: [String: OpaquePointer] = [:]
    private var shapes: [Int64: [OpaquePointer]] = [:]

    init(_ path: String) throws {
        database = try RawDatabase(path)
        begin = try database.prepare("BEGIN IMMEDIATE")
        commit = try database.prepare("COMMIT")
        shape = try database.prepare("SELECT shape FROM _resource WHERE root = ?")
        registration = try database.prepare("DELETE FROM _resource WHERE root = ?")
        var deletes: [String: OpaquePointer] = [:]
        for row in try database.rows("SELECT shape, tables FROM _shape") {
            var statements: [OpaquePointer] = []
            for table in (row[1] ?? "").split(separator: " ").map(String.init) {
                let statement = try deletes[table] ?? database.prepare("DELETE FROM \"\(table)\" WHERE _k BETWEEN ? AND ?")
                deletes[table] = statement
                statements.append(statement)
            }
            shapes[Int64(row[0] ?? "") ?? 0] = statements
        }
    }

    /// Compiles the look-up by id of these types.
    func prepareLookups(_ types: Set<String>) throws {
        for type in types where lookups[type] == nil {
            lookups[type] = try database.prepare("SELECT _k FROM \"\(type)\" WHERE id = ? AND _parent IS NULL ORDER BY _k LIMIT 1")
        }
    }

    func beginWrite() { step(begin) }

    func commitWrite() { step(commit) }

    private func step(_ statement: OpaquePointer) {
        sqlite3_step(statement)
        sqlite3_reset(statement)
    }

    /// Deletes the resource with this type and id.
    func delete(typeName: String, id: String) {
        guard let lookup = lookups[typeName] else { return }
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(lookup, 1, id, -1, transient)
        let key = sqlite3_step(lookup) == SQLITE_ROW ? sqlite3_column_int64(lookup, 0) : -1
        sqlite3_reset(lookup)
        guard key >= 0 else { return }
        let root = key >> 24
        sqlite3_bind_int64(shape, 1, root)
        let number = sqlite3_step(shape) == SQLITE_ROW ? sqlite3_column_int64(shape, 0) : 0
        sqlite3_reset(shape)
        for statement in shapes[number] ?? [] {
            sqlite3_bind_int64(statement, 1, root << 24)
            sqlite3_bind_int64(statement, 2, root << 24 | 0xFF_FFFF)
            step(statement)
        }
        sqlite3_bind_int64(registration, 1, root)
        step(registration)
    }
}
