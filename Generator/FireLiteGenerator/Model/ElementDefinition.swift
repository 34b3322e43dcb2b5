/// An element of a type or of a backbone element.
struct ElementDefinition: Sendable {
    /// Name without `[x]`.
    var name: String
    /// Whether its definition's name ends in `[x]`: one of several types.
    var isChoice: Bool
    var cardinality: Cardinality
    var types: ElementTypes
    var binding: BindingDefinition?
    /// Where it was read.
    var location: SourceLocation

    /// The name as definitions have it, `value[x]` for a choice.
    var definedName: String { isChoice ? name + "[x]" : name }
}
