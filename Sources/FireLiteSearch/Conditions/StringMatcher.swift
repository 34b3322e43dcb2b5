import FireLite

/// The conditions of string parameters: the beginning of a text, ignoring case and accents.
struct StringMatcher {
    let modifier: SearchModifier?

    func condition(_ paths: [SearchPath], _ values: [String]) -> Predicate {
        let way: TextOperator
        var folding = TextFolding.all
        switch modifier {
        case .contains?, .text?: way = .contains
        case .exact?: (way, folding) = (.equal, [])
        default: way = .hasPrefix
        }
        let texts = paths.flatMap(Self.texts)
        let plain = values.map(SearchText.plain)
        if way == .equal { return .or(texts.map { $0.value(.oneOf(plain.map { .text($0) })) }) }
        return .or(plain.flatMap { text in texts.map { $0.value(.text(way, of: text, folding)) } })
    }

    /// The elements of datatypes that strings are searched in.
    private static let parts = [
        "HumanName": ["family", "given", "text", "prefix", "suffix"],
        "Address": ["city", "line", "state", "country", "postalCode", "district", "text"], "ContactPoint": ["value"],
        "Identifier": ["value"], "CodeableConcept": ["text"], "Coding": ["display"], "Reference": ["display"], "Annotation": ["text"],
    ]

    /// The texts at a path's end.
    static func texts(_ path: SearchPath) -> [SearchPath] {
        switch path.end {
        case .primitive(let type): return type.storage == .text ? [path] : []
        case .object(let layout):
            let texts = (parts[layout.name] ?? []).compactMap { path.child($0) }
            if layout.name == "CodeableConcept", let display = path.child("coding")?.child("display") { return texts + [display] }
            return texts
        case .resource: return []
        }
    }
}
