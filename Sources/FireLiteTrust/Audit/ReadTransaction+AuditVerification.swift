import FireLite

extension ReadTransaction {
    /// Verifies the store's audit trail: each row against its hash, all rows against each signed head, the stored nodes of the tree, and
    /// that empty rows were pruned. It reads the whole trail and reports the first row that does not match. A store without a trail is not intact.
    ///
    /// - Parameters:
    ///   - heads: heads kept outside the file. Without one, a trail whose end was cut off together with its heads looks intact.
    ///   - keys: the keys of the signers. Default: those of the identities in the store, to which whoever writes the file can add.
    /// - Complexity: reads the whole trail once.
    /// - Throws: `AuditError.invalidSignature` for a kept head that is not signed with such a key; `FHIRStoreError`; `CancellationError`.
    public func verifyAudit(from heads: [AuditHead] = [], signedBy keys: [PublicKey]? = nil) throws -> AuditVerification {
        let signature = keys.map { AuditSignature($0) } ?? AuditSignature(self)
        do { _ = try hasTables(of: AuditTables.module) } catch let error as FHIRStoreError where error.code == .notAStore {
            // The trail is damaged and cannot be read.
            var result = AuditVerification()
            result.finding = AuditFinding(.missing, 1, "the tables of the trail are missing, or are not what they were")
            return result
        }
        var verifier = AuditVerifier(self, kept: heads) { try signature.isValid($0) }
        return try verifier.run()
    }
}

extension FHIRStore {
    /// Verifies the store's audit trail from a head kept outside the file.
    ///
    /// - Parameters:
    ///   - head: the head; nil if none was kept.
    ///   - keys: the keys of those who sign. Default: those of the identities that the store knows.
    /// - Returns: the result, which names the first row that does not fit.
    /// - Throws: `AuditError.invalidSignature`; `FHIRStoreError`.
    public func verifyAudit(from head: AuditHead?, signedBy keys: [PublicKey]? = nil) throws -> AuditVerification {
        try read { try $0.verifyAudit(from: head.map { [$0] } ?? [], signedBy: keys) }
    }

    /// Verifies the store's audit trail from a head kept outside the file, without blocking the thread.
    ///
    /// - Parameters:
    ///   - head: the head; nil if none was kept.
    ///   - keys: the keys of those who sign. Default: those of the identities that the store knows.
    /// - Returns: the result, which names the first row that does not fit.
    /// - Throws: `AuditError.invalidSignature`; `FHIRStoreError`; `CancellationError`.
    public func verifyAudit(from head: AuditHead?, signedBy keys: [PublicKey]? = nil) async throws -> AuditVerification {
        try await read { tx in try tx.verifyAudit(from: head.map { [$0] } ?? [], signedBy: keys) }
    }
}
