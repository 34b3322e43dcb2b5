import FireLite
import FireLiteCore
import Foundation

/// A resource that a store refused, as it breaks the rules that the store's validator checks.
public struct ValidationFailure: FireLiteError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The resource is not valid.
        public static let invalid = Code(rawValue: "invalid")
    }

    /// The kind of failure.
    public let code: Code
    /// The resource's type.
    public let typeName: String
    /// Its logical id; nil if it has none.
    public let id: String?
    /// What is wrong with it; at least one is an error.
    public let issues: [ValidationIssue]

    init(typeName: String, id: String?, issues: [ValidationIssue]) {
        (code, self.typeName, self.id, self.issues) = (.invalid, typeName, id, issues)
    }

    /// The resource, its first error, and the number of others.
    public var message: String {
        let errors = issues.filter { $0.severity == .error }
        let others = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        let name = id.map { "\(typeName)/\($0)" } ?? typeName
        return "\(name) is not valid: \(errors.first?.description ?? "")\(others): mend it, or store it without validation"
    }
}

extension FHIRStore {
    /// Requires from now on that each resource that this store object adds or changes is valid, whether by `add`, `upsert`, an import or a sync.
    ///
    /// A write with a resource that is not fails with `ValidationFailure` and changes nothing. Warnings do not count. Resources are validated once, before
    /// the commit, as they will be stored; those that are stored already, deletions, and writes of other programs are not validated. A store that does not
    /// require it pays nothing for it.
    ///
    /// ```swift
    /// store.requireValidation(by: FHIRValidator(knowledge: knowledge))
    /// ```
    ///
    /// - Parameters:
    ///   - validator: checks the resources; nil to require nothing. Its release is the store's.
    ///   - profiles: canonical URLs of profiles that each resource must conform to, by the types that they are about. Default: none, so that those in
    ///     `meta.profile` count.
    public func requireValidation(by validator: FHIRValidator?, against profiles: [String: [String]] = [:]) {
        if let validator {
            participant(ValidationKeeper.self, orAdd: { ValidationKeeper() }).use(validator, profiles)
        } else if let keeper = participant(ValidationKeeper.self) {
            remove(participant: keeper)
        }
    }
}

/// Validates what a store writes, before each commit.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class ValidationKeeper: WriteParticipant, @unchecked Sendable {
    private let lock = NSLock()
    private var validator: FHIRValidator?
    private var profiles: [String: [String]] = [:]

    private var current: (FHIRValidator, [String: [String]])? {
        lock.withLock { validator.map { ($0, profiles) } }
    }

    func use(_ validator: FHIRValidator, _ profiles: [String: [String]]) {
        lock.withLock { (self.validator, self.profiles) = (validator, profiles) }
    }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {
        guard let (validator, profiles) = current else { return }
        for written in resources where written.kind != .deleted {
            guard let resource = try transaction.resource(number: written.root) else { continue }
            let issues = try validator.validate(resource, against: profiles[written.typeName] ?? [])
            guard !issues.contains(where: { $0.severity == .error }) else {
                throw ValidationFailure(typeName: written.typeName, id: written.id, issues: issues)
            }
        }
    }
}
