import FireLite
import FireLiteCore
import Foundation

/// The requirements of a store for the resources that are written to it.
///
/// ```swift
/// let store = try FHIRStore(path: "health.sqlite", release: .r4, validation: .rules)
/// ```
public struct StoreValidation: Sendable {
    /// How much is checked. Each level checks what the ones before it check.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// Cardinalities, types, formats and the codes of required bindings: what `FHIRObject.validate()` checks.
        case shapes
        /// The constraints of the release and the rules that FHIR states in words, without any definition from outside.
        case rules
        /// The profiles that resources state or that the store names, and their extensions.
        case profiles
    }

    /// What happens to a resource about which something could not be decided.
    public enum Undecided: String, Sendable, Hashable, CaseIterable {
        /// It is refused if a profile, a rule or a code could not be decided.
        case refused
        /// It is refused if a profile or a rule could not be decided. Codes that cannot be looked up are accepted, as there are value sets whose code
        /// systems nobody can load.
        case codesAccepted
        /// It is accepted.
        case accepted

        /// Whether an issue makes a store refuse a resource: an error, or something undecided that is not accepted.
        public func refuses(_ issue: ValidationIssue) -> Bool {
            if issue.severity == .error { return true }
            return switch issue.undecided {
            case .profile, .rule: self != .accepted
            case .code: self == .refused
            case .outside, nil: false
            }
        }
    }

    /// How much is checked.
    public let level: Level
    /// Canonical URLs of profiles that each resource must conform to, by the types that they are about.
    public let profiles: [String: [String]]
    /// What checks the resources; nil for what needs no more than their release, and for the packages in the store's file.
    let validator: FHIRValidator?
    /// Whether the definitions are those of the packages in the store's file.
    public let usesStoredPackages: Bool
    /// What happens to a resource about which something could not be decided. Default: `.codesAccepted`.
    public var undecided = Undecided.codesAccepted

    private init(
        _ level: Level, _ validator: FHIRValidator? = nil, profiles: [String: [String]] = [:], usesStoredPackages: Bool = false,
        _ undecided: Undecided = .codesAccepted
    ) {
        (self.level, self.validator, self.profiles, self.usesStoredPackages) = (level, validator, profiles, usesStoredPackages)
        self.undecided = undecided
    }

    /// Requires the shapes of the release.
    public static let shapes = StoreValidation(.shapes)

    /// Requires the shapes and the rules of the release. Extensions that need a guide's definition count as valid, as no guide is known.
    public static let rules = StoreValidation(.rules)

    /// Requires the shapes, the rules and the profiles of guides.
    ///
    /// - Parameters:
    ///   - knowledge: the definitions; its release is the store's.
    ///   - profiles: canonical URLs of profiles that each resource must conform to, by the types that they are about. Default: none, so that those in
    ///     `meta.profile` count.
    ///   - undecided: what happens to a resource about which something could not be decided. Default: it is refused, unless it is a code.
    public static func profiles(
        _ knowledge: Knowledge, against profiles: [String: [String]] = [:], undecided: Undecided = .codesAccepted
    ) -> StoreValidation {
        self.profiles(FHIRValidator(knowledge: knowledge), against: profiles, undecided: undecided)
    }

    /// Requires what a validator with its own options and codes checks.
    ///
    /// - Parameters:
    ///   - validator: checks the resources; its release is the store's.
    ///   - profiles: canonical URLs of profiles that each resource must conform to, by the types that they are about. Default: none, so that those in
    ///     `meta.profile` count.
    ///   - undecided: what happens to a resource about which something could not be decided. Default: it is refused, unless it is a code.
    public static func profiles(
        _ validator: FHIRValidator, against profiles: [String: [String]] = [:], undecided: Undecided = .codesAccepted
    ) -> StoreValidation {
        StoreValidation(.profiles, validator, profiles: profiles, undecided)
    }

    /// Requires the shapes, the rules and the profiles of the packages in the store's own file: those that it has when it begins to require them, and those
    /// that the store object adds later.
    ///
    /// ```swift
    /// let store = try FHIRStore(path: "health.sqlite", release: .r4, validation: .storedPackages())
    /// ```
    ///
    /// - Parameters:
    ///   - profiles: canonical URLs of profiles that each resource must conform to, by the types that they are about. Default: none, so that those in
    ///     `meta.profile` count.
    ///   - undecided: what happens to a resource about which something could not be decided. Default: it is refused, unless it is a code.
    public static func storedPackages(
        against profiles: [String: [String]] = [:], undecided: Undecided = .codesAccepted
    ) -> StoreValidation {
        StoreValidation(.profiles, profiles: profiles, usesStoredPackages: true, undecided)
    }

    /// The checks for a store.
    ///
    /// - Throws: `KnowledgeError` with code `release` if the definitions are of another release; errors of reading the packages in its file.
    func check(of store: FHIRStore) throws -> ResourceCheck {
        guard usesStoredPackages else { return try check(store.release) }
        let knowledge = Knowledge(release: store.release)
        try knowledge.addPackages(of: store)
        return ResourceCheck(
            validator: FHIRValidator(knowledge: knowledge), profiles: profiles, knowsExtensions: true, undecided: undecided)
    }

    /// The checks for a store that has no packages yet.
    func checkWithoutPackages(_ release: FHIRRelease) -> ResourceCheck {
        ResourceCheck(
            validator: FHIRValidator(knowledge: Knowledge(release: release)), profiles: profiles, knowsExtensions: true,
            undecided: undecided)
    }

    /// The checks for a store of a release.
    ///
    /// - Throws: `KnowledgeError` with code `release` if the definitions are of another one.
    func check(_ release: FHIRRelease) throws -> ResourceCheck {
        guard let validator else {
            var options = ValidationOptions()
            options.followsMetaProfiles = false
            let own = level == .shapes ? nil : FHIRValidator(knowledge: Knowledge(release: release), options: options)
            return ResourceCheck(validator: own, profiles: [:], knowsExtensions: false, undecided: undecided)
        }
        let known = validator.knowledge.release
        guard known.version == release.version else {
            throw KnowledgeError(
                .release,
                "the store has FHIR \(release.name), and the definitions are of \(known.name): use definitions of the store's release")
        }
        return ResourceCheck(validator: validator, profiles: profiles, knowsExtensions: true, undecided: undecided)
    }
}

