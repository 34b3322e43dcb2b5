/// One access to a resource, to be appended to a trail.
public struct AuditAccess: Sendable, Hashable {
    /// What was done.
    public var action: AuditAction
    /// FHIR's name of the resource type; nil if it was no resource.
    public var typeName: String?
    /// The resource's id.
    public var id: String?
    /// The number of the resource's version; nil if none was read or written.
    public var version: Int64?
    /// How it ended.
    public var outcome: AuditOutcome

    /// An access.
    ///
    /// - Parameters:
    ///   - action: what was done.
    ///   - typeName: FHIR's name of the resource type. Default: none.
    ///   - id: the resource's id. Default: none.
    ///   - version: the number of the resource's version. Default: none.
    ///   - outcome: how it ended. Default: success.
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
