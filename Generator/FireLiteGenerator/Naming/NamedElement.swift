/// An element of a class to generate.
struct NamedElement: Sendable {
    /// The property with the enum of a choice element.
    struct Choice: Sendable {
        var name: String
        var enumName: String
    }

    var definition: ElementDefinition
    /// FHIR's path with `[x]` for a choice.
    var path: String
    /// Number of its first slot.
    var slot: Int
    /// One for each type, in the types' order.
    var members: [NamedMember]
    /// `nil` unless it is a choice element.
    var choice: Choice?
    /// The code struct of its required binding, if its codes are known.
    var codesName: String?
    /// Whether it has accessors; `Resource.id` has the runtime's.
    var isInherited: Bool
}

/// A property over one slot.
struct NamedMember: Sendable {
    var name: String
    /// FHIR's name of the type, or a path.
    var typeName: String
    /// Type of the value, without optional or list.
    var swiftType: String
    var accessor: Accessor
    var slot: Int
}
