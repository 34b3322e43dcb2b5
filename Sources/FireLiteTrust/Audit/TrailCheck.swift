import FireLite
import FireLiteCrypto

extension FHIRStore {
    /// Verifies the file's audit trail, as `verifyAudit(from:signedBy:)` does without kept heads, whenever this store object is checked.
    ///
    /// `startAudit(by:)` does so for its store. Call it before a check of a store that is not audited. Only a head kept outside the file
    /// shows that the end of a trail was cut off together with its heads.
    /// - Complexity: a check then reads the whole trail and verifies the signature of each head, so it takes time in proportion to the trail.
    public func checkTrail() { _ = participant(TrailCheck.self) { TrailCheck() } }

    /// Whether the file has the tables of an audit trail.
    package var hasTrail: Bool { get throws { try read { try $0.hasTables(of: AuditTables.module) } } }
}

/// Takes part in checks of the store, and in no write.
private final class TrailCheck: WriteParticipant {
    var writtenTypes: Set<String>? { [] }
    var checkedPart: String { "the audit trail" }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {}

    func findings(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        guard try transaction.hasTables(of: AuditTables.module) else { return [] }
        let finding: AuditFinding?
        do {
            finding = try transaction.verifyAudit().finding
        } catch is CryptoError {
            let text = "the audit trail cannot be verified, as a key of the file cannot be read: add the key again, or restore a backup"
            return [StoreFinding(.mismatch, table: "_trust_key", text)]
        }
        return finding.map { [StoreFinding(.mismatch, table: Self.table(of: $0.kind), Self.text(of: $0))] } ?? []
    }

    private static func table(of kind: AuditFinding.Kind) -> String {
        switch kind {
        case .head, .otherTrail: "_audit_head"
        case .node: "_audit_node"
        case .changed, .missing, .unexpected, .rewritten, .emptied: "_audit"
        }
    }

    private static func text(of finding: AuditFinding) -> String {
        // A head whose key is lost has no valid signature either.
        let cause = finding.kind == .head ? ", or the file has lost the key that signed it" : ""
        return "the audit trail: \(finding)\(cause): restore a backup, and compare it with kept heads (`firelite audit verify --head`)"
    }
}
