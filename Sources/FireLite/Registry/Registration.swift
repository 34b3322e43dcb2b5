import FireLiteCore

/// What the store knows about a resource apart from its content: its row of `_resource`.
struct Registration {
    /// The number of the resource, a part of its rows' keys.
    var root: Int64
    /// The number of its shape, the set of tables that its rows are in.
    var shape: Int64
    /// The number of times its content was stored, from 1.
    var revision: Int64
    /// The first unused number of its rows.
    var nodes: UInt32
    /// The digest of its content.
    var digest: ContentDigest.Value
    /// Its pk, if it was given one.
    var pk: String?
}
