/// A view to generate: of a profile, or of an element or a slice in one.
struct ViewPlan: Sendable {
    /// Its own name, and that with the names of the views it is in.
    var name: String
    var qualifiedName: String
    /// The class of its objects.
    var className: String
    /// FHIR's name of the class.
    var classPath: String
    var isResource: Bool
    /// The element's id in the profile.
    var elementID: String
    var title: String
    var url: String
    /// How a nested view finds its rules: `USCorePatient._rule._at("identifier")`; empty for a profile.
    var ruleExpression: String
    var members: [ViewMember] = []
    var choices: [ViewChoice] = []
    var nested: [ViewPlan] = []
    /// Slices without a property, and why.
    var left: [(id: String, reason: String)] = []

    /// Whether it shows nothing that its class does not.
    var isPlain: Bool { members.isEmpty && nested.isEmpty }

    /// What creation asks for.
    var parameters: [ViewMember] { members.filter(\.isParameter) }
}

/// A property of a view.
struct ViewMember: Sendable {
    enum Kind: Sendable { case required, optional, list }

    /// Where its values are.
    enum Place: Sendable {
        /// A property of the object.
        case property
        /// The first item of a list of which the profile allows one.
        case firstItem
        /// The items of a slice.
        case slice(key: String)
        /// The values of extensions that have nothing else: a property of the extension.
        case extensionValue(key: String, member: String)
        /// A choice element with an enum of the view's.
        case choice
        /// A property with a resource of any type, of which the profile allows one.
        case resource(className: String)
    }

    var name: String
    var elementID: String
    /// The cardinality in the profile.
    var cardinality: String
    var kind: Kind
    /// The Swift type of one value.
    var type: String
    /// Whether a value is a view, whose object is stored.
    var isView: Bool
    /// The property of the class that has it.
    var property: String
    var place: Place
    /// Whether creation asks for it.
    var isParameter = false
    /// Whether the view has a property of its own for it; otherwise the class's shows through.
    var isDeclared = true
    /// Whether queries have a path for it, and whether that leads to primitives.
    var hasPath = false
    var isPrimitive = false
    /// The element's name in JSON, `valueQuantity`; of the value of an extension, that of the value.
    var elementName = ""

    var swiftType: String {
        switch kind {
        case .required: type
        case .optional: "\(type)?"
        case .list: "[\(type)]"
        }
    }
}

/// The enum of a choice element of which a profile leaves several types.
struct ViewChoice: Sendable {
    struct Case: Sendable {
        var name: String
        var type: String
        var property: String
    }

    var name: String
    var property: String
    var elementID: String
    var cases: [Case]
}
