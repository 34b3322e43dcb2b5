import FireLiteCore

/// What is kept of a resource beside its content: its row of `_resource`.
struct Registration {
    /// The number of the resource, of which the keys of its rows are made.
    var root: Int64
    /// The number of the set of tables that its rows are in.
    var shape: Int64
    /// How often its content was stored, from 1 on.
    var revision: Int64
    /// The first number that none of its rows ever had.
    var nodes: UInt32
    /// The digest of its content.
    var digest: ContentDigest.Value
    /// Its pk, if it was given one.
    var pk: String?
}
