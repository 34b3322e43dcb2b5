import SQLiteLibrary

/// Reads the rows of resources with prepared statements, touching every value, and makes nothing of them.
final class FloorReader {
    private let database: RawDatabase
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let registration: OpaquePointer
    private var lookups: [String: OpaquePointer] = [:]
    /// The statements of each shape, one for each table.
    private var shapes: [Int64: [OpaquePointer]] = [:]
    /// How many rows were read.
    private(set) var rows = 0
    /// Keeps the values from being optimised away.
    private(set) var sum: Int64 = 0

    init(_ path: String, cacheMB: Int = 16) throws {
        database = try RawDatabase(path, cacheMB: cacheMB)
        begin = try database.prepare("BEGIN")
        commit = try database.prepare("COMMIT")
        registration = try database.prepare("SELECT root, shape, revision, nodes, digest, pk FROM _resource WHERE root = ?")
        var selects: [String: OpaquePointer] = [:]
        for row in try database.rows("SELECT shape, tables FROM _shape") {
            var statements: [OpaquePointer] = []
            for table in (row[1] ?? "").split(separator: " ").map(String.init) {
                let statement = try selects[table] ?? database.prepare("SELECT * FROM \"\(table)\" WHERE _k BETWEEN ? AND ? ORDER BY _k")
                selects[table] = statement
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

    func beginRead() {
        sqlite3_step(begin)
        sqlite3_reset(begin)
    }

    func endRead() {
        sqlite3_step(commit)
        sqlite3_reset(commit)
    }

    /// Opens a file, reads one resource by its id with as few statements as that needs, and closes the file.
    ///
    /// - Returns: how many rows were read.
    static func readOnce(_ path: String, typeName: String, id: String) throws -> Int {
        let database = try RawDatabase(path)
        let lookup = try database.prepare(
            "SELECT r.root, r.revision, r.digest, r.pk, s.tables FROM \"\(typeName)\" t JOIN _resource r ON r.root = t._k >> 24 JOIN _shape s USING (shape) WHERE t.id = ? AND t._parent IS NULL ORDER BY t._k LIMIT 1"
        )
        sqlite3_bind_text(lookup, 1, id, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        guard sqlite3_step(lookup) == SQLITE_ROW, let tables = sqlite3_column_text(lookup, 4) else { return 0 }
        let root = sqlite3_column_int64(lookup, 0)
        var rows = 0
        for table in String(cString: tables).split(separator: " ") {
            let select = try database.prepare("SELECT * FROM \"\(table)\" WHERE _k BETWEEN ? AND ? ORDER BY _k")
            sqlite3_bind_int64(select, 1, root << 24)
            sqlite3_bind_int64(select, 2, root << 24 | 0xFF_FFFF)
            while sqlite3_step(select) == SQLITE_ROW { rows += 1 }
        }
        return rows
    }

    // MARK: - Reading

    /// Reads the rows of the resource with this type and id.
    func read(typeName: String, id: String) {
        let root = root(typeName: typeName, id: id)
        if root >= 0 { read(root: root) }
    }

    /// Reads the registry row only of the resource with this type and id.
    func readRegistration(typeName: String, id: String) {
        sqlite3_bind_int64(registration, 1, root(typeName: typeName, id: id))
        read(registration)
    }

    /// The number of the resource with this type and id, or -1.
    func root(typeName: String, id: String) -> Int64 {
        guard let lookup = lookups[typeName] else { return -1 }
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(lookup, 1, id, -1, transient)
        let key = sqlite3_step(lookup) == SQLITE_ROW ? sqlite3_column_int64(lookup, 0) : -1
        sqlite3_reset(lookup)
        return key >> 24
    }

    /// Reads the rows of the resource with this number.
    func read(root: Int64) {
        sqlite3_bind_int64(registration, 1, root)
        guard sqlite3_step(registration) == SQLITE_ROW else { return }
        touch(registration, columns: 6)
        let shape = sqlite3_column_int64(registration, 1)
        sqlite3_reset(registration)
        for statement in shapes[shape] ?? [] {
            sqlite3_bind_int64(statement, 1, root << 24)
            sqlite3_bind_int64(statement, 2, root << 24 | 0xFF_FFFF)
            let columns = sqlite3_column_count(statement)
            while sqlite3_step(statement) == SQLITE_ROW {
                touch(statement, columns: columns)
                rows += 1
            }
            sqlite3_reset(statement)
        }
    }

    /// Runs a query and touches every value of its result.
    func read(_ statement: OpaquePointer) {
        let columns = sqlite3_column_count(statement)
        while sqlite3_step(statement) == SQLITE_ROW {
            touch(statement, columns: columns)
            rows += 1
        }
        sqlite3_reset(statement)
    }

    /// The first value of a query with one argument.
    func integer(_ statement: OpaquePointer, _ argument: String) -> Int64 { integers(statement, argument).first ?? 0 }

    /// The values of the first column of a query with one argument.
    func integers(_ statement: OpaquePointer, _ argument: String) -> [Int64] {
        sqlite3_bind_text(statement, 1, argument, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        var values: [Int64] = []
        while sqlite3_step(statement) == SQLITE_ROW { values.append(sqlite3_column_int64(statement, 0)) }
        sqlite3_reset(statement)
        return values
    }

    func prepare(_ sql: String) throws -> OpaquePointer { try database.prepare(sql) }

    /// Statements that read every table of a type from its beginning to its end, and the registry rows of its resources.
    func scans(of type: String) throws -> [OpaquePointer] {
        let names = try database.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND (name = '\(type)' OR name GLOB '\(type)_*')")
        let registry = "SELECT r.* FROM \"\(type)\" t JOIN _resource r ON r.root = t._k >> 24 WHERE t._parent IS NULL ORDER BY t._k"
        return try names.compactMap { $0[0] }.map { try database.prepare("SELECT * FROM \"\($0)\" ORDER BY _k") } + [
            database.prepare(registry)
        ]
    }

    @inline(__always)
    private func touch(_ statement: OpaquePointer, columns: Int32) {
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
    }
}
