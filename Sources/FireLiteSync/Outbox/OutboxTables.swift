import FireLite

/// The tables of the outbox in the store's file.
enum OutboxTables {
    /// A row for each request that waits, in the order of sending.
    private static let entries = ModuleTable(
        "_outbox", key: "seq",
        columns: [
            // Where it goes.
            .init("server", .text), .init("endpoint", .text),
            // The request.
            .init("method", .text), .init("path", .text), .init("parameters", .text), .init("fields", .text), .init("body", .blob),
            .init("mark", .text), .init("created", .integer),
            // What has happened to it.
            .init("refused", .integer), .init("attempts", .integer), .init("begun", .integer), .init("uncertain", .integer),
            .init("tried", .integer), .init("status", .integer), .init("error", .text), .init("outcome", .blob),
        ], indexes: [.init("server"), .init("server", "refused")])

    /// A row for each server: the last number given out, when it wants to be asked again, and who is sending.
    private static let servers = ModuleTable(
        "_outbox_server", key: "number",
        columns: [
            .init("server", .text), .init("last", .integer), .init("resume", .integer), .init("owner", .text), .init("expires", .integer),
        ], indexes: [.init("server", isUnique: true)])

    static let module = ModuleTables(module: "outbox", version: 1, tables: [entries, servers])
}

extension ReadTransaction {
    /// The rows that a statement selects from the outbox's tables.
    package func outboxRows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        try rows(of: OutboxTables.module, sql, arguments)
    }
}

extension WriteTransaction {
    @discardableResult
    func runOutbox(_ sql: String, _ arguments: [SQLValue] = []) throws -> Int {
        try run(on: OutboxTables.module, sql, arguments)
    }
}
