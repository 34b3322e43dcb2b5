import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// Validates resources against FHIR's rules and the profiles of guides.
///
/// ```swift
/// let knowledge = Knowledge(release: .r4)
/// try knowledge.addPackage(at: URL(fileURLWithPath: "us-core-6.1.0.tgz"))
/// let validator = FHIRValidator(knowledge: knowledge)
/// for issue in try validator.validate(patient) where issue.severity == .error { print(issue) }
/// ```
/// It checks what `FHIRObject.validate()` and the constraints of the release check, and the rules for Bundles, Questionnaires and their
/// responses, references, extensions, contained resources, attachments, narratives and terminology resources; then the profiles in `meta.profile`
/// and those that are asked for. It can be used from several threads.
public struct FHIRValidator: Sendable {
    /// The definitions that it uses.
    public let knowledge: Knowledge
    /// The checks in addition to the rules.
    public var options: ValidationOptions
    /// Answers questions about codes; by default a terminology over the definitions of `knowledge`.
    public var codes: any CodeValidator
    /// Computes the SHA-1 digest of content, with which the hashes of attachments are compared. Default: nil; hashes are not compared then, as this module
    /// uses no cryptography.
    ///
    /// ```swift
    /// validator.sha1 = { Data(Insecure.SHA1.hash(data: $0)) }  // of CryptoKit
    /// ```
    public var sha1: (@Sendable (_ content: Data) -> Data)?

    /// Creates a validator.
    ///
    /// - Parameters:
    ///   - knowledge: the definitions; its release is that of the resources.
    ///   - options: what to check in addition to the rules.
    ///   - codes: answers questions about codes; nil for a terminology over the definitions
    ///     that `knowledge` has now.
    public init(knowledge: Knowledge, options: ValidationOptions = ValidationOptions(), codes: (any CodeValidator)? = nil) {
        self.knowledge = knowledge
        self.options = options
        self.codes = codes ?? TerminologyCodes(knowledge)
    }

    /// Validates a resource, and everything in it.
    ///
    /// - Parameters:
    ///   - resource: a resource of the release of `knowledge`.
    ///   - profiles: canonical URLs of profiles that it must conform to, in addition to those in its `meta.profile`.
    /// - Returns: the issues; empty if there are none. What could not be checked, such as an unknown profile, gives an issue
    ///   that is no error and says so in ``ValidationIssue/undecided-swift.property``.
    /// - Throws: `KnowledgeError` with code `file` if a file of packages cannot be read: another program has locked it for long, or it is damaged; and
    ///   the error of a ``TerminologySource`` that fails. Nothing is known about the resource then.
    public func validate(_ resource: FHIRResource, against profiles: [String] = []) throws -> [ValidationIssue] {
        let (issues, failure) = ReadingFailures.watching { check(resource, against: profiles) }
        if let failure { throw failure }
        return issues
    }

    private func check(_ resource: FHIRResource, against profiles: [String]) -> [ValidationIssue] {
        let run = ValidationRun(resource, knowledge: knowledge, codes: codes, options: options)
        run.sha1 = sha1
        for issue in resource.validate() { run.add(ValidationIssue(issue)) }
        let constraints = FHIRPathConstraints.defined(by: knowledge.release)
        let (own, doubts) = run.collectingDoubts { resource.validate(strictly: constraints, context: run.context(nil)) }
        for issue in own.broken { run.add(ValidationIssue(issue)) }
        for issue in own.undecided { run.add(ValidationIssue(undecided: issue)) }
        for kind in ValidationIssue.Undecided.allCases where doubts.contains(kind) {
            run.add(
                .undecidedConstraint, "a constraint of FHIR asks about codes or profiles that are not known here", .information,
                undecided: kind)
        }
        RecordWalk(run).visit(resource, Place(resource))
        for profile in profiles { run.validate(resource, against: profile) }
        return run.finish()
    }
}

extension ValidationIssue {
    /// An issue about a constraint that could not be evaluated.
    init(undecided issue: FHIRIssue) {
        self.init(
            messageID: .undecidedConstraint, severity: .warning, path: issue.path, message: issue.message, profile: nil, element: nil,
            key: issue.key, undecided: issue.severity == .error ? .rule : nil)
    }

    /// An issue of the checks by layouts and constraints.
    init(_ issue: FHIRIssue) {
        let messageID: MessageID =
            switch issue.code {
            case .missing: .minimum
            case .tooMany: .maximum
            case .unknownCode: .code
            case .format: .format
            case .secondChoice: .secondChoice
            case .reference: .reference
            case .empty: .empty
            default: .constraint
            }
        self.init(
            messageID: messageID, severity: issue.severity == .error ? .error : .warning, path: issue.path, message: issue.message,
            profile: nil, element: nil, key: issue.key)
    }
}
