/// What an option's value or an operand names, so that a shell can complete it.
enum ValueKind: Equatable {
    case file
    case folder
    /// One of these words.
    case choice([String])
    /// The name of a resource type.
    case resourceType
    /// `Type/id`.
    case resource
    /// Anything else, which no shell can know.
    case other
}
