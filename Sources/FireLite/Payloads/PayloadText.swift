import Foundation

/// The parts of the text that a resource has instead of a payload that is kept apart: `blob:sha256:HEX;BYTES`, or `blob:hmac-sha256:HEX;BYTES` for
/// one that is sealed.
package struct PayloadText: Sendable, Hashable {
    /// The hash in hexadecimal digits, in lower case.
    package let digits: Substring
    /// The number of bytes stored.
    package let byteCount: Int
    /// Whether the text of the element is stored instead of the bytes that it encodes.
    package let isLiteral: Bool
    /// Whether the payload is sealed.
    package let isSealed: Bool

    private static let schemes = [(text: "blob:sha256:", isSealed: false), (text: "blob:hmac-sha256:", isSealed: true)]
    private static let literalMark = ";text"
    /// The texts between these are references, or begin as they do.
    static let lowest = "blob:"
    static let highest = "blob;"

    /// Nil if the text is no such reference.
    package init?(_ text: String) {
        guard text.utf8.count < 120, let scheme = Self.schemes.first(where: { text.hasPrefix($0.text) }) else { return nil }
        var parts = text.dropFirst(scheme.text.count).split(separator: ";", omittingEmptySubsequences: false)
        isLiteral = parts.count == 3 && parts[2] == "text"
        if isLiteral { parts.removeLast() }
        guard parts.count == 2, parts[0].utf8.count == 64, parts[0].utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 }),
            let bytes = Int(parts[1]), bytes >= 0
        else { return nil }
        isSealed = scheme.isSealed
        digits = parts[0]
        byteCount = bytes
        guard Self.text(digits: digits, byteCount: bytes, isLiteral: isLiteral, isSealed: isSealed) == text else { return nil }
    }

    /// The text of a reference.
    package static func text(digits: some StringProtocol, byteCount: Int, isLiteral: Bool, isSealed: Bool) -> String {
        "\(schemes[isSealed ? 1 : 0].text)\(digits);\(byteCount)" + (isLiteral ? literalMark : "")
    }

    /// The bytes of the hash.
    package var hash: [UInt8] {
        let values = digits.utf8.map { $0 < 58 ? $0 - 48 : $0 - 87 }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
