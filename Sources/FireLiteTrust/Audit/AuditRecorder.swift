import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

/// Appends rows to a store's trail, with a head for each commit.
///
/// The state of the tree is read from the file whenever another process has appended since.
final class AuditRecorder: ContentWitness, ReadWitness, @unchecked Sendable {
    // `lock` guards the salts, the memory for hashing, the known state and the party of the current write.
    private let lock = NSLock()
    private var salts = AuditSalt()
    private let json = JSONBuffer()
    private let hasher = SHA256Hasher()
    private var known: (head: AuditHead, frontier: MerkleFrontier)?
    private var given: (transaction: Weak, party: AuditParty)?

    let signer: AuditSigner
    /// The actor, unless a write names another.
    let party: AuditParty
    /// Whether every read leaves rows.
    let recordsReads: Bool
    private let now: @Sendable () -> Date

    private struct Weak { weak var transaction: WriteTransaction? }

    /// The content of a new row.
    struct Draft {
        let access: AuditAccess
        /// The salt and the hash of the resource's value, as `note` returns them.
        var value: [UInt8]?
    }

    init(signer: AuditSigner, party: AuditParty, recordsReads: Bool = false, now: @escaping @Sendable () -> Date = FHIRClock.system.now) {
        self.signer = signer
        self.party = party
        self.recordsReads = recordsReads
        self.now = now
    }

    // MARK: - The current write

    /// Sets who makes a write.
    func setParty(_ party: AuditParty, of transaction: WriteTransaction) {
        lock.withLock { given = (Weak(transaction: transaction), party) }
    }

    /// Who makes a write.
    func party(of transaction: WriteTransaction) -> AuditParty {
        lock.withLock { given.flatMap { $0.transaction.transaction === transaction ? $0.party : nil } } ?? party
    }

    // MARK: - Taking part in writes

    /// A salt and the salted hash of the resource's JSON.
    func note(on resource: FHIRResource) throws -> [UInt8] { try lock.withLock { try salts.note(resource, json, hasher) } }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {
        try append(resources.lazy.map(Self.draft), by: party(of: transaction), in: transaction)
    }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource], _ record: ReadRecord) throws {
        try append(record.items.map(Self.draft) + resources.map(Self.draft), by: party(of: transaction), in: transaction)
    }

    func didRead(_ record: ReadRecord, in store: FHIRStore) throws {
        try store.write { tx in try append(record.items.map(Self.draft), by: record.reader as? AuditParty ?? party, in: tx) }
    }

    private static func draft(_ item: ReadRecord.Item) -> Draft {
        Draft(access: AuditAccess(.read, item.typeName, id: item.id, version: item.version))
    }

    private static func draft(_ resource: WrittenResource) -> Draft {
        let action: AuditAction =
            switch resource.kind {
            case .added: .create
            case .updated: .update
            case .deleted: .delete
            }
        let version = resource.kind == .deleted ? resource.oldRevision : resource.revision
        return Draft(
            access: AuditAccess(action, resource.typeName, id: resource.id, version: version), value: resource.note)
    }

    // MARK: - Appending

    /// Appends rows and signs the head after them, in a write. Without rows the head says that nothing happened.
    ///
    /// - Throws: `AuditError.damaged` if the trail does not match its last head; `FHIRStoreError`; errors of the signer.
    @discardableResult
    func append(_ drafts: some Collection<Draft>, by party: AuditParty, in tx: WriteTransaction) throws -> AuditHead {
        // Not under the lock, as saving an object calls back.
        try tx.saveChanges()
        return try lock.withLock {
            let state = try state(tx)
            var frontier = state?.frontier ?? MerkleFrontier()
            let at = max(now().milliseconds(.down), state?.head.milliseconds ?? 0)
            var nodes: [SQLValue] = []
            var rows = AuditRowBuffer(at: at, party: party, hasher)
            for draft in drafts {
                try rows.append(frontier.size + 1, draft.access, &salts, note: draft.value)
                rows.withLastLeaf { leaf in
                    frontier.append(leaf, hasher) { level, index, hash in
                        guard level >= AuditTables.lowestLevel else { return }
                        nodes.append(AuditTables.key(level: level, index: index))
                        nodes.append(.blob(Array(hash)))
                    }
                }
                if rows.isFull { try rows.write(tx) }
            }
            try rows.write(tx)
            for start in stride(from: 0, to: nodes.count, by: 2) {
                try tx.runAudit("INSERT INTO _audit_node(node, hash) VALUES (?, ?)", Array(nodes[start..<start + 2]))
            }
            let head = try appendHead(frontier, at, after: state?.head, tx)
            known = (head, frontier)
            return head
        }
    }

    private func appendHead(
        _ frontier: MerkleFrontier, _ at: Int64, after last: AuditHead?, _ tx: WriteTransaction
    ) throws -> AuditHead {
        let root = frontier.root
        let content = AuditHeadContent(
            trail: try last?.trail ?? RandomBytes.make(16).base64URL,
            number: try tx.incremented(last?.number ?? 0, in: "_audit_head"), size: frontier.size, root: Data(root).base64URL, at: at,
            previous: last?.digest)
        let head = AuditHead(token: try signer.sign(Data(content.json.utf8)), content, root: root)
        try tx.runAudit(
            "INSERT INTO _audit_head(number, size, at, root, token) VALUES (?, ?, ?, ?, ?)",
            [.integer(head.number), .integer(head.size), .integer(at), .blob(root), .text(head.token)])
        return head
    }

    // MARK: - The state

    /// The last head and the tree; nil for a trail without heads.
    private func state(_ tx: ReadTransaction) throws -> (head: AuditHead, frontier: MerkleFrontier)? {
        // Usually no other process has appended since, and the head need not be read.
        let token = try tx.auditRows("SELECT token FROM _audit_head ORDER BY number DESC LIMIT 1").first?[0].text
        if let known, known.head.token == token { return known }
        guard let head = try tx.lastAuditHead() else {
            guard try tx.auditRows("SELECT seq FROM _audit LIMIT 1").isEmpty else { throw Self.damage }
            return nil
        }
        let frontier = try MerkleFrontier(size: head.size) { try tx.auditSubtree(level: $0, index: $1) }
        let last = try tx.auditRows("SELECT max(seq) FROM _audit").first?[0].integer ?? 0
        guard frontier.root == head.root, last == head.size else { throw Self.damage }
        return (head, frontier)
    }

    private static var damage: AuditError {
        AuditError(.damaged, "the end of the audit trail does not match its last head, so nothing can be appended: verify it")
    }
}
