/// A word, a phrase, or the beginning of a word (`jos*`) that a full-text index is asked for.
package struct FullTextTerm: Sendable, Hashable {
    /// The term in the syntax of FTS5 (<https://www.sqlite.org/fts5.html#full_text_query_syntax>), as one quoted string.
    package let expression: String

    /// Takes apart `jos* "peter james"` into its terms. Quotation marks hold a phrase together; no other sign is special.
    package static func terms(_ text: String) -> [FullTextTerm] {
        var terms: [FullTextTerm] = []
        var word = String.UnicodeScalarView()
        var isQuoted = false
        func end(_ isPrefix: Bool) {
            defer { word = .init() }
            guard !word.isEmpty else { return }
            terms.append(FullTextTerm(expression: "\"\(String(word))\"" + (isPrefix ? "*" : "")))
        }
        // By scalars, as FTS5 reads them: a quotation mark with an accent on it is one all the same.
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
