import FireLiteSQLiteBridge

extension FHIRStore {
    /// Runs an SQL statement that only reads, and returns its rows. <doc:FileFormat> describes the tables.
    ///
    /// ```swift
    /// let rows = try store.sql("SELECT family, count(*) AS n FROM Patient_name WHERE use = ? GROUP BY family", arguments: ["official"])
    /// ```
    /// - Parameters:
    ///   - sql: the statement.
    ///   - arguments: the values of the parameters `?`, in their order.
    ///   - isCancelled: called about every millisecond; return true to end the statement with the error `interrupted`.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a statement that would write, for several statements, and if the numbers
    ///   of arguments and parameters differ; `interrupted`; `sqlite` for a statement that SQLite cannot compile or run, also if it names the table of a
    ///   type, or the column of an element, of which nothing was ever stored.
    public func sql(_ sql: String, arguments: [SQLValue] = [], isCancelled: (() -> Bool)? = nil) throws -> [SQLRow] {
        var rows: [SQLRow] = []
        try forEachRow(sql, arguments: arguments, isCancelled: isCancelled) { rows.append($0) }
        return rows
    }

    /// Runs an SQL statement that only reads, and calls `body` with each row; memory holds one row.
    ///
    /// - Throws: what `body` throws; `FHIRStoreError` as `sql(_:arguments:isCancelled:)` does.
    public func forEachRow(
        _ sql: String, arguments: [SQLValue] = [], isCancelled: (() -> Bool)? = nil, _ body: (SQLRow) throws -> Void
    ) throws {
        try forEachRow(sql, arguments: arguments, isCancelled: isCancelled, columns: { _ in }, body)
    }

    /// The same, with the names of the columns before the first row.
    ///
    /// - Parameter maximumLength: the size in bytes that a text or a blob may have. A function of SQLite that makes a large one cannot be interrupted.
    package func forEachRow(
        _ sql: String, arguments: [SQLValue], maximumLength: Int? = nil, isCancelled: (() -> Bool)? = nil,
        columns begin: ([String]) throws -> Void,
        _ body: (SQLRow) throws -> Void
    ) throws {
        try perform { transaction in
            var names: [String] = []
            try transaction.access.connection.withMaximumLength(maximumLength) {
                try run(
                    sql, arguments: arguments, in: transaction, isCancelled: isCancelled,
                    columns: {
                        names = $0
                        try begin($0)
                    },
                    body: { row in try body(SQLRow(columns: names, values: (0..<names.count).map { row.value($0) })) })
            }
        }
    }

    /// Runs a statement that only reads, and notes its tables for observers.
    func run(
        _ sql: String, arguments: [SQLValue], in transaction: ReadTransaction, isCancelled: (() -> Bool)? = nil,
        columns begin: ([String]) throws -> Void, body: (Statement) throws -> Void
    ) throws {
        let connection = transaction.access.connection
        try transaction.access.queries.addFunctions(connection, identity, transaction.access.localBases())
        if transaction.notesTables { connection.withViews { transaction.noteTables(of: sql) } }
        do {
            try connection.withViews {
                try run(sql, arguments: arguments, on: connection, isCancelled: isCancelled, columns: begin, body: body)
            }
        } catch let error as SQLiteError {
            let schema = transaction.access.schema
            guard let reason = MissingPlace(error, sql, schema, lost: try schema.lostTables(connection))?.reason else { throw error }
            throw FHIRStoreError(.sqlite, "\(connection.path): \(error.message): \(reason)", sql: sql, sqliteCode: error.code)
        }
    }

    private func run(
        _ sql: String, arguments: [SQLValue], on connection: Connection, isCancelled: (() -> Bool)?,
        columns begin: ([String]) throws -> Void, body: (Statement) throws -> Void
    ) throws {
        let statement = try connection.prepareReadOnly(sql)
        guard let statement else {
            throw FHIRStoreError(
                .invalidArgument, "this is not one statement that only reads", remedy: .readWithSQL, sql: sql)
        }
        guard statement.parameterCount == arguments.count else {
            throw FHIRStoreError(
                .invalidArgument,
                "the statement has \(statement.parameterCount) \(statement.parameterCount == 1 ? "parameter" : "parameters") but got "
                    + "\(arguments.count) \(arguments.count == 1 ? "argument" : "arguments")",
                sql: sql)
        }
        statement.bind(arguments)
        try begin((0..<statement.columnCount).map { statement.columnName($0) })
        func run() throws { while try statement.step() { try body(statement) } }
        guard let isCancelled else { return try run() }
        try withoutActuallyEscaping(isCancelled) { isCancelled in
            try connection.withProgress({ !isCancelled() }, run)
        }
    }
}
