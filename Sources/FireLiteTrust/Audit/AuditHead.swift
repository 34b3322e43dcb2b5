import FireLiteCrypto
import Foundation

/// The state of a trail after a commit, signed: the number of its rows and the root of the tree over them.
///
/// Keep heads outside the file: without them, a trail whose end was cut off looks like a shorter trail. Text and JSON represent a head by
/// its ``token``.
public struct AuditHead: Sendable, Hashable, CustomStringConvertible {
    /// The signed head: a JWS in compact form (RFC 7515).
    public let token: String
    /// The id of the trail, random.
    public let trail: String
    /// The number of the head, from 1 without gaps.
    public let number: Int64
    /// The number of rows.
    public let size: Int64
    /// When it was signed, in milliseconds since 1970.
    let milliseconds: Int64
    /// The root of the tree over the rows (RFC 6962), 32 bytes.
    public let root: [UInt8]
    /// The SHA-256 of the token of the head before it, as base64url; nil for the first.
    let previous: String?

    /// When it was signed, by the clock of the device.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// Reads the head of a token without verifying its signature.
    ///
    /// - Throws: `AuditError.invalidProof` if it is not a head.
    public init(token: String) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count < 4_096, let payload = Data(base64URL: parts[1]),
            let content = try? JSONDecoder().decode(AuditHeadContent.self, from: payload),
            let root = Data(base64URL: content.root), root.count == MerkleTree.hashLength, content.number > 0, content.size >= 0
        else { throw AuditError(.invalidProof, "this is not the head of an audit trail: give it as it was handed out") }
        self.token = token
        trail = content.trail
        number = content.number
        size = content.size
        milliseconds = content.at
        self.root = Array(root)
        previous = content.previous
    }

    /// The head of a content that was just signed.
    init(token: String, _ content: AuditHeadContent, root: [UInt8]) {
        self.token = token
        trail = content.trail
        number = content.number
        size = content.size
        milliseconds = content.at
        self.root = root
        previous = content.previous
    }

    /// The SHA-256 of the token, as the next head names it.
    var digest: String { HashAlgorithm.sha256.digest(of: Data(token.utf8)).base64URL }

    /// The number and the size.
    public var description: String { "head \(number) of \(size) rows" }
}

extension AuditHead: Codable {
    /// Reads a head from its token.
    ///
    /// - Throws: `AuditError.invalidProof`; `DecodingError`.
    public init(from decoder: any Decoder) throws { try self.init(token: decoder.singleValueContainer().decode(String.self)) }

    /// Writes the token.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(token)
    }
}

/// The signed content of a head.
struct AuditHeadContent: Codable {
    let trail: String
    let number: Int64
    let size: Int64
    let root: String
    let at: Int64
    let previous: String?

    /// The content as JSON, members in this order.
    var json: String {
        // No value needs escaping: they are numbers and base64url.
        #"{"trail":"\#(trail)","number":\#(number),"size":\#(size),"root":"\#(root)","at":\#(at)"#
            + (previous.map { #","previous":"\#($0)""# } ?? "") + "}"
    }
}
