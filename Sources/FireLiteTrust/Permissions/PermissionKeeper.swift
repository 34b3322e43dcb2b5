import FireLite
import Foundation

extension FHIRStore {
    /// From now on, verifies what writes of this store object do to Consents and their signatures, and stores valid statements.
    ///
    /// A denial then holds until its grantor revokes or replaces it with a valid signature, and an older Consent does not undo a
    /// revocation, whether an import, a sync or the app writes it. Every call about identities, permissions and restricted views has the
    /// same effect. Call it after you open a store whose first write may be an import.
    public func keepPermissions() {
        let isWriting = currentTransaction is WriteTransaction
        _ = participant(PermissionKeeper.self) { PermissionKeeper(mustLook: isWriting) }
    }
}

/// Records statements about Consents, in the write that stores them.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class PermissionKeeper: WriteParticipant, @unchecked Sendable {
    private let lock = NSLock()
    /// Whether the store may have unrecorded statements: those of the write in which this keeper was added.
    private var mustLook: Bool
    /// The write that runs.
    private weak var current: WriteTransaction?

    init(mustLook: Bool) { self.mustLook = mustLook }

    var writtenTypes: Set<String>? { ["Consent", "Provenance"] }

    /// Whether it records the statements of a write when that commits.
    func takesPart(in transaction: WriteTransaction) -> Bool { lock.withLock { current === transaction } }

    func willBegin(_ transaction: WriteTransaction) throws {
        lock.withLock { current = transaction }
        guard try transaction.hasTables(of: TrustTables.module) else { return }
        let isMissing = try !transaction.hasTables(of: PermissionTables.module)
        let isAsked = lock.withLock {
            defer { mustLook = false }
            return mustLook
        }
        if isAsked || isMissing { try transaction.recordAllStatements() }
    }

    func didRollBack() { lock.withLock { mustLook = true } }

    var checkedPart: String { "what is kept of permissions" }

    func findings(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        let hasTables = try transaction.hasTables(of: TrustTables.module) || transaction.hasTables(of: PermissionTables.module)
        guard try hasTables || transaction.lostIdentityRows() > 0 || transaction.lostStatementRows() > 0 else { return [] }
        return try PermissionCheck(transaction).findings()
    }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {
        guard try transaction.hasTables(of: TrustTables.module) else { return }
        var (consents, provenances): ([String], [String]) = ([], [])
        for resource in resources where resource.kind != .deleted {
            guard let id = resource.id else { continue }
            if resource.typeName == "Consent" { consents.append(id) }
            if resource.typeName == "Provenance" { provenances.append(id) }
        }
        if !consents.isEmpty || !provenances.isEmpty { try transaction.recordStatements(consents: consents, provenances: provenances) }
    }
}
