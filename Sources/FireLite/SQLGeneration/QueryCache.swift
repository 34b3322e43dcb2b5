import FireLiteSQLiteBridge

/// What a connection caches for queries: the file's indexes, the sizes of tables, and recently compiled statements.
final class QueryCache {
    /// The number of rows of a table, with the number of the store's newest resource at that time.
    struct Size {
        let rows: Int
        let newest: Int64
    }

    let indexes = IndexCatalog()
    var sizes: [Int: Size] = [:]
    let plans = SharedPlans()
    private var statements: [String: (statement: Statement, lastUse: Int)] = [:]
    private var uses = 0
    private var hasFunctions = false
    /// A program has few different queries, with a few statements each; those that were not used for longest give way.
    private static let capacity = 128

    /// Adds the functions that statements of queries use.
    func addFunctions(_ connection: Connection, _ identity: StoreIdentity, _ bases: LocalBases) throws {
        if hasFunctions { return }
        try QueryFunctions.register(connection, identity, bases)
        hasFunctions = true
    }

    /// The compiled statement of a text, reset. Not for nested use.
    func statement(_ sql: String, _ connection: Connection) throws -> Statement {
        uses += 1
        if let place = statements.index(forKey: sql) {
            statements.values[place].lastUse = uses
            let known = statements.values[place].statement
            known.reset()
            return known
        }
        let statement = try connection.prepare(sql)
        if statements.count >= Self.capacity, let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
            statements[oldest] = nil
        }
        statements[sql] = (statement, uses)
        return statement
    }
}
