import FireLiteCore

/// Queries without Swift types, for `firelite find`.
extension FHIRStore {
    /// Calls `body` with each result.
    package func forEach(_ request: QueryRequest, _ body: (FHIRResource) throws -> Void) throws {
        try perform(observesRestriction: true) { try $0.forEach(request, body) }
    }

    /// The number of results of a request.
    package func count(_ request: QueryRequest) throws -> Int {
        try perform(observesRestriction: true) { try $0.count(request) }
    }

    /// The place of a resource in the order of a request, whether it is one of its results or not; nil if no resource has this id.
    package func cursor(of request: QueryRequest, at id: String) throws -> QueryCursor? {
        var one = request
        one.predicate = .value(QueryPath([PathStep(slot: 0)]), .compare(.equal, .text(id)))
        (one.limit, one.offset, one.cursor) = (1, 0, nil)
        return try perform { transaction in
            var cursor: QueryCursor?
            try transaction.forEachResult(one, withCursor: true) { row in
                cursor = QueryCursor(values: (1..<row.columnCount).map { row.value($0) }, key: row.int(0))
                return false
            }
            return cursor
        }
    }

    /// Calls `body` with the cells of each result.
    package func forEachCells(_ request: QueryRequest, _ columns: [ValueColumn], _ body: ([ValueCell]) throws -> Void) throws {
        try perform { try $0.forEachCells(request, columns, body) }
    }

    /// The statement of a request.
    package func statementText(_ request: QueryRequest) throws -> String {
        try perform { transaction in
            guard let statement = try transaction.statement(request) else { return "SELECT NULL WHERE 0" }
            return try statement.keys().statement.sql
        }
    }

    /// The statement of a request with its values as literals; with `?` if it would be too long.
    package func expandedStatement(_ request: QueryRequest) throws -> String {
        try perform { transaction in
            guard let keys = try transaction.statement(request)?.keys().statement else { return "SELECT NULL WHERE 0" }
            let connection = transaction.access.connection
            try transaction.access.queries.addFunctions(connection, identity, transaction.access.localBases())
            let statement = try connection.prepare(keys.sql)
            statement.bind(keys.arguments)
            return statement.expandedSQL ?? keys.sql
        }
    }

    /// SQLite's plan for a request, a line for each step.
    package func explain(_ request: QueryRequest) throws -> String {
        try perform { transaction in
            guard let statement = try transaction.statement(request) else { return "the store has no \(request.layout.name)" }
            let keys = try statement.keys(part: statement.hasTwoParts ? .present : nil).statement
            let plan = SQLStatement(sql: "EXPLAIN QUERY PLAN " + keys.sql, arguments: keys.arguments)
            var depths: [Int64: Int] = [0: -1]
            var lines: [String] = []
            try transaction.forEachRow(of: plan) { row in
                let depth = (depths[row.int(1)] ?? 0) + 1
                depths[row.int(0)] = depth
                lines.append(String(repeating: "  ", count: depth) + (row.text(3) ?? ""))
                return true
            }
            return lines.joined(separator: "\n")
        }
    }
}
