/// What an element consists of.
enum ElementTypes: Sendable {
    /// Types by name, more than one only for a choice element.
    case named([TypeReference])
    /// A backbone element defined right here, by its path.
    case backbone(path: String)
    /// The same content as the backbone element at another path (`ElementDefinition.contentReference`).
    case content(path: String)
}

/// One type of an element.
struct TypeReference: Sendable, Equatable {
    var name: String
    /// Names of the resources a `Reference` or `canonical` may point to; empty when any.
    var targets: [String] = []
}
