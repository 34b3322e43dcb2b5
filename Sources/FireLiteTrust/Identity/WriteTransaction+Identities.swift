import FireLite
import Foundation

extension WriteTransaction {
    /// Adds an identity. For a known one it changes the name, the reference and the authority, and adds new keys.
    ///
    /// Whoever adds an identity vouches for its keys: compare the thumbprints over another channel.
    ///
    /// If the file has lost identities whose keys or statements about Consents it keeps, nobody else gets authority until they are added again, each
    /// with keys that it had. If nothing shows who is missing, and no owner is left, nobody is added: see ``acceptLostIdentities()``.
    /// - Throws: ``TrustError/Code/invalidArgument`` for an empty or very long id, for an authority that is no compartment, for a key that belongs
    ///   to another identity, and for what lost identities forbid; `FHIRStoreError`.
    public func setIdentity(_ identity: Identity) throws {
        guard !identity.id.isEmpty, identity.id.utf8.count <= 200 else {
            throw TrustError(.invalidArgument, "the id of an identity has 1 to 200 characters")
        }
        guard identity.authority.isUsable(in: store.release) else {
            throw TrustError(.invalidArgument, "a compartment is written like Patient/1, with a type of FHIR \(store.release.name)")
        }
        try checkLosses(identity)
        let values: [SQLValue] = [
            identity.name.map { .text($0) } ?? .null, identity.reference.map { .text($0) } ?? .null,
            .text(identity.authority.text), .text(identity.id),
        ]
        if try run(
            on: TrustTables.module, "UPDATE _trust_identity SET name = ?, reference = ?, authority = ? WHERE id = ?", values) == 0
        {
            try run(on: TrustTables.module, "INSERT INTO _trust_identity(name, reference, authority, id) VALUES (?, ?, ?, ?)", values)
        }
        try noteIdentityRows()
        store.keepPermissions()
        let new = try identity.keys.filter { try add($0, to: identity.id) }
        // Its signatures are valid from now on.
        if !new.isEmpty { try withoutRecord { try recordAllStatements() } }
    }

    /// Goes on without identities and statements that the file has lost, and that nothing else in it names.
    ///
    /// The file notes how many it has had, so that emptied tables are not those of a file without permissions: until this call nobody is
    /// added who may take the owner's place. Call it only if the person who owns the file asks for it, and no backup can be restored: what
    /// the lost identities have denied is not denied any more, and whoever is given authority next has it.
    /// - Throws: `FHIRStoreError`.
    public func acceptLostIdentities() throws {
        try noteRows(of: TrustTables.module, "_trust_identity", forgetsLost: true)
        try noteRows(of: PermissionTables.module, "_permission", forgetsLost: true)
    }

    /// Refuses authority for others, and other keys, while identities are lost.
    private func checkLosses(_ identity: Identity) throws {
        let lost = try lostIdentities()
        guard !lost.isEmpty else { return }
        if lost.hidesOwner {
            // Whoever is added would count as one of those that are missing.
            guard try self.identity(identity.id)?.authority == identity.authority else { throw lost.error }
            return
        }
        if let keys = lost.keys[identity.id] ?? (lost.signingKeys.isEmpty ? nil : lost.signingKeys) {
            // Where nothing else is left, a key shows who has signed.
            let isProven = lost.signingKeys.isEmpty || !identity.keys.isEmpty
            guard isProven, identity.keys.allSatisfy({ keys.contains($0.key.id) }) else {
                throw TrustError(
                    .invalidArgument, "the file has lost this identity: add it again with a key that it had, or restore a backup")
            }
            return
        }
        guard identity.authority != .none, !lost.authorities.contains(identity.id) else { return }
        let known = try self.identity(identity.id)?.authority
        guard known == identity.authority || known == .everything else { throw lost.error }
    }

    /// - Returns: whether the key is new.
    private func add(_ key: Identity.Key, to id: String) throws -> Bool {
        let text = String(decoding: try key.key.jwk, as: UTF8.self)
        let known = try rows(
            of: TrustTables.module, "SELECT identity, jwk, begins FROM _trust_key WHERE kid = ?", [.text(key.key.id)]
        ).first
        if let known {
            guard known[0].text == id else { throw TrustError(.invalidArgument, "the \(key.key) belongs to another identity") }
            if PublicKey(known[1])?.id == key.key.id, known[2].integer != nil { return false }
            // A row that is damaged is written again. An end of its period stays.
            try run(
                on: TrustTables.module, "UPDATE _trust_key SET jwk = ?, begins = ? WHERE kid = ?",
                [.text(text), .integer(key.from.trustMilliseconds), .text(key.key.id)])
            return true
        }
        try run(
            on: TrustTables.module, "INSERT INTO _trust_key(identity, kid, jwk, begins, ends) VALUES (?, ?, ?, ?, ?)",
            [
                .text(id), .text(key.key.id), .text(text), .integer(key.from.trustMilliseconds),
                key.until.map { .integer($0.trustMilliseconds) } ?? .null,
            ])
        return true
    }

    /// Replaces the current key of an identity. Signatures by earlier keys can still be verified.
    ///
    /// - Parameters:
    ///   - id: the identity.
    ///   - key: the new key.
    ///   - moment: when it begins, and earlier keys end.
    /// - Throws: ``TrustError/Code/unknown`` if the store does not know the identity; ``TrustError/Code/invalidArgument`` for a key that
    ///   was used before; `FHIRStoreError`.
    public func rotateKey(ofIdentity id: String, to key: PublicKey, at moment: Date = FHIRClock.system.now()) throws {
        guard let identity = try identity(id) else { throw TrustError(.unknown, "the store knows no identity \(id)") }
        guard try self.identity(withKey: key.id) == nil else {
            throw TrustError(.invalidArgument, "the \(key) was used before: make a new one")
        }
        for old in identity.keys where old.isValid(at: moment) { try revokeKey(old.key.id, at: moment) }
        store.keepPermissions()
        if try add(Identity.Key(key, from: moment), to: id) { try withoutRecord { try recordAllStatements() } }
    }

    /// Ends the period of a lost or stolen key. Later signatures by it are refused.
    ///
    /// - Parameters:
    ///   - keyID: the key's id.
    ///   - moment: the end of its period. An earlier end stays. Default: now.
    /// - Throws: ``TrustError/Code/unknown`` if the store does not know the key; `FHIRStoreError`.
    public func revokeKey(_ keyID: String, at moment: Date = FHIRClock.system.now()) throws {
        guard try identity(withKey: keyID) != nil else { throw TrustError(.unknown, "the store knows no key \(keyID)") }
        try run(
            on: TrustTables.module, "UPDATE _trust_key SET ends = ?1 WHERE kid = ?2 AND (ends IS NULL OR ends > ?1)",
            [.integer(moment.trustMilliseconds), .text(keyID)])
    }
}
