/// A text that no description shows.
public struct Secret: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself.
    public let value: String

    /// Hides a text.
    public init(_ value: String) { self.value = value }

    /// Hides a literal, for tests: a secret in an app's code is none.
    public init(stringLiteral value: String) { self.value = value }

    public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(String.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    /// Whether it consists of visible marks of ASCII and is not empty, as tokens do.
    package var isToken: Bool { !value.isEmpty && value.utf8.allSatisfy { 0x21...0x7E ~= $0 } }

    /// Three dots.
    public var description: String { "•••" }
    /// Three dots.
    public var debugDescription: String { "•••" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
