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
    private var statements: [String: Statement] = [:]
    private var order: [String] = []
    private var hasFunctions = false
    /// A program has few different queries; statements that are used once replace each other.
    private static let capacity = 64

    /// Adds the functions that statements of queries use.
    func addFunctions(_ connection: Connection, _ identity: StoreIdentity, _ bases: LocalBases) throws {
        if hasFunctions { return }
        try QueryFunctions.register(connection, identity, bases)
        hasFunctions = true
    }

    /// The compiled statement of a text, reset. Not for nested use.
    func statement(_ sql: String, _ connection: Connection) throws -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        let statement = try connection.prepare(sql)
        if order.count >= Self.capacity { statements[order.removeFirst()] = nil }
        order.append(sql)
        statements[sql] = statement
        return statement
    }
}
