import FireLite
import FireLiteCrypto
import Foundation

/// The reference that replaces a separate payload in its resource: `blob:sha256:HEX;BYTES`, or `blob:hmac-sha256:HEX;BYTES` for a sealed
/// one. It cannot be base64, which contains no `:`.
///
/// ```swift
/// let reference = document.content[0].attachment?.data.flatMap { PayloadReference($0) }
/// ```
public struct PayloadReference: Sendable, Hashable, CustomStringConvertible {
    /// The SHA-256 of the stored bytes, 32 bytes; of a sealed payload a keyed hash, which reveals nothing of it.
    public let hash: Data
    /// The number of stored bytes.
    public let byteCount: Int
    /// Whether the text of the element is stored instead of its bytes, because encoding the bytes would give another text.
    public let isLiteral: Bool
    /// Whether the payload is sealed: see ``RecordEncryption``.
    public let isSealed: Bool

    init(hash: Data, byteCount: Int, isLiteral: Bool, isSealed: Bool) {
        self.hash = hash
        self.byteCount = byteCount
        self.isLiteral = isLiteral
        self.isSealed = isSealed
    }

    /// The reference in the text of an element; nil if the text is not a reference.
    ///
    /// - Parameter text: the element's `data`.
    public init?(_ text: String) {
        guard let parts = PayloadText(text) else { return nil }
        self.init(parts)
    }

    init(_ parts: PayloadText) {
        self.init(hash: Data(parts.hash), byteCount: parts.byteCount, isLiteral: parts.isLiteral, isSealed: parts.isSealed)
    }

    /// The SHA-256 of a payload.
    package static func hash(of bytes: Data) -> Data { HashAlgorithm.sha256.digest(of: bytes) }

    /// The text that a resource has instead of the payload.
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
