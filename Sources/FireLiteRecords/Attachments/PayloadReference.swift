import FireLite
import FireLiteCrypto
import Foundation

/// What a resource has instead of a payload that is kept apart: `blob:sha256:HEX;BYTES`, or `blob:hmac-sha256:HEX;BYTES` for one that is sealed. It is not
/// base64, whose characters do not include `:`.
///
/// ```swift
/// let reference = document.content[0].attachment?.data.flatMap { PayloadReference($0) }
/// ```
public struct PayloadReference: Sendable, Hashable, CustomStringConvertible {
    /// The SHA-256 of what is stored, 32 bytes; of a sealed payload a keyed hash, which shows nothing of it.
    public let hash: Data
    /// The number of bytes stored.
    public let byteCount: Int
    /// Whether the text of the element is stored instead of the bytes that it encodes, as encoding those again would write another text.
    public let isLiteral: Bool
    /// Whether the payload is sealed: see ``RecordEncryption``.
    public let isSealed: Bool

    init(hash: Data, byteCount: Int, isLiteral: Bool, isSealed: Bool) {
        self.hash = hash
        self.byteCount = byteCount
        self.isLiteral = isLiteral
        self.isSealed = isSealed
    }

    /// The reference in the text of an element; nil if the text is none.
    ///
    /// - Parameter text: the element's `data`.
    public init?(_ text: String) {
        guard let parts = PayloadText(text) else { return nil }
        self.init(hash: Data(parts.hash), byteCount: parts.byteCount, isLiteral: parts.isLiteral, isSealed: parts.isSealed)
    }

    /// The SHA-256 of a payload.
    package static func hash(of bytes: Data) -> Data { HashAlgorithm.sha256.digest(of: bytes) }

    public var description: String {
        PayloadText.text(digits: hash.hexText, byteCount: byteCount, isLiteral: isLiteral, isSealed: isSealed)
    }
}

extension Data {
    /// Digits in lower case only.
    init?(hex: Substring) {
        guard !hex.utf8.contains(where: { 65...70 ~= $0 }), let data = Hexadecimal.bytes(hex) else { return nil }
        self = data
    }
}
