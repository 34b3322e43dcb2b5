import FireLite
import Foundation

/// The audit trail of a store: a row for each access, and a signed head for each commit, in the same file and the same transactions.
///
/// The rows are the leaves of a Merkle tree (RFC 6962), so `verifyAudit(from:)`, with heads kept outside the file, finds a row that was
/// changed, removed or added later.
public final class AuditTrail: Sendable {
    /// The store.
    public let store: FHIRStore
    let recorder: AuditRecorder

    init(store: FHIRStore, recorder: AuditRecorder) {
        self.store = store
        self.recorder = recorder
    }

    // MARK: - Appending

    /// Appends accesses in a write of their own.
    ///
    /// - Parameters:
    ///   - accesses: what was done, in this order.
    ///   - party: who did it. Default: the trail's own party.
    /// - Returns: the head after them.
    /// - Precondition: not inside a read or write of the store; none is of the action ``AuditAction/prune``.
    /// - Throws: `AuditError.damaged`; `FHIRStoreError`; errors of the signature.
    @discardableResult
    public func append(_ accesses: [AuditAccess], by party: AuditParty? = nil) throws -> AuditHead {
        try store.write { tx in try append(accesses, by: party, in: tx) }
    }

    /// Appends accesses in a write of their own, without blocking the thread.
    ///
    /// - Parameters:
    ///   - accesses: what was done, in this order.
    ///   - party: who did it. Default: the trail's own party.
    /// - Returns: the head after them.
    /// - Precondition: none is of the action ``AuditAction/prune``.
    /// - Throws: `AuditError.damaged`; `FHIRStoreError`; errors of the signature; `CancellationError`.
    @discardableResult
    public func append(_ accesses: [AuditAccess], by party: AuditParty? = nil) async throws -> AuditHead {
        try await store.write { tx in try self.append(accesses, by: party, in: tx) }
    }

    /// Appends accesses as part of a write: they are committed with it, or not at all.
    ///
    /// - Parameters:
    ///   - accesses: the accesses, in order.
    ///   - party: the actor. Default: the party of the write.
    ///   - transaction: the write, of this store.
    /// - Returns: the head after them, which becomes valid when the write commits.
    /// - Precondition: none is of the action ``AuditAction/prune``.
    /// - Throws: `AuditError.damaged`; `FHIRStoreError`; errors of the signature.
    @discardableResult
    public func append(_ accesses: [AuditAccess], by party: AuditParty? = nil, in transaction: WriteTransaction) throws -> AuditHead {
        misuse(
            unless: !accesses.contains { $0.action == .prune }, "the action prune is written by prune(before:): append another one")
        return try recorder.append(
            accesses.map { AuditRecorder.Draft(access: $0) }, by: party ?? recorder.party(of: transaction), in: transaction)
    }

    /// Runs `body` in a write and appends its reads before it returns the result. If appending fails, it throws.
    ///
    /// - Parameters:
    ///   - party: who reads.
    ///   - body: reads, and adds each access to the list.
    package func reading<Value>(
        by party: AuditParty, _ body: (ReadTransaction, inout [AuditAccess]) throws -> Value
    ) throws -> Value {
        try store.write { tx in
            var accesses: [AuditAccess] = []
            let value = try body(tx, &accesses)
            if !accesses.isEmpty { try append(accesses, by: party, in: tx) }
            return value
        }
    }

    /// Signs a head although nothing happened, so that kept heads distinguish a quiet period from a deleted one.
    ///
    /// - Returns: the head.
    /// - Precondition: not inside a read or write of the store.
    /// - Throws: `AuditError.damaged`; `FHIRStoreError`; errors of the signature.
    @discardableResult
    public func seal() throws -> AuditHead { try append([]) }

    /// Signs a head although nothing happened, without blocking the thread.
    ///
    /// - Returns: the head.
    /// - Throws: `AuditError.damaged`; `FHIRStoreError`; errors of the signature; `CancellationError`.
    @discardableResult
    public func seal() async throws -> AuditHead { try await append([]) }

    // MARK: - Pruning

    /// Removes the content of rows before a time and keeps their hashes, so that the rest of the trail can still be proved. An entry lists
    /// the pruned rows.
    ///
    /// - Parameter date: rows from this time on stay as they are.
    /// - Returns: the number of rows that have lost their values.
    /// - Precondition: not inside a read or write of the store.
    /// - Throws: `AuditError.damaged`; `FHIRStoreError`; errors of the signature.
    @discardableResult
    public func prune(before date: Date) throws -> Int {
        try store.write { tx in try prune(before: date, in: tx) }
    }

    /// Removes the content of rows before a time, without blocking the thread.
    ///
    /// - Parameter date: rows from this time on stay as they are.
    /// - Returns: the number of rows that have lost their values.
    /// - Throws: `AuditError.damaged`; `FHIRStoreError`; errors of the signature; `CancellationError`.
    @discardableResult
    public func prune(before date: Date) async throws -> Int {
        try await store.write { tx in try self.prune(before: date, in: tx) }
    }

    private func prune(before date: Date, in tx: WriteTransaction) throws -> Int {
        let time = SQLValue.integer(Int64(max(min(date.timeIntervalSince1970, 1e12), -1e12) * 1_000))
        let condition = "at < ? AND action <> 'P'"
        guard let range = try tx.auditRows("SELECT min(seq), max(seq) FROM _audit WHERE \(condition)", [time]).first,
            let first = range[0].integer, let last = range[1].integer
        else { return 0 }
        let empty = AuditRow.columns.split(separator: ", ").dropFirst().dropLast().map { "\($0) = NULL" }.joined(separator: ", ")
        let count = try tx.runAudit("UPDATE _audit SET \(empty) WHERE \(condition)", [time])
        try recorder.append(
            [AuditRecorder.Draft(access: AuditAccess(.prune, id: "\(first)-\(last)"))], by: recorder.party(of: tx), in: tx)
        return count
    }
}
