/// A resource that the store should hold.
struct ModelResource {
    let key: Int
    var node: ModelNode
    /// The version the file has, as far as it is known.
    var revision: Int64?
}
