/// The comparison that a value begins with.
enum SearchPrefix: String, CaseIterable {
    case eq, ne, gt, lt, ge, le, sa, eb, ap

    /// The comparison and the rest of a value; `eq` if it begins with none.
    static func split(_ text: String) -> (prefix: SearchPrefix, rest: String) {
        guard let prefix = SearchPrefix(rawValue: String(text.prefix(2))) else { return (.eq, text) }
        return (prefix, String(text.dropFirst(2)))
    }
}
