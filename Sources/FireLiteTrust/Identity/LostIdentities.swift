import FireLite
import FireLiteCore

/// What the file has lost of identities. No call removes an identity, so whoever is missing was lost.
struct LostIdentities {
    /// The ids that keys and statements name and the table of identities does not have, and those of signers without keys, each with the ids of the
    /// keys that were its own.
    var keys: [String: Set<String>] = [:]
    /// The identities whose authority is NULL, and which have signed statements about Consents. If there are statements and no owner, each of them may
    /// be the owner.
    var authorities: Set<String> = []
    /// If all identities are lost, with their keys and statements: the ids of the keys that have signed Consents.
    var signingKeys: Set<String> = []

    /// Whether the file has noted more identities than it has or names, and has no owner: whoever is missing may be the owner, and nothing shows who
    /// that was.
    var hidesOwner = false

    var isEmpty: Bool { keys.isEmpty && authorities.isEmpty && signingKeys.isEmpty && !hidesOwner }

    /// What to do if nothing shows who is lost.
    static let remedy = "restore a backup, or have the person who owns the file call acceptLostIdentities()"

    var error: TrustError {
        if hidesOwner {
            return TrustError(.invalidArgument, "the file has lost identities, and the owner may be among them: \(Self.remedy)")
        }
        return TrustError(
            .invalidArgument,
            "the file has lost identities, or their authority, and keeps what they have signed: restore a backup, or add them again with the "
                + "keys and the authority that they had, before anybody else gets authority")
    }
}

extension ReadTransaction {
    /// Refuses to go on if identities, or the authority of signers, are lost.
    ///
    /// - Throws: ``TrustError/Code/invalidArgument``; `FHIRStoreError`.
    package func requireIdentities() throws {
        let lost = try lostIdentities()
        if !lost.isEmpty { throw lost.error }
    }

    func lostIdentities() throws -> LostIdentities {
        var lost = LostIdentities()
        let missing = try lostIdentityRows()
        guard try hasTables(of: TrustTables.module) else {
            lost.hidesOwner = missing > 0
            return lost
        }
        let identities = try rows(of: TrustTables.module, "SELECT id, authority FROM _trust_identity")
        let known = Set(identities.compactMap(\.[0].text))
        var withKeys: Set<String> = []
        for row in try rows(of: TrustTables.module, "SELECT identity, kid FROM _trust_key") {
            guard let id = row[0].text else { continue }
            withKeys.insert(id)
            if known.contains(id) { continue }
            lost.keys[id, default: []].formUnion([row[1].text].compactMap { $0 })
        }
        let signers = Set(try rows(of: PermissionTables.module, "SELECT DISTINCT signer FROM _permission").compactMap(\.[0].text))
        // Whoever has signed had a key, which may be lost alone.
        for id in signers.subtracting(known.intersection(withKeys)) {
            let signed = try rows(of: PermissionTables.module, "SELECT signature FROM _permission WHERE signer = ?", [.text(id)])
            lost.keys[id, default: []].formUnion(signed.compactMap { $0[0].text.flatMap(Self.keyID) })
        }
        let hasOwner = identities.contains { Identity.Authority($0[1]) == .everything }
        let undefined = try identitiesWithoutAuthority()
        lost.authorities = hasOwner || signers.isEmpty ? undefined.intersection(signers) : undefined
        lost.hidesOwner = !hasOwner && missing > lost.keys.count
        if known.isEmpty, lost.isEmpty { lost.signingKeys = try keysOfSignedConsents() }
        return lost
    }

    /// The id of the key of a signature; nil for a text that is none.
    private static func keyID(_ signature: String) -> String? {
        do { return try JWS(signature).keyID } catch { return nil }
    }

    /// The ids of the keys that have signed Consents.
    private func keysOfSignedConsents() throws -> Set<String> {
        guard let layout = store.release.resourceLayout(named: "Provenance"), let signature = layout.element(named: "signature") else {
            return []
        }
        var found: Set<String> = []
        var request = QueryRequest(layout)
        request.predicate = .exists(QueryPath([PathStep(slot: signature.slot)]))
        for key in try places(request).map(\.key) {
            for resource in try resources(keys: [key]) {
                let item = try JSONItem.read(FHIRJSON.data(resource))
                guard SignatureCoding.targets(item).contains(where: { $0.hasPrefix("Consent/") }) else { continue }
                found.formUnion(SignatureCoding.signatures(item).compactMap(Self.keyID))
            }
        }
        return found
    }
}
