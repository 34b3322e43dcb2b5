/// The number of a store's resources of a type.
public struct TypeCount: Sendable, Hashable {
    /// FHIR's name of the resource type: `Patient`.
    public let typeName: String
    /// The number of resources, without contained ones.
    public let count: Int
}
