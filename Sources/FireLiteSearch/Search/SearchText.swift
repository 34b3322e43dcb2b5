/// Parses parameter values. A backslash before a comma, bar, dollar sign or backslash makes it part of the text.
enum SearchText {
    /// The parts between separators that are not escaped, with their escapes.
    static func split(_ text: String, _ separator: Character) -> [String] {
        if let byte = separator.asciiValue, !text.utf8.contains(UInt8(ascii: "\\")) {
            return text.utf8.split(separator: byte, omittingEmptySubsequences: false).map { String(Substring($0)) }
        }
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == separator {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
                isEscaped = character == "\\"
            }
        }
        return parts
    }

    /// The text without escapes.
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var result = ""
        var isEscaped = false
        for character in text {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else {
                if isEscaped, !"\\,|$".contains(character) { result.append("\\") }
                result.append(character)
                isEscaped = false
            }
        }
        return isEscaped ? result + "\\" : result
    }

    /// The alternatives of a value, with their escapes, without empty ones.
    static func alternatives(_ text: String) -> [String] {
        // Most values have none, and a comma that is escaped is one, too.
        guard text.utf8.contains(UInt8(ascii: ",")) else { return text.isEmpty ? [] : [text] }
        return split(text, ",").filter { !$0.isEmpty }
    }
}
