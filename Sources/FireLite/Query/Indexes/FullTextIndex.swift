import SQLiteBridge

/// The full-text index of a type: an FTS5 table `_text_Patient` without content of its own, kept current by triggers on the tables it is about.
///
/// Its row numbers are the keys of the rows whose words it has, so that `rowid & ~16777215` is the resource's key.
struct FullTextIndex {
    let type: String
    let connection: Connection

    var name: String { "_text_\(type)" }

    /// - Throws: `FHIRStoreError.invalidArgument` where the SQLite library has no FTS5.
    func create() throws {
        guard try connection.hasModule("fts5") else {
            throw FHIRStoreError(
                .invalidArgument,
                "the SQLite library \(Connection.libraryVersion) has no FTS5: link one that is built with SQLITE_ENABLE_FTS5")
        }
        try connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS \"\(name)\" USING fts5(value, content='', tokenize=\"unicode61 remove_diacritics 2\")")
    }

    private func trigger(_ table: TablePlan, _ event: String) -> String { "\"\(name)__\(table.name)__\(event)\"" }

    /// Keeps the words of a table's columns from now on; columns that the file does not have yet are left out.
    func watch(_ table: TablePlan, _ columns: [String]) throws {
        guard table.isInFile else { return }
        let present = columns.filter { table.hasInFile([$0]) }
        guard !present.isEmpty else { return }
        func text(_ row: String) -> String { present.map { "coalesce(\(row)\"\($0)\", '')" }.joined(separator: " || ' ' || ") }
        let remove = "INSERT INTO \"\(name)\"(\"\(name)\", rowid, value) VALUES ('delete', old._k, \(text("old.")));"
        let add = "INSERT INTO \"\(name)\"(rowid, value) VALUES (new._k, \(text("new.")));"
        for event in ["insert", "delete", "update"] { try connection.execute("DROP TRIGGER IF EXISTS \(trigger(table, event))") }
        let list = (["_k"] + present).map { "\"\($0)\"" }.joined(separator: ", ")
        try connection.execute(
            """
            CREATE TRIGGER \(trigger(table, "insert")) AFTER INSERT ON "\(table.name)" BEGIN \(add) END;
            CREATE TRIGGER \(trigger(table, "delete")) AFTER DELETE ON "\(table.name)" BEGIN \(remove) END;
            CREATE TRIGGER \(trigger(table, "update")) AFTER UPDATE OF \(list) ON "\(table.name)" BEGIN \(remove) \(add) END
            """)
    }

    /// Takes in the rows that a table has already.
    func fill(_ table: TablePlan, _ columns: [String]) throws {
        let present = columns.filter { table.hasInFile([$0]) }
        guard !present.isEmpty else { return }
        let text = present.map { "coalesce(\"\($0)\", '')" }.joined(separator: " || ' ' || ")
        try connection.execute("INSERT INTO \"\(name)\"(rowid, value) SELECT _k, \(text) FROM \"\(table.name)\"")
    }

    /// Removes the index and its triggers.
    func drop() throws {
        let statement = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE ? ESCAPE '\\'")
        statement.bind([.text(name.replacing("_", with: "\\_") + "\\_\\_%")])
        var triggers: [String] = []
        while try statement.step() { if let name = statement.text(0) { triggers.append(name) } }
        statement.reset()
        for trigger in triggers { try connection.execute("DROP TRIGGER \"\(trigger)\"") }
        try connection.execute("DROP TABLE IF EXISTS \"\(name)\"")
    }
}
