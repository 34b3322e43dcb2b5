import FireLite

/// The tables of a trail in the store's file.
enum AuditTables {
    /// A row for each entry, numbered without gaps. A pruned row has only its number and hash.
    private static let entries = ModuleTable(
        "_audit", key: "seq",
        columns: [
            .init("at", .integer), .init("actor", .text), .init("action", .text), .init("type", .text), .init("id", .text),
            .init("version", .integer), .init("outcome", .text), .init("purpose", .text),
            // The salted hash of the resource's JSON; the salts of the row and of the value; the leaf.
            .init("value", .blob), .init("salt", .blob), .init("hash", .blob),
        ])

    /// A row for each head: the state of the tree after a commit, signed. The sizes rise with the numbers, so that they need no index, which
    /// each commit would write.
    private static let heads = ModuleTable(
        "_audit_head", key: "number",
        columns: [.init("size", .integer), .init("at", .integer), .init("root", .blob), .init("token", .text)])

    /// The roots of the perfect subtrees of at least 64 leaves, so that proofs need not read all rows: by index and level.
    private static let nodes = ModuleTable("_audit_node", key: "node", columns: [.init("hash", .blob)])

    /// The lowest level of a row in `_audit_node`.
    static let lowestLevel = 6

    static let module = ModuleTables(module: "audit", version: 1, tables: [entries, heads, nodes])

    /// The key of a node.
    static func key(level: Int, index: Int64) -> SQLValue { .integer(index << 6 | Int64(level)) }
}

extension SQLValue {
    /// The bytes; nil for values of other classes.
    var bytes: [UInt8]? { if case .blob(let value) = self { value } else { nil } }

    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

extension ReadTransaction {
    /// The rows that a statement selects from the trail's tables.
    func auditRows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] { try rows(of: AuditTables.module, sql, arguments) }
}

extension WriteTransaction {
    @discardableResult
    func runAudit(_ sql: String, _ arguments: [SQLValue] = []) throws -> Int { try run(on: AuditTables.module, sql, arguments) }
}
