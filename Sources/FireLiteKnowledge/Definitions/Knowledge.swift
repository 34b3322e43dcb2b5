import FireLiteCore
import FireLiteFHIRPath
import FireLiteXML
import Foundation

/// The definitions that a validator uses: those of packages, of single files and of FHIR itself, found by their canonical URLs.
///
/// ```swift
/// let knowledge = Knowledge(release: .r4)
/// try knowledge.addPackage(at: URL(fileURLWithPath: "us-core-6.1.0.tgz"))
/// let validator = FHIRValidator(knowledge: knowledge)
/// ```
/// `@unchecked Sendable`: `lock` guards all stored properties that change.
public final class Knowledge: @unchecked Sendable {
    /// The release of FHIR that the definitions are about.
    public let release: FHIRRelease
    let lock = NSLock()
    private var byURL: [String: [Definition]] = [:]
    private var byKey: [String: Definition] = [:]
    private var packageList: [PackageManifest] = []
    private var importedList: [TableCodeSystem] = []
    private var skippedList: [SkippedFile] = []
    private var structures: [String: StructureResult] = [:]
    private var discriminated: [Discrimination.Key: Discrimination.Known] = [:]
    private var units: [String: Bool] = [:]
    private var valueSets: [String: Bool] = [:]
    private var findRelease: (@Sendable (String) -> FHIRRelease?)?
    private(set) lazy var codes = EnumeratedCodes(self)
    /// Names of FHIR's own definitions of which only the URL matters.
    static let base = "http://hl7.org/fhir/StructureDefinition/"

    enum StructureResult {
        case made(Structure)
        case failed(KnowledgeError)
    }

    /// Creates a set of definitions with the types of the release, and with the few profiles of FHIR itself, such as vital signs, that
    /// apply to records which do not name them.
    public init(release: FHIRRelease) {
        self.release = release
        // Made before other threads can ask for them.
        codes.forget()
        for definition in BuiltInDefinitions.of(release) { insert(definition) }
    }

    /// Says how other releases of FHIR are found by their names (`R5`), which extensions for their elements are checked by. Without it those extensions
    /// are checked by their URLs alone.
    public func useReleases(_ find: @escaping @Sendable (_ name: String) -> FHIRRelease?) { lock.withLock { findRelease = find } }

    func release(named name: String) -> FHIRRelease? { lock.withLock { findRelease }?(name) }

    // MARK: - Adding

    /// The packages that were added, in their order.
    public var packages: [PackageManifest] { lock.withLock { packageList } }

    /// The missing dependencies of the added packages, without FHIR's own: `name#version`.
    public var missingDependencies: [String] { PackageManifest.missingDependencies(of: packages) }

    /// Adds one definition in JSON or XML; a Bundle adds each of its resources.
    ///
    /// - Parameters:
    ///   - text: a resource, in UTF-8.
    ///   - source: the name of the text in messages, such as its file.
    /// - Returns: the canonical URL of the definition; nil if it has none.
    /// - Throws: `KnowledgeError` with code `content` for text that is not a resource in JSON or XML.
    @discardableResult
    public func add(_ text: Data, source: String) throws -> String? {
        let definition = try Definition(try Self.json(text, source: source, release: release), source: source)
        if definition.type == "Bundle" {
            for entry in try definition.json["entry"]?.items ?? [] {
                if let resource = entry["resource"] { insert(try Definition(Data(resource.json.utf8), source: source)) }
            }
        }
        insert(definition)
        return definition.url
    }

    /// Adds a resource as a definition.
    ///
    /// - Returns: the canonical URL of the definition; nil if it has none.
    /// - Throws: `KnowledgeError`.
    @discardableResult
    public func add(_ resource: FHIRResource) throws -> String? {
        try add(FHIRJSON.data(resource), source: "\(resource.resourceType)/\(resource.id ?? "")")
    }

