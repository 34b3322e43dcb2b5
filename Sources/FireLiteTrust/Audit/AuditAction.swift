/// What was done, with FHIR's codes (`AuditEvent.action`).
public enum AuditAction: String, Sendable, Hashable, Codable, CaseIterable {
    /// A resource was added.
    case create = "C"
    /// A resource was read, or found by a query.
    case read = "R"
    /// A resource was changed.
    case update = "U"
    /// A resource was deleted.
    case delete = "D"
    /// Something else was done, such as an export.
    case execute = "E"
    /// Values of the trail itself were removed. Only `prune(before:)` of ``AuditTrail`` writes it.
    case prune = "P"
}
