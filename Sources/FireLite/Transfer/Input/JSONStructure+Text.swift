import Foundation

extension JSONStructure {
    /// The last member name or string value, unescaped; nil if an escape is invalid.
    var plainText: String? {
        guard textHasEscapes else { return String(decoding: text, as: UTF8.self) }
        let literal = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
        // Only escapes can be invalid, and the reader of the whole text reports them with their place; here they match no known text.
        return try? JSONDecoder().decode(String.self, from: Data(literal))
    }

    /// Whether the last member name or string value is this one.
    func isText(_ wanted: String) -> Bool {
        if !textHasEscapes { return text.elementsEqual(wanted.utf8) }
        return plainText == wanted
    }
}
