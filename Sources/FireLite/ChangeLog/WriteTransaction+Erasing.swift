import FireLiteCore
import FireLiteSQLiteBridge

/// What erasing a person needs of the file itself. `FireLiteErasure` decides what is erased.
extension WriteTransaction {
    /// Overwrites with zeros what this connection deletes from now on (`PRAGMA secure_delete`).
    package func overwriteDeleted() throws { try perform { try access.connection.execute("PRAGMA secure_delete = ON") } }

    /// Deletes the rows of the change log and the history about resources, whatever still needs them: earlier contents, and their deletion.
    ///
    /// - Parameters:
    ///   - roots: the numbers of the resources.
    ///   - keys: their types and ids, which also find rows of earlier resources with the same ids.
    ///   - sequences: the numbers of single rows about other resources.
    /// - Returns: the number of rows.
    package func forgetChanges(of roots: [Int64], keys: [(type: String, id: String)], sequences: [Int64]) throws -> Int {
        try perform {
            guard hasChangeTable else { return 0 }
            return try thinning {
                var count = 0
                for root in roots { count += try changeTable.delete("root = ?", [.integer(root)]) }
                for key in keys { count += try changeTable.delete("type = ? AND id = ?", [.text(key.type), .text(key.id)]) }
                for sequence in sequences { count += try changeTable.delete("seq = ?", [.integer(sequence)]) }
                return count
            }
        }
    }

    /// Deletes the resource with a number; does nothing if there is none.
    package func delete(number root: Int64) throws { try perform { _ = try delete(root: root) } }

    /// Removes the words of deleted rows from the full-text indexes, which otherwise keep them until their segments are merged.
    ///
    /// Source: SQLite, FTS5, the 'optimize' command.
    package func purgeFullText() throws {
        try perform {
            try access.queries.indexes.refresh(access.connection, version: nil)
            for type in access.queries.indexes.fullTextTypes.sorted() {
                let name = quoted(FullTextIndex.name(type))
                try access.connection.run("INSERT INTO \(name)(\(name)) VALUES ('optimize')")
            }
        }
    }

    /// Runs a statement on a table of a module that the program may not use.
    ///
    /// - Parameters:
    ///   - table: the module's table; nothing happens if the file does not have it.
    ///   - sql: a constant of the program, with `?` for values.
    ///   - arguments: the values.
    /// - Returns: the number of changed rows.
    @discardableResult
    package func run(onModuleTable table: String, _ sql: String, _ arguments: [SQLValue]) throws -> Int {
        try perform {
            guard access.schema.moduleDefinitions[table] != nil else { return 0 }
            let connection = access.connection
            let statement = try connection.cached(sql)
            statement.bind(arguments)
            let before = connection.totalChanges
            try statement.run()
            return Int(connection.totalChanges - before)
        }
    }
}

extension ReadTransaction {
    /// The names of the tables of all modules that the file has.
    package var moduleTableNames: Set<String> { get throws { try perform(flushes: false) { Set(access.schema.moduleDefinitions.keys) } } }

    /// The rows that a statement selects from a table of a module that the program may not use; none if the file does not have it.
    package func rows(ofModuleTable table: String, _ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        guard try moduleTableNames.contains(table) else { return [] }
        return try store.sql(sql, arguments: arguments)
    }

    /// Calls `body` with each row of the change log and the history that has content: its number, the resource's number, type and id,
    /// and the resource's JSON then.
    package func forEachRecordedContent(
        _ body: (
            _ sequence: Int64, _ root: Int64, _ type: String, _ id: String?, _ json: String
        ) throws -> Void
    ) throws {
        try perform {
            guard hasChangeTable else { return }
            let statement = try access.connection.prepare(
                "SELECT seq, root, type, id, content FROM _change WHERE content IS NOT NULL AND type IS NOT NULL")
            while try statement.step() {
                try body(statement.int(0), statement.int(1), statement.text(2) ?? "", statement.text(3), statement.text(4) ?? "")
            }
        }
    }

    /// Whether there is a resource with a number.
    package func isStored(number root: Int64) throws -> Bool { try perform { try access.registry.registration(root: root) != nil } }

    /// The number of rows that the change log and the history have about resources.
    package func changeCount(of roots: [Int64], keys: [(type: String, id: String)]) throws -> Int {
        try perform {
            guard hasChangeTable else { return 0 }
            var sequences: Set<Int64> = []
            for root in roots { sequences.formUnion(try changeTable.rows("root = ?", [.integer(root)]).map(\.sequence)) }
            for key in keys {
                sequences.formUnion(try changeTable.rows("type = ? AND id = ?", [.text(key.type), .text(key.id)]).map(\.sequence))
            }
            return sequences.count
        }
    }
}

/// An erasure that has begun, noted in the file until the file is overwritten, so that a later one completes it.
extension ReadTransaction {
    fileprivate static var erasureKey: String { "erasure.unfinished" }

    /// What the last erasure noted before it ended; nil if none is unfinished.
    package var unfinishedErasure: String? {
        get throws {
            try perform(flushes: false) {
                let statement = try access.connection.cached("SELECT value FROM _meta WHERE key = ?")
                statement.bind(1, Self.erasureKey)
                defer { statement.reset() }
                return try statement.step() ? statement.text(0) ?? "" : nil
            }
        }
    }
}

extension WriteTransaction {
    /// Notes an erasure that is not finished, and nil that it is.
    package func noteUnfinishedErasure(_ note: String?) throws {
        try perform(flushes: false) {
            let sql = note == nil ? "DELETE FROM _meta WHERE key = ?" : "INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)"
            let statement = try access.connection.cached(sql)
            statement.bind([.text(Self.erasureKey)] + (note.map { [.text($0)] } ?? []))
            try statement.run()
        }
    }
}
