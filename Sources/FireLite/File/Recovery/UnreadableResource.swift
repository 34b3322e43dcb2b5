/// A resource of a store that cannot be read, or not for certain, and why.
public struct UnreadableResource: Sendable {
    /// Its type; nil where that cannot be read.
    public let typeName: String?
    /// Its logical id; nil where that cannot be read, or it has none.
    public let id: String?
    /// Its number in the store (`_resource.root`).
    public let number: Int64
    /// Why it is listed, with the tables that cannot be read; no values.
    public let reason: String
}
