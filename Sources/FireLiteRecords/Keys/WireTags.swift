import FireLiteCrypto
import Foundation

/// The form of tags in a ``WireRecord``.
public struct WireTags: Sendable {
    /// A key of AES-CBC; nil for keyed hashes.
    private let key: SecretData?

    /// A keyed hash (HMAC-SHA-256) of each tag with the keyring's key: it allows a search for a tag but does not reveal it.
    public static let keyed = WireTags(key: nil)

    /// The form of earlier services: each tag is encrypted with AES-CBC without a random start, so equal tags look equal, and changes go
    /// unnoticed. Use it only if a service requires it.
    ///
    /// - Parameter key: the tag key, 32 bytes.
    /// - Throws: ``RecordError/Code/invalidArgument`` for another number of bytes.
    public static func legacy(key: Secret) throws -> WireTags {
        guard key.data.count == 32 else { throw RecordError(.invalidArgument, "a tag key has 32 bytes") }
        return WireTags(key: key.data)
    }

    /// `key=value`, percent-encoded and in lower case.
    static func tag(_ name: String, _ value: String) -> String {
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-._~")
        return name + "=" + (value.lowercased().addingPercentEncoding(withAllowedCharacters: allowed) ?? "").lowercased()
    }

    /// The value of a tag with a name; nil for others.
    static func value(of tag: String, _ name: String) -> String? {
        tag.hasPrefix(name + "=") ? String(tag.dropFirst(name.count + 1)).removingPercentEncoding : nil
    }

    func encrypted(_ tag: String, _ keyring: RecordKeyring) throws -> String {
        guard let key else { return keyring.tagCode(of: tag).base64EncodedString() }
        return try LegacyAESCBC.encrypt(Data(tag.utf8), key: key, vector: Data(count: LegacyAESCBC.vectorByteCount)).base64EncodedString()
    }

    /// The tags as text; none if they are keyed hashes.
    ///
    /// - Throws: ``RecordError/Code/cannotOpen`` for a tag that the key does not decrypt: an annotation could be lost.
    func decrypted(_ texts: [String]) throws -> [String] {
        guard let key else { return [] }
        return try texts.map { text in
            let data = Data(base64Encoded: text).flatMap {
                try? LegacyAESCBC.decrypt($0, key: key, vector: Data(count: LegacyAESCBC.vectorByteCount))
            }
            guard let tag = data.flatMap({ String(data: $0, encoding: .utf8) }), tag.contains("=") else {
                throw RecordError(
                    .cannotOpen,
                    "a tag of the record is not encrypted with this tag key: give the key that it was written with, or receive keyed tags")
            }
            return tag
        }
    }
}
