/// A resource that cannot be read or verified, with the reason.
public struct UnreadableResource: Sendable {
    /// Its type; nil if that cannot be read.
    public let typeName: String?
    /// Its logical id; nil if that cannot be read, or if it has none.
    public let id: String?
    /// Its number in the store (`_resource.root`).
    public let number: Int64
    /// The reason, with the unreadable tables, without values.
    public let reason: String
}
