import FireLiteKnowledge
import FireLiteService

/// Checks resources by the profiles and terminologies of packages and of a store.
public struct ProfileValidator: ContentValidator {
    private let validator: FHIRValidator

    /// Makes a validator.
    ///
    /// - Parameter knowledge: the definitions of packages, of the release of the service.
    public init(knowledge: Knowledge) { validator = FHIRValidator(knowledge: knowledge) }

    /// What is wrong with a resource.
    public func issues(of resource: FHIRResource, against profiles: [String]) throws -> [ContentIssue] {
        try validator.validate(resource, against: profiles).map { issue in
            ContentIssue(Self.severity(issue.severity), code: issue.issueType, text: issue.message, path: issue.path)
        }
    }

    private static func severity(_ severity: ValidationIssue.Severity) -> ContentIssue.Severity {
        switch severity {
        case .error: .error
        case .warning: .warning
        case .information: .information
        }
    }
}
