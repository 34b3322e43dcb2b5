import Foundation

/// A proof that a trail only grew between two heads (RFC 6962, section 2.1.2).
public struct AuditConsistencyProof: Sendable, Hashable {
    /// The earlier head.
    public let first: AuditHead
    /// The later head.
    public let second: AuditHead
    let path: [[UInt8]]

    init(first: AuditHead, second: AuditHead, path: [[UInt8]]) {
        self.first = first
        self.second = second
        self.path = path
    }

    var isConsistent: Bool {
        guard first.trail == second.trail, first.number <= second.number else { return false }
        // Every trail begins with the empty one.
        if first.size == 0 {
            return path.isEmpty && first.root == MerkleTree.emptyRoot && (second.size > 0 || second.root == first.root)
        }
        return MerkleTree.isConsistent(
            first: first.size, firstRoot: first.root, second: second.size, secondRoot: second.root, proof: path)
    }

    /// Verifies the proof.
    ///
    /// - Parameter keys: the keys of the signers of the trail's heads.
    /// - Throws: `AuditError.invalidSignature` if a head was not signed with one of them; `AuditError.invalidProof` if the later head does
    ///   not continue the earlier one.
    public func verify(signedBy keys: [PublicKey]) throws {
        let signature = AuditSignature(keys)
        try signature.verify(first)
        try signature.verify(second)
        guard isConsistent else { throw AuditError(.invalidProof, "the later head is no continuation of the earlier one") }
    }

    // MARK: - JSON

    private struct Content: Codable {
        let format: String
        let first: AuditHead
        let second: AuditHead
        let path: [Data]
    }

    private static let format = "firelite-audit-consistency-1"

    /// The proof as JSON; hashes are base64.
    public var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(Content(format: Self.format, first: first, second: second, path: path.map { Data($0) }))
        }
    }

    /// Reads a proof without verifying it.
    ///
    /// - Throws: `AuditError.invalidProof` if it is not a proof.
    public init(json: Data) throws {
        guard let content = try? JSONDecoder().decode(Content.self, from: json), content.format == Self.format else {
            throw AuditError(.invalidProof, "this is not the proof that an audit trail only grew")
        }
        self.init(first: content.first, second: content.second, path: content.path.map { Array($0) })
    }
}
