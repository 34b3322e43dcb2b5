import FireLiteKnowledge
import FireLiteService

/// Checks resources by the profiles and terminologies of packages and of a store.
public struct ProfileValidator: ContentValidator {
    private let validator: FHIRValidator
    private let undecided: StoreValidation.Undecided

    /// Makes a validator.
    ///
    /// - Parameters:
    ///   - knowledge: the definitions of packages, of the release of the service.
    ///   - undecided: what a service that stores only valid resources does with one about which something could not be decided. Default: it is refused,
    ///     unless it is a code.
    public init(knowledge: Knowledge, undecided: StoreValidation.Undecided = .codesAccepted) {
        validator = FHIRValidator(knowledge: knowledge)
        self.undecided = undecided
    }

    /// What is wrong with a resource.
    public func issues(of resource: FHIRResource, against profiles: [String]) throws -> [ContentIssue] {
        try validator.validate(resource, against: profiles).map { issue in
            var content = ContentIssue(issue)
            content.isUndecided = issue.severity != .error && undecided.refuses(issue)
            return content
        }
    }
}

extension ContentIssue {
    fileprivate init(_ issue: ValidationIssue) {
        let severity: Severity =
            switch issue.severity {
            case .error: .error
            case .warning: .warning
            case .information: .information
            }
        self.init(severity, code: issue.issueType, text: issue.message, path: issue.path)
    }
}

/// Clients get the issues of resources that a store with validation refuses.
extension ValidationFailure: @retroactive ContentRefusal {
    /// The issues of all resources that are not valid.
    public var contentIssues: [ContentIssue] { resources.flatMap { resource in resource.issues.map { ContentIssue($0) } } }
}
