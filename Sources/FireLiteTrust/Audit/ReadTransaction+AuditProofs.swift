import FireLite
import FireLiteCore

extension ReadTransaction {
    /// The proof of an entry.
    ///
    /// - Parameters:
    ///   - number: the number of the entry's row.
    ///   - head: the head of the proof. Default: that of the entry's own commit.
    /// - Throws: `AuditError.notFound` if there is no such row, or it was pruned; `AuditError.damaged` if the trail does not match the
    ///   head; `FHIRStoreError`.
    public func auditProof(ofEntry number: Int64, at head: AuditHead? = nil) throws -> AuditProof {
        try proof(number, at: head, resource: nil)
    }

    /// The proof that a resource had its present value, or that of an earlier version, when it was written.
    ///
    /// With the head of the entry's own commit it proves that the resource had this value at that head. With a later head it proves that
    /// the resource once had the value, as later entries may concern the resource too.
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the resource's id.
    ///   - version: the number of a version whose content the history has. Default: the present one.
    ///   - head: the head of the proof. Default: that of the entry's own commit.
    /// - Throws: `AuditError.notFound` if the trail has no entry about it, or the content is gone; `AuditError.invalidProof` if the content
    ///   differs from the entry's, because something wrote to the store without its audit; `AuditError.damaged`; `FHIRStoreError`.
    public func auditProof(of typeName: String, id: String, version: Int64? = nil, at head: AuditHead? = nil) throws -> AuditProof {
        let entries = try auditEntries(about: typeName, id: id)
        let isWanted = { (entry: AuditEntry) in
            entry.value != nil && (version == nil || entry.access.version == version) && entry.number <= head?.size ?? .max
        }
        guard let entry = entries.last(where: isWanted) else {
            throw AuditError(.notFound, "the audit trail has no entry that wrote this resource, or no longer")
        }
        return try proof(entry.number, at: head, resource: content(typeName, id, entry))
    }

    private func content(_ typeName: String, _ id: String, _ entry: AuditEntry) throws -> String {
        if let version = entry.access.version, let old = try resource(typeName: typeName, id: id, version: version) {
            return FHIRJSON.string(old)
        }
        guard let present = try resource(typeName: typeName, id: id) else {
            throw AuditError(.notFound, "the store no longer has the content that the entry is about")
        }
        return FHIRJSON.string(present)
    }

    private func proof(_ number: Int64, at given: AuditHead?, resource: String?) throws -> AuditProof {
        guard let row = try auditRow(number), let entry = row.entry else {
            throw AuditError(.notFound, "the audit trail has no row \(number), or it was pruned")
        }
        guard let head = try given ?? auditHead(covering: number), head.size >= number else {
            throw AuditError(.notFound, "no head of the audit trail covers row \(number)")
        }
        let path = try MerkleTree.inclusionProof(of: number - 1, size: head.size) { try auditSubtree(level: $0, index: $1) }
        let salt = AuditSalt.ofLeaf(row.salt)
        guard
            MerkleTree.includes(
                leaf: MerkleTree.leafHash(entry.leaf(salt: salt)), at: number - 1, size: head.size, root: head.root, proof: path)
        else { throw AuditError(.damaged, "row \(number) of the audit trail does not fit \(head): verify the trail") }
        guard var resource else {
            return AuditProof(entry: entry, head: head, resource: nil, salt: salt, resourceSalt: nil, path: path)
        }
        let resourceSalt = Array(row.salt.suffix(AuditSalt.length))
        guard resource.withUTF8({ AuditSalt.hash(resourceSalt, $0) }) == entry.value else {
            throw AuditError(
                .invalidProof, "the stored resource is not the one of entry \(number): something has written it past the audit")
        }
        return AuditProof(entry: entry, head: head, resource: resource, salt: salt, resourceSalt: resourceSalt, path: path)
    }

    /// The proof that the trail at a head begins with the trail at an earlier one: nothing was changed or removed in between.
    ///
    /// - Parameters:
    ///   - first: the earlier head.
    ///   - second: the later head. Default: the last one.
    /// - Throws: `AuditError.invalidArgument` if the heads are of two trails, or in the other order; `AuditError.notFound`; `AuditError.damaged` if
    ///   it does not; `FHIRStoreError`.
    public func auditConsistencyProof(from first: AuditHead, to second: AuditHead? = nil) throws -> AuditConsistencyProof {
        guard let second = try second ?? lastAuditHead() else { throw AuditError(.notFound, "the store has no audit trail") }
        guard first.trail == second.trail, first.number <= second.number, first.size <= second.size else {
            throw AuditError(.invalidArgument, "the heads are of two trails, or the second is the older one")
        }
        let path = try MerkleTree.consistencyProof(first: first.size, second: second.size) { try auditSubtree(level: $0, index: $1) }
        let proof = AuditConsistencyProof(first: first, second: second, path: path)
        guard proof.isConsistent else {
            throw AuditError(.damaged, "the trail does not fit \(first) and \(second): verify it from the first of them")
        }
        return proof
    }
}
