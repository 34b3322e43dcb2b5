/// The type and id of a record.
public struct RecordKey: Sendable, Hashable {
    /// FHIR's name of the resource type.
    public let typeName: String
    /// The logical id.
    public let id: String

    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    public init(_ typeName: String, id: String) {
        self.typeName = typeName
        self.id = id
    }
}
