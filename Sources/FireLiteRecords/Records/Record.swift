import FireLiteCore

/// A resource of the store with its metadata and annotations.
public struct Record<Resource: FHIRResource> {
    /// The resource: the store's object, or the opened copy of a sealed one, whose changes are stored by `update`.
    public let resource: Resource
    /// When it was created and updated, and its status.
    public let metadata: RecordMetadata
    /// The annotations, sorted.
    public let annotations: [String]

    /// The resource's logical id.
    public var id: String { resource.id ?? "" }
}
