import FireLite
import FireLiteCore

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

    /// How much is checked.
    public let level: Level
    /// Canonical URLs of profiles that each resource must conform to, by the types that they are about.
    public let profiles: [String: [String]]
    /// What checks the resources; nil for what needs no more than their release, and for the packages in the store's file.
    let validator: FHIRValidator?
    /// Whether the definitions are those of the packages in the store's file.
    public let usesStoredPackages: Bool

    private init(_ level: Level, _ validator: FHIRValidator? = nil, profiles: [String: [String]] = [:], usesStoredPackages: Bool = false) {
        (self.level, self.validator, self.profiles, self.usesStoredPackages) = (level, validator, profiles, usesStoredPackages)
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
    public static func profiles(_ knowledge: Knowledge, against profiles: [String: [String]] = [:]) -> StoreValidation {
        self.profiles(FHIRValidator(knowledge: knowledge), against: profiles)
    }

    /// Requires what a validator with its own options and codes checks.
    ///
    /// - Parameters:
    ///   - validator: checks the resources; its release is the store's.
    ///   - profiles: canonical URLs of profiles that each resource must conform to, by the types that they are about. Default: none, so that those in
    ///     `meta.profile` count.
    public static func profiles(_ validator: FHIRValidator, against profiles: [String: [String]] = [:]) -> StoreValidation {
        StoreValidation(.profiles, validator, profiles: profiles)
    }

    /// Requires the shapes, the rules and the profiles of the packages in the store's own file: those that it has when it begins to require them, and those
    /// that the store object adds later.
    ///
    /// ```swift
    /// let store = try FHIRStore(path: "health.sqlite", release: .r4, validation: .storedPackages())
    /// ```
    ///
    /// - Parameter profiles: canonical URLs of profiles that each resource must conform to, by the types that they are about. Default: none, so that those
    ///   in `meta.profile` count.
    public static func storedPackages(against profiles: [String: [String]] = [:]) -> StoreValidation {
        StoreValidation(.profiles, profiles: profiles, usesStoredPackages: true)
    }

    /// The checks for a store.
    ///
    /// - Throws: `KnowledgeError` with code `release` if the definitions are of another release; errors of reading the packages in its file.
    func check(of store: FHIRStore) throws -> ResourceCheck {
        guard usesStoredPackages else { return try check(store.release) }
        let knowledge = Knowledge(release: store.release)
        try knowledge.addPackages(of: store)
        return ResourceCheck(validator: FHIRValidator(knowledge: knowledge), profiles: profiles, knowsExtensions: true)
    }

    /// The checks for a store of a release.
    ///
    /// - Throws: `KnowledgeError` with code `release` if the definitions are of another one.
    func check(_ release: FHIRRelease) throws -> ResourceCheck {
        guard let validator else {
            var options = ValidationOptions()
            options.followsMetaProfiles = false
            let own = level == .shapes ? nil : FHIRValidator(knowledge: Knowledge(release: release), options: options)
            return ResourceCheck(validator: own, profiles: [:], knowsExtensions: false)
        }
        let known = validator.knowledge.release
        guard known.version == release.version else {
            throw KnowledgeError(
                .release,
                "the store has FHIR \(release.name), and the definitions are of \(known.name): use definitions of the store's release")
        }
        return ResourceCheck(validator: validator, profiles: profiles, knowsExtensions: true)
    }
}

/// Checks resources as a ``StoreValidation`` says.
struct ResourceCheck: Sendable {
    /// Nil to check shapes alone.
    let validator: FHIRValidator?
    let profiles: [String: [String]]
    /// Whether an extension without a known definition is an error.
    let knowsExtensions: Bool

    /// What is wrong with a resource; empty if it has no error.
    ///
    /// - Throws: `KnowledgeError` with code `file` if a file of packages cannot be read: nothing is known of the resource then.
    func issues(of resource: FHIRResource) throws -> [ValidationIssue] {
        var found =
            try validator.map { try $0.validate(resource, against: profiles[resource.resourceType] ?? []) }
            ?? resource.validate().map { ValidationIssue($0) }
        if !knowsExtensions { found.removeAll { $0.messageID == .unknownExtension } }
        return found.contains { $0.severity == .error } ? found : []
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
    /// - Throws: `FHIRStoreError`; `KnowledgeError` with code `release` if the definitions are of another release, and others if the packages in the file
    ///   cannot be read.
    public convenience init(
        path: String, release: FHIRRelease, configuration: Configuration = Configuration(), validation: StoreValidation
    ) throws {
        // Before a file is created.
        if !validation.usesStoredPackages { _ = try validation.check(release) }
        try self.init(path: path, release: release, configuration: configuration)
        try requireValidation(validation)
    }

    /// What this store object requires of resources; nil if it requires nothing.
    public var validation: StoreValidation? { participant(ValidationKeeper.self)?.validation }

    /// Requires from now on that each resource that this store object adds or changes is valid: by `add`, `upsert`, changes of stored objects, imports, syncs,
    /// and the requests to a server on it.
    ///
    /// A write with a resource that is not valid fails with ``ValidationFailure`` and changes nothing. Warnings do not count. Resources are validated once,
    /// before the commit, as they will be stored; those that are stored already, deletions, and writes of other programs are not validated. An import in
    /// several writes keeps those that were committed before. A store that requires nothing pays nothing for it.
    ///
    /// - Parameter validation: what is required; nil to require nothing.
    /// - Throws: `KnowledgeError` with code `release` if the definitions are of another release; the store then requires what it did before.
    public func requireValidation(_ validation: StoreValidation?) throws {
        if let validation {
            let check = try validation.check(of: self)
            participant(ValidationKeeper.self, orAdd: { ValidationKeeper() }).use(validation, check)
        } else if let keeper = participant(ValidationKeeper.self) {
            remove(participant: keeper)
        }
    }

    /// Requires what the packages in the store's file say now, if it requires what they say.
    func useStoredPackages() throws {
        if let validation, validation.usesStoredPackages { try requireValidation(validation) }
    }
}
