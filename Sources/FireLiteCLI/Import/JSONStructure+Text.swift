import Foundation

extension JSONStructure {
    /// The last member name or string value without its escapes; nil where those are wrong.
    var plainText: String? {
        guard textHasEscapes else { return String(decoding: text, as: UTF8.self) }
        let literal = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
        return try? JSONDecoder().decode(String.self, from: Data(literal))
    }

    /// Whether the last member name or string value is this one.
    func isText(_ wanted: String) -> Bool {
        if !textHasEscapes { return text.elementsEqual(wanted.utf8) }
        return plainText == wanted
    }
}
