import FireLite
import Foundation

extension FHIRStore {
    /// Starts auditing every write of this store object, in the writes themselves.
    ///
    /// ```swift
    /// let trail = try store.startAudit(by: device)
    /// try store.write { tx in try tx.upsert(patient) }
    /// ```
    /// If the trail cannot be written or signed, the write fails. Writes of other store objects and processes are audited only if they
    /// start the audit too. A new trail begins with a head of no rows. If the store does not know the identity, it is added. `check` then
    /// verifies the trail, even after the audit stops: see ``FireLite/FHIRStore/checkTrail()``.
    /// - Parameters:
    ///   - signer: who signs the heads.
    ///   - party: the actor, unless a read or write names another. Default: the signer's id, without a purpose.
    ///   - includesReads: whether every read of this store object is audited too, with a row for each resource that it returns. Each read
    ///     then ends with a write that signs a head, so read many resources at once. Default: only writes and the reads of restricted
    ///     views.
    /// - Returns: the trail. The store keeps auditing without it, until ``FireLite/FHIRStore/stopAudit()``.
    /// - Precondition: not inside a read or write of the store.
    /// - Throws: ``TrustError/Code/unknown`` if the store knows the identity with other keys only; `FHIRStoreError`.
    @discardableResult
    public func startAudit(by signer: SigningIdentity, party: AuditParty? = nil, includesReads: Bool = false) throws -> AuditTrail {
        stopAudit()
        if try read({ try $0.identity(withKey: signer.keyID) }) == nil {
            try write { tx in
                guard try tx.identity(signer.id) == nil else {
                    throw TrustError(.unknown, "the key of \(signer.id) is not among those that the store knows: rotate its key first")
                }
                try tx.setIdentity(Identity(id: signer.id, keys: [.init(signer.key.publicKey, from: clock.now())]))
            }
        }
        let recorder = participant(AuditRecorder.self) {
            AuditRecorder(
                signer: AuditSigner(signer.key), party: party ?? AuditParty(signer.id), recordsReads: includesReads, now: clock.now)
        }
        checkTrail()
        let trail = AuditTrail(store: self, recorder: recorder)
        if try read({ try $0.lastAuditHead() }) == nil { try trail.seal() }
        return trail
    }

    /// Starts auditing every write of this store object, without blocking the caller: see the blocking form.
    ///
    /// - Parameters:
    ///   - signer: who signs the heads.
    ///   - party: the actor. Default: the signer's id, without a purpose.
    ///   - includesReads: whether every read of this store object is audited too. Default: false.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func startAudit(
        by signer: SigningIdentity, party: AuditParty? = nil, includesReads: Bool = false
    ) async throws -> AuditTrail {
        try await transferring { try self.startAudit(by: signer, party: party, includesReads: includesReads) }
    }

    /// The trail of this store object's writes; nil if they are not audited.
    public var auditTrail: AuditTrail? { participant(AuditRecorder.self).map { AuditTrail(store: self, recorder: $0) } }

    /// Stops auditing the writes of this store object. Its trail stays.
    public func stopAudit() {
        if let recorder = participant(AuditRecorder.self) { remove(participant: recorder) }
    }
}

extension ReadTransaction {
    /// Sets the actor and the purpose of this read or write, for its rows in the audit trail. Without an audit it has no effect.
    public func setAuditParty(_ party: AuditParty) {
        readRecord?.reader = party
        if let write = self as? WriteTransaction { store.participant(AuditRecorder.self)?.setParty(party, of: write) }
    }
}
