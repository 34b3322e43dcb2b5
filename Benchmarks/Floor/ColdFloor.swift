import FireLiteSQLite

/// Opens a file, reads one resource with as few statements as that needs, and closes the file.
enum ColdFloor {
    /// - Returns: how many rows were read, that of the registry not counted.
    static func read(_ path: String, typeName: String, id: String) throws -> Int {
        let database = try RawDatabase(path, cacheMB: 16)
        let lookup = try database.prepare(
            """
            SELECT r.root, r.revision, r.digest, r.pk, s.tables FROM "\(typeName)" t JOIN _resource r ON r.root = t._k >> 24
            JOIN _shape s USING (shape) WHERE t.id = ? AND t._parent IS NULL ORDER BY t._k LIMIT 1
            """)
        sqlite3_bind_text(lookup, 1, id, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        return try readRows(lookup, database)
    }

    /// - Parameter root: the number that the pk stands for.
    static func read(_ path: String, root: Int64) throws -> Int {
        let database = try RawDatabase(path, cacheMB: 16)
        let lookup = try database.prepare(
            "SELECT r.root, r.revision, r.digest, r.pk, s.tables FROM _resource r JOIN _shape s USING (shape) WHERE r.root = ?")
        sqlite3_bind_int64(lookup, 1, root)
        return try readRows(lookup, database)
    }

    private static func readRows(_ lookup: OpaquePointer, _ database: RawDatabase) throws -> Int {
        guard sqlite3_step(lookup) == SQLITE_ROW, let tables = sqlite3_column_text(lookup, 4) else { return 0 }
        var sum = RawDatabase.touch(lookup, columns: 4)
        let root = sqlite3_column_int64(lookup, 0)
        var rows = 0
        for table in String(cString: tables).split(separator: " ") {
            let select = try database.prepare("SELECT * FROM \"\(table)\" WHERE _k BETWEEN ? AND ? ORDER BY _k")
            sqlite3_bind_int64(select, 1, root << 24)
            sqlite3_bind_int64(select, 2, root << 24 | 0xFF_FFFF)
            let columns = sqlite3_column_count(select)
            while sqlite3_step(select) == SQLITE_ROW {
                sum &+= RawDatabase.touch(select, columns: columns)
                rows += 1
            }
        }
        return sum == .min ? 0 : rows
    }
}
