/// The value set an element's codes come from.
struct BindingDefinition: Sendable, Equatable {
    enum Strength: String, Sendable, CaseIterable {
        case required, extensible, preferred, example
    }

    var strength: Strength
    /// Canonical URL without version; `nil` where the definition describes the value set in words only.
    var valueSet: String?
    /// The binding's own name (extension `elementdefinition-bindingName`).
    var name: String?
}
