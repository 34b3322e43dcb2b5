/// An access to a resource, to append to a trail.
public struct AuditAccess: Sendable, Hashable {
    /// The action.
    public var action: AuditAction
    /// FHIR's name of the resource type; nil if the access was not to a resource.
    public var typeName: String?
    /// The resource's id.
    public var id: String?
    /// The number of the resource's version; nil if none was read or written.
    public var version: Int64?
    /// The outcome.
    public var outcome: AuditOutcome

    /// An access.
    public init(
        _ action: AuditAction, _ typeName: String? = nil, id: String? = nil, version: Int64? = nil, outcome: AuditOutcome = .success
    ) {
        self.action = action
        self.typeName = typeName
        self.id = id
        self.version = version
        self.outcome = outcome
    }
}
