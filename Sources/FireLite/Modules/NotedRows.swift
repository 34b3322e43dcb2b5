import FireLiteSQLiteBridge

/// How many rows tables of modules have had, noted in `_meta`, for tables that only an erasure takes rows out of: a table that was emptied, or is
/// gone, differs by it from one that never had rows. Nothing of it is kept in memory, so a savepoint that is rolled back takes it back.
enum NotedRows {
    private static let prefix = "rows."

    /// The number for a table; nil if nothing is noted, and the highest one for a value that is no number.
    static func count(of table: String, _ connection: Connection) throws -> Int64? {
        let statement = try connection.cached("SELECT value FROM _meta WHERE key = ?")
        statement.bind(1, prefix + table)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return statement.type(0) == .integer && statement.int(0) >= 0 ? statement.int(0) : .max
    }

    static func store(_ count: Int64, of table: String, _ connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)")
        statement.bind(1, prefix + table)
        statement.bind(2, count)
        try statement.run()
    }

    /// The notes among rows of `_meta`, by table; those that are no numbers are left out.
    static func all(_ settings: [String: String]) -> [String: Int64] {
        var notes: [String: Int64] = [:]
        for (key, value) in settings where key.hasPrefix(prefix) {
            if let count = Int64(value), count >= 0 { notes[String(key.dropFirst(prefix.count))] = count }
        }
        return notes
    }
}

extension ReadTransaction {
    /// How many rows of a module's table are lost, compared with what the file notes of it; 0 if it notes nothing.
    ///
    /// - Throws: `FHIRStoreError`.
    package func lostRows(of module: ModuleTables, _ table: String) throws -> Int64 {
        guard let noted = try perform(flushes: false, { try NotedRows.count(of: table, access.connection) }) else { return 0 }
        return max(0, noted - (try countedRows(of: module, table)))
    }

    fileprivate func countedRows(of module: ModuleTables, _ table: String) throws -> Int64 {
        try rows(of: module, "SELECT count(*) FROM \(table)").first?[0].integer ?? 0
    }
}

extension WriteTransaction {
    /// Notes how many rows a module's table has.
    ///
    /// - Parameter forgetsLost: whether a higher number is forgotten, which otherwise stays.
    /// - Throws: `FHIRStoreError`.
    package func noteRows(of module: ModuleTables, _ table: String, forgetsLost: Bool = false) throws {
        let counted = try countedRows(of: module, table)
        try perform(flushes: false) {
            let noted = try NotedRows.count(of: table, access.connection)
            if forgetsLost || counted > noted ?? 0 { try NotedRows.store(counted, of: table, access.connection) }
        }
    }

    /// Notes that rows of a table were erased, if the file notes how many there are.
    ///
    /// - Throws: `FHIRStoreError`.
    package func noteErasedRows(_ count: Int, of table: String) throws {
        try perform(flushes: false) {
            guard let noted = try NotedRows.count(of: table, access.connection) else { return }
            try NotedRows.store(max(0, noted - Int64(count)), of: table, access.connection)
        }
    }
}
