/// A token of a search: `code`, `system|code`, `|code` or `system|`.
struct SearchToken: Hashable {
    /// The system; nil for any, empty for none.
    let system: String?
    /// The code; nil for any.
    let code: String?

    init(_ text: String) {
        let parts = SearchText.split(text, "|").map(SearchText.plain)
        system = parts.count > 1 ? parts[0] : nil
        let code = parts.count > 1 ? parts.dropFirst().joined(separator: "|") : parts[0]
        self.code = code.isEmpty ? nil : code
    }

    init(system: String?, code: String) { (self.system, self.code) = (system, code) }
}
