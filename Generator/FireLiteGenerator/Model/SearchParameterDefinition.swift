/// A search parameter.
struct SearchParameterDefinition: Sendable {
    /// A part of a composite search parameter.
    struct Component: Sendable, Equatable {
        /// URL of the search parameter that defines the part.
        var definition: String
        /// Relative to the composite's expression.
        var expression: String
    }

    /// Canonical URL.
    var url: String
    /// The name in a search URL (`SearchParameter.code`).
    var name: String
    var type: String
    /// Resources it applies to.
    var bases: [String]
    /// What it selects; `nil` for those a server answers by itself (`_query`, `_content`).
    var selection: DefinitionExpression?
    /// Resources a reference parameter points to.
    var targets: [String] = []
    var components: [Component] = []
}
