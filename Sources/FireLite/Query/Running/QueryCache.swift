import SQLiteBridge

/// What a connection keeps for queries: the file's indexes, and statements that were compiled lately.
final class QueryCache {
    let indexes = IndexCatalog()
    private var statements: [String: Statement] = [:]
    private var order: [String] = []
    /// Queries of a program are few; texts that come once only push each other out.
    private static let capacity = 64

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
