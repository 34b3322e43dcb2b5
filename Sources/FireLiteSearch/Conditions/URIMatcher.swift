import FireLite

/// The conditions of uri parameters.
struct URIMatcher {
    let modifier: SearchModifier?

    func condition(_ paths: [SearchPath], _ values: [String]) -> Predicate {
        let texts = paths.flatMap { path -> [SearchPath] in
            if case .primitive = path.end { return [path] }
            return [path.child("reference")].compactMap { $0 }
        }
        let plain = values.map(SearchText.plain)
        switch modifier {
        case .contains?: return .or(plain.flatMap { text in texts.map { $0.value(.text(.contains, of: text, .all)) } })
        case .below?:
            return .or(
                plain.flatMap { text in
                    let base = text.hasSuffix("/") ? text : text + "/"
                    return texts.flatMap { [$0.value(.compare(.equal, .text(text))), $0.value(.text(.hasPrefix, base, []))] }
                })
        case .above?:
            let ancestors = plain.flatMap(Self.ancestors).map { SQLValue.text($0) }
            return .or(texts.map { $0.value(.oneOf(ancestors)) })
        default: return .or(texts.map { $0.value(.oneOf(plain.map { .text($0) })) })
        }
    }

    /// A URL and those that it is below, each with and without a slash at its end.
    private static func ancestors(_ url: String) -> [String] {
        var found = [url]
        let start = url.range(of: "://")?.upperBound ?? url.startIndex
        var rest = url[...]
        while let slash = rest.lastIndex(of: "/"), slash >= start {
            found.append(String(rest[...slash]))
            rest = rest[..<slash]
            found.append(String(rest))
        }
        return Array(Set(found)).sorted()
    }
}
