import Foundation

/// Whether the text of a narrative is the XHTML that FHIR allows (FHIR, Narrative, txt-1 and txt-2).
enum NarrativeCheck {
    private static let elements: Set<String> = [
        "a", "abbr", "acronym", "b", "big", "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "dd", "dfn", "div", "dl",
        "dt",
        "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "li", "ol", "p", "pre", "q", "samp", "small", "span", "strong", "sub",
        "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "ul", "var", "kbd", "ins", "del", "u", "s", "strike", "center",
        "address", "bdo", "map", "area", "font",
    ]

    /// Whether there is one `div` with allowed elements, closed as they are opened, without scripts, and with some text or an image.
    static func isValid(_ text: String) -> Bool {
        var open: [String] = []
        var hasContent = false
        var hasRoot = false
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            if rest[..<start].contains(where: { !$0.isWhitespace }) {
                if open.isEmpty { return false }
                hasContent = true
            }
            rest = rest[start...]
            if rest.hasPrefix("<!--") {
                guard let end = rest.range(of: "-->") else { return false }
                rest = rest[end.upperBound...]
                continue
            }
            if rest.hasPrefix("<?") || rest.hasPrefix("<!") { return false }
            guard let end = endOfTag(rest) else { return false }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
            guard elements.contains(name), !hasScript(tag) else { return false }
            if tag.hasPrefix("/") {
                guard open.popLast() == name else { return false }
            } else {
                if open.isEmpty {
                    guard name == "div", !hasRoot else { return false }
                    hasRoot = true
                }
                if name == "img" { hasContent = true }
                if !tag.hasSuffix("/") { open.append(name) }
            }
        }
        return hasRoot && open.isEmpty && hasContent && rest.allSatisfy(\.isWhitespace)
    }

    /// The end of a tag: a `>` outside of quotation marks.
    private static func endOfTag(_ text: Substring) -> Substring.Index? {
        var quote: Character?
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == ">" {
                return index
            }
        }
        return nil
    }

    /// Whether a tag has an attribute for an event, `onclick` for one.
    private static func hasScript(_ tag: Substring) -> Bool {
        tag.split(whereSeparator: \.isWhitespace).dropFirst().contains { $0.lowercased().hasPrefix("on") && $0.contains("=") }
    }
}
