/// A FHIR type: a primitive, a datatype or a resource.
struct TypeDefinition: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case primitive, datatype, resource
    }

    var name: String
    var kind: Kind
    var isAbstract: Bool
    /// Name of the type it derives from; `nil` for a root.
    var base: String?
    /// Canonical URL.
    var url: String
    /// Own elements in definition order, without the inherited ones. A primitive has none.
    var elements: [ElementDefinition] = []
    /// Backbone elements at any depth, a parent before its children.
    var backbones: [BackboneDefinition] = []
    /// Invariants of the type as a whole, without the inherited ones.
    var constraints: [ConstraintDefinition] = []
    /// Canonical URL of the profile that narrowed its elements; empty if none did.
    var profile = ""
    /// Where it was read.
    var location: SourceLocation
}
