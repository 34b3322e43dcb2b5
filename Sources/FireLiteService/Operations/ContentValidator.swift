import FireLiteCore
import Foundation

/// Checks resources by more than the base definition: by profiles and terminologies.
public protocol ContentValidator: Sendable {
    /// What is wrong with a resource: all that the base definition, the profiles of its `meta.profile` and the given ones say.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - profiles: the canonical addresses of profiles that it must conform to, too. One that is not known is an issue.
    /// - Throws: any error, which the client gets as status 500.
    func issues(of resource: FHIRResource, against profiles: [String]) throws -> [ContentIssue]
}

/// What a ``ContentValidator`` found. It contains no values of records.
public struct ContentIssue: Sendable, Hashable {
    /// How grave an issue is (FHIR, value set IssueSeverity).
    public enum Severity: String, Sendable, Hashable {
        /// The resource is not valid, and a service that stores only valid resources refuses it.
        case error
        /// The resource is valid, and its author should look at it.
        case warning
        /// A note that finds no fault.
        case information
    }

    /// How grave it is.
    public var severity: Severity
    /// The code of the value set `issue-type`.
    public var code: String
    /// What is wrong.
    public var text: String
    /// The FHIRPath of the element; nil for the whole resource.
    public var path: String?
    /// Whether something could not be decided for which a service that stores only valid resources refuses the resource, although it is no error.
    /// Default: false.
    public var isUndecided = false

    /// An issue.
    ///
    /// - Parameters:
    ///   - severity: how grave it is.
    ///   - code: the code of the value set `issue-type`.
    ///   - text: what is wrong.
    ///   - path: the FHIRPath of the element.
    public init(_ severity: Severity, code: String, text: String, path: String? = nil) {
        self.severity = severity
        self.code = code
        self.text = text
        self.path = path
    }
}

/// An error of a store that refuses resources because they are not valid. A client gets its issues with status 422.
public protocol ContentRefusal: LocalizedError, CustomStringConvertible {
    /// What is wrong with the resources.
    var contentIssues: [ContentIssue] { get }
}
