import FireLite
import FireLiteCrypto
import Foundation

/// A proof that a trail has an entry, and that a resource had a value when the entry was written. It does not reveal the rest of the trail.
///
/// Anybody with the signer's key can verify it without the store. The JSON has the entry with its salt, the hashes from its leaf to the
/// root, the signed head, and the resource if it was included.
public struct AuditProof: Sendable, Hashable {
    /// The entry.
    public let entry: AuditEntry
    /// The head that covers the entry's row.
    public let head: AuditHead
    /// The JSON of the entry's resource after the access; nil if it was left out.
    public let resource: String?
    let salt: [UInt8]
    let resourceSalt: [UInt8]?
    let path: [[UInt8]]

    /// Verifies the proof.
    ///
    /// - Parameter keys: the keys of the signers of the trail's heads.
    /// - Throws: `AuditError.invalidSignature` if the head was not signed with one of them; `AuditError.invalidProof` if the entry is not
    ///   in the trail, or the resource is not the entry's.
    public func verify(signedBy keys: [PublicKey]) throws { try verify(AuditSignature(keys)) }

    func verify(_ signature: AuditSignature) throws {
        try signature.verify(head)
        let leaf = MerkleTree.leafHash(entry.leaf(salt: salt))
        guard salt.count == AuditSalt.length, entry.number > 0, entry.number <= head.size,
            MerkleTree.includes(leaf: leaf, at: entry.number - 1, size: head.size, root: head.root, proof: path)
        else { throw AuditError(.invalidProof, "the entry of the proof is not in the trail that the head stands for") }
        guard let resource else { return }
        var text = resource
        guard let resourceSalt, resourceSalt.count == AuditSalt.length, let value = entry.value,
            text.withUTF8({ AuditSalt.hash(resourceSalt, $0) }) == value
        else { throw AuditError(.invalidProof, "the resource of the proof is not the one that the entry is about") }
    }

    // MARK: - JSON

    private struct Content: Codable {
        struct Entry: Codable {
            let number: Int64
            let at: Int64
            let actor: String
            let action: AuditAction
            let type: String?
            let id: String?
            let version: Int64?
            let outcome: AuditOutcome
            let purpose: String?
            let value: Data?
        }
        let format: String
        let head: AuditHead
        let entry: Entry
        let salt: Data
        let path: [Data]
        let resource: String?
        let resourceSalt: Data?
    }

    private static let format = "firelite-audit-proof-1"

    /// The proof as JSON; hashes and salts are base64.
    public var json: Data {
        get throws {
            let content = Content(
                format: Self.format, head: head,
                entry: .init(
                    number: entry.number, at: entry.milliseconds, actor: entry.party.actor, action: entry.access.action,
                    type: entry.access.typeName, id: entry.access.id, version: entry.access.version, outcome: entry.access.outcome,
                    purpose: entry.party.purpose, value: entry.value.map { Data($0) }),
                salt: Data(salt), path: path.map { Data($0) }, resource: resource, resourceSalt: resourceSalt.map { Data($0) })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(content)
        }
    }

    /// Reads a proof without verifying it.
    ///
    /// - Throws: `AuditError.invalidProof` if it is not a proof.
    public init(json: Data) throws {
        guard let content = try? JSONDecoder().decode(Content.self, from: json), content.format == Self.format else {
            throw AuditError(.invalidProof, "this is not the proof of an entry of an audit trail")
        }
        let entry = content.entry
        self.init(
            entry: AuditEntry(
                number: entry.number, milliseconds: entry.at, party: AuditParty(entry.actor, purpose: entry.purpose),
                access: AuditAccess(entry.action, entry.type, id: entry.id, version: entry.version, outcome: entry.outcome),
                value: entry.value.map { Array($0) }),
            head: content.head, resource: content.resource, salt: Array(content.salt),
            resourceSalt: content.resourceSalt.map { Array($0) }, path: content.path.map { Array($0) })
    }

    init(entry: AuditEntry, head: AuditHead, resource: String?, salt: [UInt8], resourceSalt: [UInt8]?, path: [[UInt8]]) {
        self.entry = entry
        self.head = head
        self.resource = resource
        self.salt = salt
        self.resourceSalt = resourceSalt
        self.path = path
    }
}
