import FireLite
import FireLiteCore

/// What follows the colon of a parameter's name and changes how its value is compared (FHIR, Search, Modifiers).
///
/// A new one has a line in `rules`, and a case in the matcher of each type of parameters that it applies to.
enum SearchModifier: Hashable, Sendable {
    case missing, exact, contains, text, not, ofType, isIn, notIn, above, below, identifier
    /// The type that references are to: `subject:Patient`.
    case type(String)

    /// The names of a modifier, and the types of parameters that it applies to. `:ofType` was the name of `:of-type` in
    /// drafts of R4.
    static let rules: [(modifier: SearchModifier, names: [String], kinds: Set<SearchDefinition.Kind>)] = [
        (.missing, ["missing"], Set(SearchDefinition.Kind.allCases)),
        (.exact, ["exact"], [.string]),
        (.contains, ["contains"], [.string, .uri]),
        (.text, ["text"], [.string, .token, .reference]),
        (.not, ["not"], [.token]),
        (.ofType, ["of-type", "ofType"], [.token]),
        (.isIn, ["in"], [.token]),
        (.notIn, ["not-in"], [.token]),
        (.above, ["above"], [.token, .uri, .reference]),
        (.below, ["below"], [.token, .uri, .reference]),
        (.identifier, ["identifier"], [.reference]),
    ]

    /// The modifier in a parameter's name.
    ///
    /// - Throws: `SearchError` for one that is unknown, or that does not apply to parameters of the type.
    init(_ text: String, for kind: SearchDefinition.Kind, _ release: FHIRRelease, in name: String) throws {
        if let rule = Self.rules.first(where: { $0.names.contains(text) && $0.kinds.contains(kind) }) {
            self = rule.modifier
        } else if kind == .reference, release.hasResourceType(named: text) {
            self = .type(text)
        } else {
            let others = Self.names(for: kind).map { ":\($0)" } + (kind == .reference ? ["a resource type"] : [])
            let words = Self.names(for: kind) + (kind == .reference ? release.resourceTypeNames : [])
            let hint = NearWords.nearest(to: text, among: words).map { "did you mean :\($0)? " } ?? ""
            throw SearchError(
                .notSupported, "the modifier :\(text) does not apply to \(kind.article): \(hint)use \(others.joined(separator: ", "))",
                in: name)
        }
    }

    /// The modifiers of a type of parameters, by their first names.
    static func names(for kind: SearchDefinition.Kind) -> [String] {
        rules.filter { $0.kinds.contains(kind) }.compactMap(\.names.first)
    }

    /// The type that a step of a chain leads to: `subject:Patient.name`. Nil if it states none.
    ///
    /// - Throws: `SearchError` for another word.
    static func target(_ text: String?, _ release: FHIRRelease, in name: String) throws -> String? {
        guard let text, !release.hasResourceType(named: text) else { return text }
        let hint = NearWords.hint(for: text, among: release.resourceTypeNames)
        throw SearchError(.unknownType, "'\(text)' is not a resource type of FHIR \(release.name)\(hint)", in: name)
    }
}

extension SearchDefinition.Kind {
    /// The type in a sentence.
    fileprivate var article: String { self == .uri ? "a URI" : "a \(rawValue) parameter" }
}
