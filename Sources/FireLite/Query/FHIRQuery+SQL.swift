import FireLiteSQLiteBridge

extension FHIRQuery {
    /// A statement with its arguments, for inspection.
    public struct StatementText: Sendable, CustomStringConvertible {
        /// The statement, with `?` for each argument.
        public let text: String
        /// The values of the parameters, in their order.
        public let arguments: [SQLValue]
        /// The statement without its arguments, which are health data.
        public var description: String { text }
    }

    /// The statement that finds the results, as it would run now. It depends on the store's indexes and numbers of rows.
    ///
    /// - Throws: `FHIRStoreError`.
    public var sql: StatementText {
        get throws {
            if request.restriction != nil { throw FHIRStoreError.notInRestrictedView }
            return try store.perform { transaction in
                guard let statement = try transaction.statement(request) else {
                    return StatementText(text: "SELECT NULL WHERE 0", arguments: [])
                }
                let keys = try statement.keys(part: statement.hasTwoParts ? .present : nil).statement
                return StatementText(text: keys.sql, arguments: keys.arguments)
            }
        }
    }

    /// SQLite's plan for the query, a line for each step (<https://www.sqlite.org/eqp.html>).
    ///
    /// - Throws: `FHIRStoreError`.
    public func explain() throws -> String {
        if request.restriction != nil { throw FHIRStoreError.notInRestrictedView }
        return try store.explain(request)
    }
}
