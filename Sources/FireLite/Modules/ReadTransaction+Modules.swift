import FireLiteCore
import FireLiteSQLiteBridge

extension ReadTransaction {
    /// Whether the file has a module's tables.
    ///
    /// - Throws: `FHIRStoreError`: `newerFormat`, `olderFormat`, `notAStore`.
    package func hasTables(of module: ModuleTables) throws -> Bool {
        try perform(flushes: false) {
            access.region?.insert(tables: Set(module.tableNames))
            return try access.schema.hasTables(of: module, isWrite: self is WriteTransaction, access.connection)
        }
    }

    /// The rows that a statement selects from a module's tables, and from the store's; none if the file has no such tables yet. Observers see
    /// later changes of the tables.
    ///
    /// - Parameters:
    ///   - sql: a constant of the program, with `?` for values.
    ///   - arguments: the values.
    /// - Throws: `FHIRStoreError`.
    package func rows(of module: ModuleTables, _ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        guard try hasTables(of: module) else { return [] }
        return try perform {
            let statement = try access.connection.cached(sql)
            defer { statement.reset() }
            var rows: [SQLRow] = []
            try step(statement, arguments) { row in
                rows.append(row)
                return true
            }
            return rows
        }
    }

    /// The same for a statement that was put together.
    package func rows(of module: ModuleTables, _ fragment: SQLFragment) throws -> [SQLRow] {
        let statement = fragment.statement
        return try rows(of: module, statement.sql, statement.arguments)
    }

    /// Calls `body` with each row that a statement selects, until it returns false.
    ///
    /// - Throws: what `body` throws; `FHIRStoreError`.
    package func forEachRow(
        of module: ModuleTables, _ sql: String, _ arguments: [SQLValue] = [], _ body: (SQLRow) throws -> Bool
    ) throws {
        guard try hasTables(of: module) else { return }
        // Not from the cache: `body` may run the same statement.
        try perform { try step(access.connection.prepare(sql), arguments, body) }
    }

    /// Calls `body` with each row that a statement selects; nothing of it is copied.
    ///
    /// - Parameters:
    ///   - sql: a constant of the program, with `?` for values.
    ///   - arguments: the values.
    ///   - body: runs no statement.
    /// - Throws: what `body` throws; `FHIRStoreError`.
    package func forEachStatementRow(
        of module: ModuleTables, _ sql: String, _ arguments: [SQLValue], _ body: (StatementRow) throws -> Void
    ) throws {
        guard try hasTables(of: module) else { return }
        try perform {
            let statement = try access.connection.cached(sql)
            defer { statement.reset() }
            noteTables(of: sql)
            statement.bind(arguments)
            while try statement.step() { try body(StatementRow(statement.row)) }
        }
    }

    /// Calls `body` with each row that a statement selects for some numbers, and with the position of the number. The statement is run once for
    /// several of them and has one text however many there are.
    ///
    /// - Parameters:
    ///   - sql: a constant of the program that follows `WITH wanted(place, value) AS (…)` and selects `wanted.place` first.
    ///   - arguments: the values of its `?`.
    ///   - body: runs no statement.
    /// - Throws: what `body` throws; `FHIRStoreError`.
    package func forEachRow(
        of module: ModuleTables, wanted numbers: [Int64], _ sql: String, _ arguments: [SQLValue] = [],
        _ body: (_ place: Int, StatementRow) throws -> Void
    ) throws {
        try forEachRow(of: module, wanted: numbers.count, sql, arguments, bind: { $0.bind($1, numbers[$2]) }, body)
    }

    /// The same for texts.
    package func forEachRow(
        of module: ModuleTables, wanted texts: [String], _ sql: String, _ arguments: [SQLValue] = [],
        _ body: (_ place: Int, StatementRow) throws -> Void
    ) throws {
        try forEachRow(of: module, wanted: texts.count, sql, arguments, bind: { $0.bind($1, texts[$2]) }, body)
    }

    private func forEachRow(
        of module: ModuleTables, wanted count: Int, _ sql: String, _ arguments: [SQLValue], bind: (Statement, Int, Int) -> Void,
        _ body: (Int, StatementRow) throws -> Void
    ) throws {
        guard count > 0, try hasTables(of: module) else { return }
        try perform {
            let text = WantedValues.clause + sql
            let statement = try access.connection.cached(text)
            defer { statement.reset() }
            noteTables(of: text)
            statement.bind(arguments, after: WantedValues.together)
            for start in stride(from: 0, to: count, by: WantedValues.together) {
                WantedValues.bind(statement, from: start, count: count, bind)
                while try statement.step() {
                    let row = statement.row
                    try body(start + Int(row.int(0)), StatementRow(row))
                }
                statement.reset()
            }
        }
    }

    /// Reads the blobs of some rows of a module's table, one after another, into memory.
    ///
    /// - Parameters:
    ///   - column: the column with the blobs.
    ///   - rows: the keys of the rows.
    ///   - memory: gets the blobs. A blob that does not fit ends the call.
    ///   - each: called after each blob with the number of bytes so far.
    /// - Returns: the number of bytes; fewer than expected if a row is missing, has no blob, or one that does not fit.
    /// - Throws: errors of `each`; `FHIRStoreError`.
    package func readBlobs(
        of module: ModuleTables, table: String, column: String, rows: some Sequence<Int64>, into memory: UnsafeMutableRawBufferPointer,
        _ each: (Int) throws -> Void = { _ in }
    ) throws -> Int {
        guard try hasTables(of: module) else { return 0 }
        return try perform {
            let reader = BlobReader(access.connection, table: table, column: column)
            var end = 0
            for row in rows {
                guard let count = try reader.move(to: row), count <= memory.count - end else { return end }
                try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + count]))
                end += count
                try each(end)
            }
            return end
        }
    }

    /// The number of the first stored resource with a type and id, as in `_resource`, and its revision; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    package func registered(_ typeName: String, id: String) throws -> (root: Int64, revision: Int64)? {
        try perform {
            access.region?.insert(id: id, typeName)
            return try access.registry.registration(of: table(ofTypeNamed: typeName), id: id).map { ($0.root, $0.revision) }
        }
    }

    /// The numbers of the first stored resources of a type with these ids, in the order of the ids; nil for unknown ones.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    package func registered(_ typeName: String, ids: [String]) throws -> [Int64?] {
        try perform {
            for id in ids { access.region?.insert(id: id, typeName) }
            return try access.registry.registrations(of: table(ofTypeNamed: typeName), ids: ids).map { $0?.root }
        }
    }

    /// A value that is made of the file's content and nothing else. A read keeps it until something is committed; a write makes it each time.
    ///
    /// - Parameters:
    ///   - key: the name of the value, which no other module uses.
    ///   - make: makes it.
    /// - Throws: errors of `make`; `FHIRStoreError`.
    package func remembered<Value: Sendable>(_ key: String, _ make: () throws -> Value) throws -> Value {
        // An observer must see what the value depends on.
        if objects != nil || self is WriteTransaction || access.region != nil { return try make() }
        requireActive()
        return try store.mapping { try access.remembered(key, make) }
    }

    private func step(_ statement: Statement, _ arguments: [SQLValue], _ body: (SQLRow) throws -> Bool) throws {
        noteTables(of: statement.sql)
        statement.bind(arguments)
        var columns: [String] = []
        while try statement.step() {
            if columns.isEmpty { columns = (0..<statement.columnCount).map { statement.columnName($0) } }
            guard try body(SQLRow(columns: columns, values: (0..<columns.count).map { statement.value($0) })) else { return }
        }
    }
}