/// Checks resources as a ``StoreValidation`` says.
struct ResourceCheck: Sendable {
    /// Nil to check shapes alone.
    let validator: FHIRValidator?
    let profiles: [String: [String]]
    /// Whether an extension without a known definition is an error.
    let knowsExtensions: Bool
    let undecided: StoreValidation.Undecided

    /// Refuses profiles by which no resource could be checked.
    ///
    /// - Throws: `KnowledgeError` with code `missing` for one that is not known, and others for one that cannot be used.
    func requireProfiles() throws {
        for url in profiles.values.joined().sorted() where try validator?.knowledge.structure(Canonical(url)) == nil {
            throw KnowledgeError(
                .missing,
                "the profile \(url), which resources must conform to, is not known: add the package that defines it, such as by "
                    + "`firelite package --database FILE add PACKAGE` or addPackage(at:)")
        }
    }

    /// What is wrong with a resource, or could not be decided; empty if it is not refused.
    ///
    /// - Throws: `KnowledgeError` with code `file` if a file of packages cannot be read: nothing is known of the resource then.
    func issues(of resource: FHIRResource) throws -> [ValidationIssue] {
        var found =
            try validator.map { try $0.validate(resource, against: profiles[resource.resourceType] ?? []) }
            ?? resource.validate().map { ValidationIssue($0) }
        if !knowsExtensions { found.removeAll { $0.messageID == .unknownExtension } }
        return found.contains(where: undecided.refuses) ? found : []
    }
}

extension FHIRStore {
    /// Opens the store at `path`, or creates it, and requires from the beginning that each resource that is added or changed is valid.
    ///
    /// Everything that ``requireValidation(_:)`` says holds before any other code can use the store.
    ///
    /// - Parameters:
    ///   - path: the path of the file; `:memory:` for an in-memory store.
    ///   - release: the FHIR release of its resources.
    ///   - configuration: as for a store without validation.
    ///   - validation: what is required.
    /// - Throws: `FHIRStoreError`; `KnowledgeError` with code `release` if the definitions are of another release, with code `missing` if a profile that
    ///   `validation` names is not known, and others if the packages in the file cannot be read.
    public convenience init(
        path: String, release: FHIRRelease, configuration: Configuration = Configuration(), validation: StoreValidation
    ) throws {
        // Before a file is created.
        if !validation.usesStoredPackages {
            try validation.check(release).requireProfiles()
        } else if !FileManager.default.fileExists(atPath: path) {
            try validation.checkWithoutPackages(release).requireProfiles()
        }
        try self.init(path: path, release: release, configuration: configuration)
        try requireValidation(validation)
    }

    /// What this store object requires of resources; nil if it requires nothing.
    public var validation: StoreValidation? { participant(ValidationKeeper.self)?.validation }

    /// Requires from now on that each resource that this store object adds or changes is valid: by `add`, `upsert`, changes of stored objects, imports, syncs,
    /// and the requests to a server on it.
    ///
    /// A write with a resource that is not valid fails with ``ValidationFailure`` and changes nothing, and so does one with a resource about which something
    /// could not be decided that ``StoreValidation/undecided-swift.property`` does not accept. Other warnings do not count. Resources are validated once,
    /// before the commit, as they will be stored; those that are stored already, deletions, and writes of other programs are not validated. An import in
    /// several writes keeps those that were committed before. A store that requires nothing pays nothing for it.
    ///
    /// - Parameter validation: what is required; nil to require nothing.
    /// - Throws: `KnowledgeError` with code `release` if the definitions are of another release, and with code `missing` if a profile that `validation` names
    ///   is not known; the store then requires what it did before.
    public func requireValidation(_ validation: StoreValidation?) throws {
        if let validation {
            let check = try validation.check(of: self)
            try check.requireProfiles()
            participant(ValidationKeeper.self, orAdd: { ValidationKeeper() }).use(validation, check)
        } else if let keeper = participant(ValidationKeeper.self) {
            remove(participant: keeper)
        }
    }

    /// Requires what the packages in the store's file say now, if it requires what they say. While they lack a profile that each resource must conform to,
    /// all of them are refused.
    func useStoredPackages() throws {
        guard let validation, validation.usesStoredPackages else { return }
        let check = try validation.check(of: self)
        participant(ValidationKeeper.self, orAdd: { ValidationKeeper() }).use(validation, check)
    }
}
