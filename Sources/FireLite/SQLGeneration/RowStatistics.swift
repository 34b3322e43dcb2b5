import FireLiteSQLiteBridge

/// Numbers of rows for plans, counted in the file up to a limit.
final class RowStatistics {
    private let access: StoreConnection
    /// The counts of the current plan, which needs some of them several times.
    private var known: [Question: Int] = [:]

    private struct Question: Hashable {
        let sql: String
        let arguments: [SQLValue]
    }

    init(_ access: StoreConnection) { self.access = access }

    /// The number of rows of a `SELECT`, at most `limit`.
    func rows(_ select: SQLFragment, upTo limit: Int) throws -> Int {
        try answer("SELECT count(*) FROM (\(select) LIMIT \(bind: .integer(Int64(limit))))")
    }

    /// Whether a `SELECT` has more rows than `limit`: a third of the work of counting them.
    func hasMore(_ select: SQLFragment, than limit: Int) throws -> Bool {
        try answer("\(select) LIMIT 1 OFFSET \(bind: .integer(Int64(limit)))") > 0
    }

    /// The first value of a statement; 0 if there is no row.
    private func answer(_ fragment: SQLFragment) throws -> Int {
        let statement = fragment.statement
        let question = Question(sql: statement.sql, arguments: statement.arguments)
        if let count = known[question] { return count }
        let compiled = try access.queries.statement(statement.sql, access.connection)
        defer { compiled.reset() }
        compiled.bind(statement.arguments)
        let count = try compiled.step() ? Int(compiled.int(0)) : 0
        known[question] = count
        return count
    }

    /// The approximate number of rows of a table.
    ///
    /// - Complexity: counts them by scanning the table's smallest index; the result is cached until the store has grown by a
    ///   quarter.
    func size(of table: TablePlan) throws -> Int {
        let newest = try Registry.greatestRoot(access.connection)
        if let counted = access.queries.sizes[table.index] {
            let serves = counted.newest / 2...counted.newest + counted.newest / 4 + 1_000
            if serves.contains(newest) { return counted.rows }
        }
        let rows = Int(try access.connection.integer("SELECT count(*) FROM \(table.quotedName)") ?? 0)
        access.queries.sizes[table.index] = QueryCache.Size(rows: rows, newest: newest)
        return rows
    }

    /// The key of a table's row that comes so many rows after a key; nil if there are fewer.
    func key(in table: TablePlan, after start: Int64, number: Int) throws -> Int64? {
        let statement = try access.queries.statement(
            "SELECT _k FROM \(table.quotedName) WHERE _k > ? ORDER BY _k LIMIT 1 OFFSET ?", access.connection)
        defer { statement.reset() }
        statement.bind([.integer(start), .integer(Int64(number))])
        return try statement.step() ? statement.int(0) : nil
    }
}
