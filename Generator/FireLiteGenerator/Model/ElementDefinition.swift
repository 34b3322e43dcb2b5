/// An element of a type or of a backbone element.
struct ElementDefinition: Sendable {
    /// Name without `[x]`.
    var name: String
    /// Whether its definition's name ends in `[x]`: one of several types.
    var isChoice: Bool
    var cardinality: Cardinality
    var types: ElementTypes
    var binding: BindingDefinition?
    /// Whether a value can change the meaning of what contains it.
    var isModifier = false
    /// Whether it is part of a resource's summary.
    var isSummary = false
    /// Invariants of this element, without those of its types.
    var constraints: [ConstraintDefinition] = []
    /// Where it was read.
    var location: SourceLocation

    /// The name as definitions have it, `value[x]` for a choice.
    var definedName: String { isChoice ? name + "[x]" : name }
}
