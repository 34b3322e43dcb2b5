/// The characters FHIR's names, URLs and codes are made of.
///
/// What reaches generated code is checked against these, so that no input can break out of a comment or a literal.
enum Identifier {
    /// Whether a text can be the name of a type: a letter, then letters and digits.
    static func isTypeName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    /// Whether a text can be the name of an element, without `[x]`: a letter, then letters and digits, or that of DSTU2's comments.
    static func isElementName(_ text: some StringProtocol) -> Bool { isTypeName(text) || text == JSONComments.elementName }

    /// Whether a text can be a name in Swift, perhaps in backticks: ASCII letters, digits and underscores.
    static func isSwiftName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) || first == UInt8(ascii: "_") else { return false }
        let hasLetter = text.utf8.contains { isLetter($0) }
        return hasLetter && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether a text can be the path of an element: a type's name and at least one element's.
    static func isPath(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { isTypeName($0) }
    }

    /// Whether a text is one word of visible ASCII characters, as URLs and versions are.
    static func isWord(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Whether a text is one line without control characters, and without spaces around it, as codes are.
    static func isLine(_ text: some StringProtocol) -> Bool {
        let isControlled = text.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
        }
        return !text.isEmpty && !isControlled && text.first != " " && text.last != " "
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
