import FireLite
import FireLiteCore
import Foundation

/// Resources that a store refused, as they break the rules that the store requires, or could not be checked by them: see ``StoreValidation``.
public struct ValidationFailure: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A resource is not valid.
        public static let invalid = Code(rawValue: "invalid")
        /// No resource breaks a rule, and of one it could not be decided.
        public static let undecided = Code(rawValue: "undecided")
    }

    /// A resource that is not valid, or could not be checked.
    public struct InvalidResource: Sendable, Hashable {
        /// Its type.
        public let typeName: String
        /// Its logical id; nil if it has none.
        public let id: String?
        /// What is wrong with it; at least one is an error, or says what could not be decided.
        public let issues: [ValidationIssue]

        var hasError: Bool { issues.contains { $0.severity == .error } }

        /// The type and the id.
        var name: String { id.map { "\(typeName)/\($0)" } ?? typeName }
    }

    /// The kind of failure.
    public let code: Code
    /// The resources that are not valid, in the order in which they were written. A write ends at ``maximumResources`` of them.
    public let resources: [InvalidResource]
    /// Whether resources after the last one were not validated any more.
    public let isIncomplete: Bool

    /// The maximum number of resources that a failure lists.
    public static let maximumResources = 100

    /// - Precondition: there is one.
    init(_ resources: [InvalidResource], isIncomplete: Bool = false) {
        (self.resources, self.isIncomplete) = (resources, isIncomplete)
        code = resources.contains(where: \.hasError) ? .invalid : .undecided
    }

    /// The type of the first resource.
    public var typeName: String { resources[0].typeName }
    /// The logical id of the first resource; nil if it has none.
    public var id: String? { resources[0].id }
    /// What is wrong with the first resource; at least one is an error, or says what could not be decided.
    public var issues: [ValidationIssue] { resources[0].issues }

    /// The names in a message.
    private static let shownNames = 5

    /// The first resource with its first error, the number of its other errors, and which others are not valid. Without an error, what could not be
    /// decided is in its place.
    public var message: String {
        let isInvalid = resources[0].hasError
        let errors = issues.filter { isInvalid ? $0.severity == .error : $0.undecided != nil && $0.undecided != .outside }
        let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        var others = ""
        if resources.count > 1 {
            let names = resources.dropFirst().prefix(Self.shownNames).map(\.name).joined(separator: ", ")
            let rest = resources.count - 1 - Self.shownNames
            others = "; neither are \(names)" + (rest > 0 ? " and \(isIncomplete ? "at least " : "")\(rest) more" : "")
        }
        let (verdict, remedy) =
            isInvalid
            ? ("is not valid", "mend them, or store them without validation")
            : ("could not be checked", "add what is missing, or accept what is undecided")
        return "\(resources[0].name) \(verdict): \(errors.first?.description ?? "")\(more)\(others): \(remedy)"
    }
}

extension FHIRStore {
    /// Requires from now on what a validator checks: see ``requireValidation(_:)``.
    ///
    /// ```swift
    /// store.requireValidation(by: FHIRValidator(knowledge: knowledge))
    /// ```
    ///
    /// - Parameters:
    ///   - validator: checks the resources; nil to require nothing.
    ///   - profiles: canonical URLs of profiles that each resource must conform to, by the types that they are about. Default: none, so that those in
    ///     `meta.profile` count.
    /// - Precondition: the validator's release is the store's, and it knows the profiles.
    public func requireValidation(by validator: FHIRValidator?, against profiles: [String: [String]] = [:]) {
        do {
            try requireValidation(validator.map { .profiles($0, against: profiles) })
        } catch {
            misuse("\(error)")
        }
    }
}

/// Validates what a store writes, before each commit.
///
/// `@unchecked Sendable`: `lock` guards the variable.
final class ValidationKeeper: WriteParticipant, @unchecked Sendable {
    private let lock = NSLock()
    private var current: (validation: StoreValidation, check: ResourceCheck)?

    var validation: StoreValidation? { lock.withLock { current?.validation } }

    func use(_ validation: StoreValidation, _ check: ResourceCheck) { lock.withLock { current = (validation, check) } }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {
        guard let check = lock.withLock({ current?.check }) else { return }
        var invalid: [ValidationFailure.InvalidResource] = []
        for written in resources where written.kind != .deleted {
            guard invalid.count < ValidationFailure.maximumResources else { throw ValidationFailure(invalid, isIncomplete: true) }
            guard let resource = try transaction.resource(number: written.root) else { continue }
            let issues = try check.issues(of: resource)
            if !issues.isEmpty {
                invalid.append(ValidationFailure.InvalidResource(typeName: written.typeName, id: written.id, issues: issues))
            }
        }
        if !invalid.isEmpty { throw ValidationFailure(invalid) }
    }
}
