/// A search parameter: a name for expressions on one or more types.
struct SearchDefinition: Sendable {
    /// The types of search parameters.
    enum Kind: String, Sendable, CaseIterable {
        case string, token, date, number, quantity, reference, uri, composite, special
    }

    /// A part of a composite parameter.
    struct Component: Sendable {
        /// The URL of the parameter that defines the part.
        let definition: String
        /// From an element of the composite's expression.
        let expression: String
    }

    /// Its canonical URL.
    let url: String
    /// Its name in a search.
    let code: String
    let kind: Kind
    /// The types that it applies to, abstract ones too.
    let bases: [String]
    /// FHIRPath; nil for parameters without one, as `_text`.
    let expression: String?
    /// The types that a reference points to; empty if they are not stated.
    let targets: [String]
    let components: [Component]
}
