import FireLite
import Foundation

/// Verifies the signatures of heads.
final class AuditSignature {
    /// The media type in the header of a head's signature, so that no token or other signature is taken for a head.
    static let type = "firelite-audit-head"

    /// The known keys by id.
    private var keys: [String: [Identity.Key]]
    private let tx: ReadTransaction?

    /// Verifies with these keys and no others.
    init(_ keys: [PublicKey]) {
        self.keys = Dictionary(keys.map { ($0.id, [Identity.Key($0, from: .distantPast)]) }, uniquingKeysWith: { first, _ in first })
        tx = nil
    }

    /// Verifies with the keys of the identities that a store knows, each in its period.
    init(_ tx: ReadTransaction) {
        keys = [:]
        self.tx = tx
    }

    /// Whether a head was signed with one of the keys.
    ///
    /// - Throws: `FHIRStoreError` if the store's keys cannot be read.
    func isValid(_ head: AuditHead) throws -> Bool {
        guard let signature = try? JWS(head.token), signature.type == Self.type, let keyID = signature.keyID else { return false }
        return try known(keyID).contains { key in
            // Keys begin in the middle of a millisecond, which heads do not know.
            key.from <= head.date.addingTimeInterval(0.001) && key.until.map { head.date < $0 } ?? true
                && (try? signature.verify(with: key.key)) != nil
        }
    }

    private func known(_ keyID: String) throws -> [Identity.Key] {
        if let found = keys[keyID] { return found }
        let found = try tx?.identity(withKey: keyID)?.keys.filter { $0.key.id == keyID } ?? []
        // A key that the store has and cannot read is a fault of the store, and none of the signature.
        if found.isEmpty { try tx?.requireReadableKey(keyID) }
        keys[keyID] = found
        return found
    }

    /// Throws if a head was not signed with one of the keys.
    ///
    /// - Throws: `AuditError.invalidSignature`; `FHIRStoreError` if the store's keys cannot be read.
    func verify(_ head: AuditHead) throws {
        guard try isValid(head) else {
            throw AuditError(.invalidSignature, "\(head) was not signed with a known key: give the keys of those who sign")
        }
    }
}

/// Signs heads.
struct AuditSigner: Sendable {
    /// Signs a payload and returns the JWS in compact form.
    let sign: @Sendable (Data) throws -> String

    /// Signs with a key. The header is the same for all heads, and is written once.
    init(_ key: any IdentityKey) {
        let header = Data(JWS.header(key.publicKey, type: AuditSignature.type).json.utf8)
        let beginning = header.base64URL + "."
        sign = { payload in
            let input = beginning + payload.base64URL
            return try input + "." + key.signature(of: Data(input.utf8)).base64URL
        }
    }
}
