import FireLiteSQLiteBridge

/// What a connection keeps for queries: the file's indexes, the sizes of tables, and statements that were compiled lately.
final class QueryCache {
    /// How many rows a table had when the store's newest resource had some number.
    struct Size {
        let rows: Int
        let newest: Int64
    }

    let indexes = IndexCatalog()
    var sizes: [Int: Size] = [:]
    private var statements: [String: Statement] = [:]
    private var order: [String] = []
    private var hasFunctions = false
    /// Queries of a program are few; texts that come once only push each other out.
    private static let capacity = 64

    /// Adds the functions that statements of queries use.
    func addFunctions(_ connection: Connection, _ identity: StoreIdentity) throws {
        if hasFunctions { return }
        try QueryFunctions.register(connection, identity)
        hasFunctions = true
    }

    /// The compiled statement of a text, reset. One at a time may use it.
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
