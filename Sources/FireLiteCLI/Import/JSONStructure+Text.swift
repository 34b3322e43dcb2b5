import Foundation

extension JSONStructure {
    /// The last member name or string value without its escapes; nil where those are wrong.
    var plainText: String? {
        guard textHasEscapes else { return String(decoding: text, as: UTF8.self) }
        let literal = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
        // Escapes are all that can be wrong, and the reader of the whole text says so with their place; here they are no text that is known.
        return try? JSONDecoder().decode(String.self, from: Data(literal))
    }

    /// Whether the last member name or string value is this one.
    func isText(_ wanted: String) -> Bool {
        if !textHasEscapes { return text.elementsEqual(wanted.utf8) }
        return plainText == wanted
    }
}
