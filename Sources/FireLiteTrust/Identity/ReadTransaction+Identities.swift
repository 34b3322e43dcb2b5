import FireLite
import Foundation

extension ReadTransaction {
    /// The identity with an id; nil if the store does not know it.
    ///
    /// - Throws: `FHIRStoreError`.
    public func identity(_ id: String) throws -> Identity? { try identities("WHERE id = ?", [.text(id)]).first }

    /// The identity that has or had a key; nil if the store does not know the key.
    ///
    /// - Throws: `FHIRStoreError`.
    public func identity(withKey keyID: String) throws -> Identity? {
        try identities("WHERE id = (SELECT identity FROM _trust_key WHERE kid = ?)", [.text(keyID)]).first
    }

    /// All identities that the store knows, by id.
    ///
    /// - Throws: `FHIRStoreError`.
    public func identities() throws -> [Identity] { try identities("", []) }

    private func identities(_ condition: String, _ arguments: [SQLValue]) throws -> [Identity] {
        try rows(of: TrustTables.module, "SELECT id, name, reference, authority FROM _trust_identity \(condition) ORDER BY id", arguments)
            .map {
                row in
                let id = row[0].text ?? ""
                return Identity(
                    id: id, name: row[1].text, reference: row[2].text, authority: Identity.Authority(row[3]),
                    keys: try keys(of: id))
            }
    }

    private func keys(of id: String) throws -> [Identity.Key] {
        try rows(
            of: TrustTables.module, "SELECT jwk, begins, ends FROM _trust_key WHERE identity = ? ORDER BY begins, number", [.text(id)]
        ).map { row in
            Identity.Key(
                try PublicKey(jwk: Data((row[0].text ?? "").utf8)), from: Date(trustMilliseconds: row[1].integer ?? .max),
                until: row[2].integer.map { Date(trustMilliseconds: $0) })
        }
    }

    /// The key of an identity, if it signs at a moment.
    ///
    /// - Throws: ``TrustError/Code/unknown``, ``TrustError/Code/keyNotValid``.
    func key(_ keyID: String, at moment: Date) throws -> (identity: Identity, key: PublicKey) {
        guard let identity = try identity(withKey: keyID), let known = identity.keys.first(where: { $0.key.id == keyID }) else {
            throw TrustError(.unknown, "the store knows no key \(keyID): add the identity that it belongs to")
        }
        guard known.isValid(at: moment) else {
            throw TrustError(.keyNotValid, "the key \(keyID) was not valid at the time of the signature")
        }
        return (identity, known.key)
    }
}

extension Identity.Authority {
    /// Reads the column. A value that is no authority is a compartment that is none: see `RuleConditions`.
    init(_ value: SQLValue) {
        switch value {
        case .null: self = .none
        case .text("*"): self = .everything
        default: self = .compartment(value.text ?? "")
        }
    }

    /// Whether permits and denials can be limited to it.
    func isUsable(in release: FHIRRelease) -> Bool {
        guard case .compartment(let text) = self else { return true }
        return Compartment(text).map { release.hasResourceType(named: $0.type) } ?? false
    }

    var text: String? {
        switch self {
        case .none: nil
        case .compartment(let compartment): compartment
        case .everything: "*"
        }
    }
}
