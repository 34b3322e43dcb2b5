import FireLite
import Foundation

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

/// The name of a server in the outbox: its base address in one form, so that two servers on one host have two queues.
enum OutboxServer {
    /// - Throws: `OutboxError.invalidArgument` if that is no address of a server.
    static func name(_ base: URL) throws -> String {
        guard let origin = Origin(base), base.query == nil, base.fragment == nil, base.user == nil, base.password == nil else {
            throw OutboxError(.invalidArgument, "the base address of a server has a host, and no user, password, query or fragment")
        }
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let isStandard = origin.port == (origin.scheme == "https" ? 443 : 80)
        var path = base.path
        while path.hasSuffix("/") { path.removeLast() }
        return "\(origin.scheme)://\(host)" + (isStandard ? "" : ":\(origin.port)") + path
    }
}
