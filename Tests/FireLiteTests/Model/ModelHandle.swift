import FireLite

/// An object that a sequence holds on to, and what it should be.
struct ModelHandle {
    let object: FHIRResource
    /// Which resource of the model it is; nil for one that has been deleted.
    var key: Int?
    var expected: ModelNode
}
