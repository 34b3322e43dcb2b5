/// How many resources of a type a store holds.
public struct TypeCount: Sendable, Hashable {
    /// FHIR's name of the resource type: `Patient`.
    public let typeName: String
    /// The number of resources; contained ones do not count.
    public let count: Int
}
