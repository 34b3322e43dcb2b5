import FireLiteSQLiteBridge

/// The full-text index of a type: an FTS5 table `_text_Patient` without content of its own, kept up to date by triggers on the indexed tables.
///
/// Its row numbers are the keys of the indexed rows, so that `rowid & ~16777215` is the resource's key.
struct FullTextIndex {
    let type: String
    let connection: Connection

    var name: String { Self.name(type) }

    static func name(_ type: String) -> String { "_text_\(type)" }

    /// The type whose full-text index a table is a part of; nil for other tables.
    static func type(ofTable name: String) -> String? {
        guard name.hasPrefix("_text_") else { return nil }
        return name.dropFirst(6).split(separator: "_").first.map(String.init)
    }

    /// - Throws: `FHIRStoreError.invalidArgument` if the SQLite library has no FTS5.
    func create() throws {
        guard try connection.hasModule("fts5") else {
            throw FHIRStoreError(
                .invalidArgument,
                "the SQLite library \(Connection.libraryVersion) has no FTS5: link one built with SQLITE_ENABLE_FTS5")
        }
        try connection.run(
            "CREATE VIRTUAL TABLE IF NOT EXISTS \(quoted(name)) USING fts5(value, content='', tokenize=\"unicode61 remove_diacritics 2\")")
    }

    // MARK: - Triggers

    private enum Event: String, CaseIterable {
        case insert, delete, update
    }

    private static func trigger(_ type: String, _ table: TablePlan, _ event: Event) -> String { "\(name(type))__\(table.name)__\(event)" }

    /// The words of a row's columns, as an expression.
    private static func text(_ columns: [String], of row: String) -> String {
        columns.map { "coalesce(\(row)\(quoted($0)), '')" }.joined(separator: " || ' ' || ")
    }

    /// The triggers that index the words of a table's existing columns, by name, with their text as in the file's catalog.
    ///
    /// The text is part of the file's format: opening refuses a trigger with a different one (`StorageSchema.refresh`).
    static func triggers(_ type: String, _ table: TablePlan, _ columns: [String]) -> [(name: String, sql: String)] {
        let present = columns.filter { table.hasInFile([$0]) }
        guard !present.isEmpty else { return [] }
        let index = quoted(name(type))
        let remove = "INSERT INTO \(index)(\(index), rowid, value) VALUES ('delete', old._k, \(text(present, of: "old.")));"
        let add = "INSERT INTO \(index)(rowid, value) VALUES (new._k, \(text(present, of: "new.")));"
        let list = (["_k"] + present).map { quoted($0) }.joined(separator: ", ")
        return Event.allCases.map { event in
            let name = trigger(type, table, event)
            let body =
                switch event {
                case .insert: "AFTER INSERT ON \(table.quotedName) BEGIN \(add) END"
                case .delete: "AFTER DELETE ON \(table.quotedName) BEGIN \(remove) END"
                case .update: "AFTER UPDATE OF \(list) ON \(table.quotedName) BEGIN \(remove) \(add) END"
                }
            return (name, "CREATE TRIGGER \(quoted(name)) \(body)")
        }
    }

    /// Indexes the words of a table's columns from now on; columns that do not exist yet are skipped.
    func watch(_ table: TablePlan, _ columns: [String]) throws {
        for trigger in Self.triggers(type, table, columns) {
            // The file's first trigger may be created long after the index, on a connection that opened the file without one.
            connection.setTrustedSchema(true)
            try connection.run("DROP TRIGGER IF EXISTS \(quoted(trigger.name))")
            try connection.run(trigger.sql)
        }
    }

    /// Indexes the existing rows of a table.
    func fill(_ table: TablePlan, _ columns: [String]) throws {
        let present = columns.filter { table.hasInFile([$0]) }
        guard !present.isEmpty else { return }
        try connection.run(
            "INSERT INTO \(quoted(name))(rowid, value) SELECT _k, \(Self.text(present, of: "")) FROM \(table.quotedName)")
    }

    /// Removes the index and its triggers on any of the tables.
    func drop(_ tables: [TablePlan]) throws {
        for table in tables where table.isInFile {
            for event in Event.allCases { try connection.run("DROP TRIGGER IF EXISTS \(quoted(Self.trigger(type, table, event)))") }
        }
        try connection.run("DROP TABLE IF EXISTS \(quoted(name))")
    }
}
