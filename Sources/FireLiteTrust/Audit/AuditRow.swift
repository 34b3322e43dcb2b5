import FireLite

/// A row of `_audit`.
struct AuditRow {
    /// The columns that `init(_:)` reads, in their order.
    static let columns = "seq, at, actor, action, type, id, version, outcome, purpose, value, salt, hash"

    let number: Int64
    /// The row's content; nil for a pruned row.
    let entry: AuditEntry?
    /// The random bytes of the leaf's salt, and the salt of the value if there is one.
    let salt: [UInt8]
    /// The leaf, as the row has it.
    let hash: [UInt8]
    /// Whether the columns can be those of an entry.
    let isWellFormed: Bool

    init(_ row: SQLRow) {
        number = row[0].integer ?? 0
        salt = row[10].bytes ?? []
        hash = row[11].bytes ?? []
        if row.values[1...10].allSatisfy(\.isNull) {
            entry = nil
            isWellFormed = true
            return
        }
        guard let at = row[1].integer, let actor = row[2].text, let action = row[3].text.flatMap(AuditAction.init),
            let outcome = row[7].text.flatMap(AuditOutcome.init), salt.count == AuditSalt.length * (row[9].isNull ? 1 : 2),
            Self.isTextOrNull(row[4]), Self.isTextOrNull(row[5]), row[6].isNull || row[6].integer != nil, Self.isTextOrNull(row[8]),
            row[9].isNull || row[9].bytes != nil
        else {
            entry = nil
            isWellFormed = false
            return
        }
        entry = AuditEntry(
            number: number, milliseconds: at, party: AuditParty(actor, purpose: row[8].text),
            access: AuditAccess(action, row[4].text, id: row[5].text, version: row[6].integer, outcome: outcome), value: row[9].bytes)
        isWellFormed = true
    }

    private static func isTextOrNull(_ value: SQLValue) -> Bool { value.isNull || value.text != nil }

    /// The hash of the row's content; nil for a pruned row.
    var computedHash: [UInt8]? { entry.map { MerkleTree.leafHash($0.leaf(salt: AuditSalt.ofLeaf(salt))) } }
}
