/// A record without its content: all that is left of a deleted one.
public struct RecordSummary: Sendable, Hashable {
    /// FHIR's name of the resource type; the form of app data.
    public let typeName: String
    /// The logical id.
    public let id: String
    /// When it was created and updated, and its status.
    public let metadata: RecordMetadata
    /// The annotations, sorted.
    public let annotations: [String]
    /// Whether content is sealed with a key of its own.
    public let isSealed: Bool
}
