import FireLite
import Foundation

/// Hides from a view the resources that its actor may not see.
final class PermissionRestriction: QueryRestriction {
    let actor: String
    private let purpose: String?
    private let now: @Sendable () -> Date
    /// The permissions of the snapshot that is read; nil to read them for each statement.
    private let known: (permissions: [StoredPermission], moment: Date)?
    /// The reads of the snapshot; nil without an audit or without a snapshot.
    let reads: AuditedReads?
    /// The restriction that this one was made of, for a snapshot.
    private let base: PermissionRestriction?

    init(actor: String, purpose: String?, now: @escaping @Sendable () -> Date) {
        (self.actor, self.purpose, self.now) = (actor, purpose, now)
        known = nil
        reads = nil
        base = nil
    }

    private init(_ other: PermissionRestriction, _ permissions: [StoredPermission], _ reads: AuditedReads?) {
        (actor, purpose, now) = (other.actor, other.purpose, other.now)
        known = (permissions, other.now())
        self.reads = reads
        base = other.base ?? other
    }

    var lasting: any QueryRestriction { base ?? self }

    /// The same for one snapshot, whose permissions are read once.
    func resolved(in transaction: ReadTransaction, _ reads: AuditedReads?) throws -> PermissionRestriction {
        PermissionRestriction(self, try transaction.permissions(), reads)
    }

    func condition(on layout: Layout, in transaction: ReadTransaction) throws -> Predicate {
        let request = PermissionRequest(actor: actor, purpose: purpose, at: known?.moment ?? now())
        return try RuleConditions(transaction, known?.permissions ?? transaction.permissions(), request).condition(on: layout)
    }

    // MARK: - Audit

    /// Runs a read and appends its rows to the audit trail, if there is one, before it returns. If appending fails, it throws; a read that
    /// throws appends rows too.
    func audited<Value>(in store: FHIRStore, _ body: (AuditedReads?) throws -> Value) throws -> Value {
        guard let trail = store.auditTrail else { return try body(nil) }
        let current = store.currentTransaction
        let write = current as? WriteTransaction
        guard current == nil || write != nil else {
            throw TrustError(.invalidArgument, "with an audit, a restricted view is not read inside another read of the store")
        }
        let reads = AuditedReads()
        let result = Result { try write?.withoutRecord { try body(reads) } ?? body(reads) }
        let accesses = reads.accesses
        if !accesses.isEmpty {
            let party = AuditParty(actor, purpose: purpose)
            if let write {
                try trail.append(accesses, by: party, in: write)
            } else {
                try trail.append(accesses, by: party)
            }
        }
        return try result.get()
    }

    func reading<Value>(
        _ typeName: String, in store: FHIRStore, _ body: (@escaping (FHIRResource) -> Void) throws -> Value
    ) throws -> Value {
        if known != nil {
            guard let reads else { return try body { _ in } }
            return try reads.collecting(typeName) { try body(reads.note) }
        }
        return try audited(in: store) { reads in
            guard let reads else { return try body { _ in } }
            return try reads.collecting(typeName) { try body(reads.note) }
        }
    }
}
