import Foundation

/// A password, token or key: text or bytes that no description, dump or error shows.
///
/// ```swift
/// let token = Secret(text)
/// var configuration = FHIRStore.Configuration()
/// configuration.key = Secret(bytes)
/// ```
/// It holds one copy of the bytes, which is overwritten when the last copy of the value is released. The text or bytes that it was made
/// from, and those that ``value`` and ``bytes`` return, are the caller's to wipe.
public struct Secret: Sendable {
    package let data: SecretData

    /// Hides a text.
    public init(_ value: String) { data = SecretData(value.utf8) }

    /// Hides bytes. All of them count, including a line break at the end.
    public init(_ bytes: some Sequence<UInt8>) { data = SecretData(bytes) }

    package init(_ data: SecretData) { self.data = data }

    /// The text. Bytes that are not UTF-8 are replaced; read ``bytes`` for those.
    public var value: String { data.withBytes { String(decoding: $0, as: UTF8.self) } }

    /// The bytes; of a text, its UTF-8.
    public var bytes: Data { data.withBytes { Data($0) } }

    /// Whether it consists of visible marks of ASCII and is not empty, as tokens do.
    package var isToken: Bool { data.withBytes { !$0.isEmpty && $0.allSatisfy { 0x21...0x7E ~= $0 } } }
}

extension Secret: Hashable {
    /// Whether both have the same bytes, compared in constant time.
    public static func == (left: Secret, right: Secret) -> Bool { left.data.isEqual(to: right.data) }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { data.withBytes { hasher.combine(bytes: $0) } }
}

extension Secret: ExpressibleByStringLiteral {
    /// Hides a literal, for tests: a secret in an app's code is none.
    public init(stringLiteral value: String) { self.init(value) }
}

extension Secret: Codable {
    /// Decodes a text.
    public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

    /// Encodes the text.
    ///
    /// - Throws: `EncodingError` for bytes that are not UTF-8.
    public func encode(to encoder: any Encoder) throws {
        guard let text = data.withBytes({ String(validating: $0, as: UTF8.self) }) else {
            let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "the secret is not a text")
            throw EncodingError.invalidValue(self, context)
        }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Three dots.
    public var description: String { "•••" }
    /// Three dots.
    public var debugDescription: String { "•••" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
