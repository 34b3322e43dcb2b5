/// How it ended, with FHIR's codes (`AuditEvent.outcome` of R4).
public enum AuditOutcome: String, Sendable, Hashable, Codable, CaseIterable {
    /// It was done.
    case success = "0"
    /// It was not done, for a reason such as a missing permission.
    case minorFailure = "4"
    /// It was not done, and something is wrong that somebody must mend.
    case seriousFailure = "8"
    /// It was not done, and nothing else can be either.
    case majorFailure = "12"
}
