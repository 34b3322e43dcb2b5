/// The languages in which somebody wants names, as `displayLanguage` and the HTTP header `Accept-Language` have them (RFC 9110, RFC 4647).
struct LanguagePreferences: Sendable {
    private struct Range: Sendable {
        let tag: String
        let weight: Double
    }

    private let ranges: [Range]
    /// As given, with a space after each comma.
    let text: String

    /// - Returns: nil if the text names no language.
    init?(_ text: String) {
        let parts = text.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
        guard !parts.isEmpty else { return nil }
        self.text = parts.joined(separator: ", ")
        let ranges = parts.map { part in
            let fields = part.split(separator: ";").map { $0.trimmed }
            let weight = fields.dropFirst().lazy.compactMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil }.first
            return Range(tag: fields[0].lowercased(), weight: weight ?? 1)
        }
        // The order is stable: of the same weight, the first is preferred.
        self.ranges = ranges.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element)
    }

    /// Whether names in other languages are unwanted: `*;q=0`.
    var excludesOthers: Bool { ranges.contains { $0.tag == "*" && $0.weight == 0 } }

    /// The tags that are wanted, the preferred ones first.
    var wanted: [String] { ranges.filter { $0.weight > 0 && $0.tag != "*" }.map(\.tag) }

    /// Whether a language is among those wanted.
    func accepts(_ language: String) -> Bool { wanted.contains { Self.closeness(language, $0) != nil } }

    /// How well a language fits a wanted one: 0 is best; nil if it does not.
    static func closeness(_ language: String, _ wanted: String) -> Int? {
        let language = language.lowercased()
        if language == wanted { return 0 }
        if language.hasPrefix(wanted + "-") { return 1 }
        return wanted.hasPrefix(language + "-") ? 2 : nil
    }
}
