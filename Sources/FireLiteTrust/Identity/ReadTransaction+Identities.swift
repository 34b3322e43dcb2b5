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
        ).compactMap { row in
            // A key that cannot be read verifies nothing, and `check` names it.
            PublicKey(row[0]).map { Identity.Key($0, from: Date(trustMilliseconds: row[1].integer ?? .max), until: Self.end(row[2])) }
        }
    }

    /// The end of a period. A value that is no time has ended it.
    private static func end(_ value: SQLValue) -> Date? {
        value == .null ? nil : value.integer.map { Date(trustMilliseconds: $0) } ?? .distantPast
    }

    /// The key with an id, at any time, and the identity that has it; nil if the store does not know the key, or cannot read it.
    func key(withID keyID: String) throws -> (identity: String?, key: PublicKey)? {
        let row = try rows(of: TrustTables.module, "SELECT identity, jwk FROM _trust_key WHERE kid = ?", [.text(keyID)]).first
        guard let row, let key = PublicKey(row[1]), key.id == keyID else { return nil }
        return (row[0].text, key)
    }

    /// Throws if the store has a key and cannot read it.
    ///
    /// - Throws: `CryptoError`; `FHIRStoreError`.
    func requireReadableKey(_ keyID: String) throws {
        for row in try rows(of: TrustTables.module, "SELECT jwk FROM _trust_key WHERE kid = ?", [.text(keyID)]) {
            _ = try PublicKey(jwk: Data((row[0].text ?? "").utf8))
        }
    }

    /// The ids of identities without a statement of their authority, which `setIdentity` writes.
    func identitiesWithoutAuthority() throws -> Set<String> {
        Set(try rows(of: TrustTables.module, "SELECT id FROM _trust_identity WHERE authority IS NULL").compactMap(\.[0].text))
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

extension PublicKey {
    /// Reads the column; nil if it is no key.
    init?(_ value: SQLValue) {
        do { try self.init(jwk: Data((value.text ?? "").utf8)) } catch { return nil }
    }
}

extension Identity.Authority {
    /// Reads the column. Earlier versions wrote NULL for `none`: see `ConsentStatements` for what it means of a signer. A value that is no authority is a compartment that is none: see `RuleConditions`.
    init(_ value: SQLValue) {
        switch value {
        case .null, .text(Self.noneText): self = .none
        case .text("*"): self = .everything
        default: self = .compartment(value.text ?? "")
        }
    }

    /// Whether permits and denials can be limited to it.
    func isUsable(in release: FHIRRelease) -> Bool {
        guard case .compartment(let text) = self else { return true }
        return Compartment(text).map { release.hasResourceType(named: $0.type) } ?? false
    }

    private static let noneText = "none"

    /// The column's value, which is never NULL, so that an authority that is lost is not one that was taken away.
    var text: String {
        switch self {
        case .none: Self.noneText
        case .compartment(let compartment): compartment
        case .everything: "*"
        }
    }
}