    /// The JSON of a text that is JSON or XML.
    private static func json(_ text: Data, source: String, release: FHIRRelease) throws -> Data {
        let clean = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
        guard clean.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return text }
        do {
            return FHIRJSON.data(try FHIRXML.lenientResource(from: Data(clean), release: release).resource)
        } catch let error as any FireLiteError {
            throw KnowledgeError(.content, "\(source): \(error.description)")
        }
    }

    func insert(_ definition: Definition) {
        lock.withLock {
            if let url = definition.url {
                var list = byURL[url] ?? []
                list.removeAll { $0.version == definition.version && $0.type == definition.type }
                list.append(definition)
                byURL[url] = list
            }
            if let id = definition.id { byKey["\(definition.type)/\(id)"] = definition }
            // What was made of others may depend on it.
            structures.removeAll()
            discriminated.removeAll()
            valueSets.removeAll()
        }
        codes.forget()
    }

    /// The files of packages that were left out when the packages were added, as they are not FHIR resources in JSON.
    public var skippedFiles: [SkippedFile] { lock.withLock { skippedList } }

    func note(_ manifest: PackageManifest, skipped: [SkippedFile] = []) {
        lock.withLock {
            skippedList.removeAll { $0.package == manifest.key }
            skippedList += skipped
            packageList.removeAll { $0.name == manifest.name && $0.version == manifest.version }
            packageList.append(manifest)
        }
    }

    /// The code systems that files have which were added, imported from files of their own forms.
    var importedSystems: [TableCodeSystem] { lock.withLock { importedList } }

    func note(_ system: TableCodeSystem) {
        lock.withLock {
            importedList.removeAll { $0.url == system.url && $0.version == system.version }
            importedList.append(system)
        }
    }

    // MARK: - Finding

    /// The definition with a canonical URL: of several versions the one asked for, else the newest.
    package func definition(_ canonical: Canonical, type: String? = nil) -> Definition? {
        let list = lock.withLock { byURL[canonical.url] ?? [] }.filter { type == nil || $0.type == type }
        guard let version = canonical.version else { return list.max { $0.isOlder(than: $1) } }
        if let exact = list.last(where: { $0.version == version }) { return exact }
        // `4.0` stands for the newest of `4.0.x`.
        return list.filter { VersionPattern.matches($0.version, version) || $0.version?.hasPrefix(version + ".") ?? false }.max {
            $0.isOlder(than: $1)
        }
    }

    /// The definitions of a type with a canonical URL, of every version.
    func versions(_ url: String, type: String) -> [Definition] { lock.withLock { byURL[url] ?? [] }.filter { $0.type == type } }

    /// The resource with a type and id among the definitions: `Patient/example`.
    package func resource(key: String) -> Definition? { lock.withLock { byKey[key] } }

    /// Every definition of a type, in the order of their URLs.
    package func definitions(ofType type: String) -> [Definition] {
        lock.withLock { byURL.values.flatMap { $0 } }.filter { $0.type == type }.sorted { ($0.url ?? "") < ($1.url ?? "") }
    }

    /// Whether a URL belongs to a package that is a dependency of one that was added, but is not there itself.
    func isOfMissingDependency(_ url: String) -> Bool {
        missingDependencies.contains { entry in
            let parts = entry.prefix { $0 != "#" }.split(separator: ".")
            // HL7 publishes hl7.fhir.us.core at http://hl7.org/fhir/us/core.
            guard parts.count > 3, parts[0] == "hl7", parts[1] == "fhir" else { return false }
            return url.hasPrefix("http://hl7.org/fhir/\(parts[2])/\(parts[3])/")
        }
    }

    /// Whether there is a profile, an extension or a type with a canonical URL, usable or not.
    public func knowsProfile(_ url: String) throws -> Bool {
        let canonical = Canonical(url)
        return try definition(canonical, type: "StructureDefinition") != nil || structure(canonical) != nil
    }

    // MARK: - Units

    /// Other answers than these are not kept.
    private static let maximumAnswers = 10_000

    /// Whether a text is a unit of UCUM.
    func isUnit(_ code: String) -> Bool {
        if let known = lock.withLock({ units[code] }) { return known }
        let isUnit = UnitConversion.convert(1, from: code, to: code) != nil
        lock.withLock { if units.count < Self.maximumAnswers { units[code] = isUnit } }
        return isUnit
    }

    // MARK: - Code systems

    /// Whether the definitions have a value set with a URL, and no code system.
    func isValueSetAlone(_ url: String) -> Bool {
        if let known = lock.withLock({ valueSets[url] }) { return known }
        let canonical = Canonical(url)
        let isAlone = definition(canonical, type: "ValueSet") != nil && definition(canonical, type: "CodeSystem") == nil
        lock.withLock { if valueSets.count < Self.maximumAnswers { valueSets[url] = isAlone } }
        return isAlone
    }

    // MARK: - Structures

    private struct StructureInWork: Hashable {
        let knowledge: ObjectIdentifier
        let key: String
    }

    /// The structures that this thread is making: one that needs itself is a cycle. What other threads make at the same time is none.
    @TaskLocal private static var inWork: Set<StructureInWork> = []

    /// What the path of a discriminator names in a slice, which is found once.
    func discriminated(by path: String, in slice: StructureNode, _ find: () -> [Discrimination.Target]) -> [Discrimination.Target] {
        let key = Discrimination.Key(slice: ObjectIdentifier(slice), path: path)
        if let known = lock.withLock({ discriminated[key] }) { return known.targets }
        let (targets, failure) = ReadingFailures.watching { find() }
        if failure == nil { lock.withLock { discriminated[key] = Discrimination.Known(slice: slice, targets: targets) } }
        return targets
    }

    /// The profile, extension or type with a URL; nil if it is not known.
    ///
    /// - Throws: `KnowledgeError` with code `definition` for one that cannot be used: a cycle, an invalid path; `file` if a file cannot be read, which is
    ///   tried again the next time.
    package func structure(_ canonical: Canonical) throws -> Structure? {
        let key = canonical.version.map { "\(canonical.url)|\($0)" } ?? canonical.url
        if let known = lock.withLock({ structures[key] }) {
            switch known {
            case .made(let structure): return structure
            case .failed(let error): throw error
            }
        }
        guard let definition = definition(canonical, type: "StructureDefinition") else { return baseStructure(canonical) }
        let own = StructureInWork(knowledge: ObjectIdentifier(self), key: key)
        guard !Self.inWork.contains(own) else {
            throw KnowledgeError(.definition, "\(canonical.url) derives from itself: mend baseDefinition")
        }
        let (result, failure) = Self.$inWork.withValue(Self.inWork.union([own])) {
            ReadingFailures.watching { Result { try SnapshotGenerator(self).structure(of: definition) } }
        }
        // What was made without a part of the definitions is not kept.
        if let failure { throw failure }
        do {
            let structure = try result.get()
            return lock.withLock {
                // Another thread may have made it meanwhile; there is one of each.
                if case .made(let other) = structures[key] { return other }
                structures[key] = .made(structure)
                return structure
            }
        } catch let error as KnowledgeError {
            lock.withLock { structures[key] = .failed(error) }
            throw error
        }
    }

    /// The type of the release with a URL of FHIR's.
    private func baseStructure(_ canonical: Canonical) -> Structure? {
        guard canonical.url.hasPrefix(Self.base),
            let structure = BaseStructures.structure(
                named: String(canonical.url.dropFirst(Self.base.count)), release)
        else { return nil }
        lock.withLock { structures[Canonical(url: canonical.url, version: canonical.version).description] = .made(structure) }
        return structure
    }
}
