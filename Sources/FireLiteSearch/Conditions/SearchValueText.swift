import FireLiteCore

/// The parts of a parameter's name: `subject:Patient.name:exact`.
struct SearchParameterName {
    /// The code of the parameter.
    let code: String
    /// What follows the first colon: a modifier, or the type in a chain.
    let modifier: String?
    /// What follows a reference: the rest of a chain.
    let chain: String?

    init(_ name: String) {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }) else {
            (code, modifier, chain) = (name, nil, nil)
            return
        }
        let dot = name.firstIndex(of: ".")
        let head = dot.map { name[..<$0] } ?? name[...]
        chain = dot.map { String(name[name.index(after: $0)...]) }
        let parts = head.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        code = String(parts[0])
        modifier = parts.count > 1 ? String(parts[1]) : nil
    }
}

/// The comparison that a value begins with.
enum SearchPrefix: String, CaseIterable {
    case eq, ne, gt, lt, ge, le, sa, eb, ap

    /// The comparison and the rest of a value; `eq` if it begins with none.
    static func split(_ text: String) -> (prefix: SearchPrefix, rest: String) {
        guard let prefix = SearchPrefix(rawValue: String(text.prefix(2))) else { return (.eq, text) }
        return (prefix, String(text.dropFirst(2)))
    }
}

/// A token of a search: `code`, `system|code`, `|code` or `system|`.
struct SearchToken: Hashable {
    /// The system; nil for any, empty for none.
    let system: String?
    /// The code; nil for any.
    let code: String?

    init(_ text: String) {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: "\\") }) else {
            (system, code) = (nil, text.isEmpty ? nil : text)
            return
        }
        let parts = SearchText.split(text, "|").map(SearchText.plain)
        system = parts.count > 1 ? parts[0] : nil
        let code = parts.count > 1 ? parts.dropFirst().joined(separator: "|") : parts[0]
        self.code = code.isEmpty ? nil : code
    }

    init(system: String?, code: String) { (self.system, self.code) = (system, code) }

    // By bytes, as the store compares them.
    private var key: [ExactText?] { [system.map { ExactText($0) }, code.map { ExactText($0) }] }

    static func == (left: SearchToken, right: SearchToken) -> Bool { left.key == right.key }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
