/// A word, a phrase, or the beginning of a word (`jos*`) to search for in a full-text index.
package struct FullTextTerm: Sendable, Hashable {
    /// The term in the syntax of FTS5 (<https://www.sqlite.org/fts5.html#full_text_query_syntax>), as one quoted string.
    package let expression: String

    /// Splits `jos* "peter james"` into its terms. Quotation marks enclose a phrase; no other character is special.
    package static func terms(_ text: String) -> [FullTextTerm] {
        var terms: [FullTextTerm] = []
        var word = String.UnicodeScalarView()
        var isQuoted = false
        func end(_ isPrefix: Bool) {
            defer { word = .init() }
            guard !word.isEmpty else { return }
            terms.append(FullTextTerm(expression: "\"\(String(word))\"" + (isPrefix ? "*" : "")))
        }
        // By scalars, as FTS5 reads them: a quotation mark with an accent is still a quotation mark.
        var characters = text.unicodeScalars[...]
        while let character = characters.popFirst() {
            if character == "\"" {
                isQuoted.toggle()
                if !isQuoted, characters.first == "*" {
                    characters.removeFirst()
                    end(true)
                } else {
                    end(false)
                }
            } else if character.properties.isWhitespace, !isQuoted {
                end(false)
            } else if character == "*", !isQuoted, characters.first?.properties.isWhitespace ?? true {
                end(true)
            } else if character != "\u{0}" {
                word.append(character)
            }
        }
        end(false)
        return terms
    }
}
