import FireLiteCore

/// One operation: the definitions it may use, what it was asked, and what it has used.
///
/// It belongs to one thread.
final class TerminologyRun {
    let library: TerminologyLibrary
    let settings: OperationSettings
    let effort = Effort()
    private let supplements: [JSONItem]
    private var systems: [String: (any CodeProvider)?] = [:]
    /// The files that the operation reads, until it ends.
    private var files: [CodeTables] = []
    private var prepared: [String: PreparedValueSet] = [:]
    private var memberships: [MembershipKey: MembershipFinding] = [:]
    private var imports = 0
    /// Whether the operation is an expansion, which words some faults in another way.
    var isExpansion = false
    private var notes: [String: String] = [:]
    private(set) var statusNotes: [StatusNote] = []

    /// That the operation used a definition which is a draft, deprecated or the like.
    struct StatusNote {
        /// `deprecated`, for one.
        let word: String
        let canonical: String
        let isValueSet: Bool
    }

    /// - Throws: ``TerminologyError`` if a supplement that the request or the value set demands is unknown.
    init(_ library: TerminologyLibrary, _ settings: OperationSettings) throws {
        self.library = library
        self.settings = settings
        supplements = try settings.supplements.map { reference in
            guard let found = try library.supplement(reference) else {
                throw TerminologyError(
                    .notFound, "not-found", kind: "not-found", id: "VALUESET_SUPPLEMENT_MISSING",
                    "the supplement \(reference) is required and unknown: add the CodeSystem")
            }
            return found
        }
    }

    deinit { for file in files { file.leave() } }

    // MARK: - Code systems

    /// A code system with the supplements of the request; nil if it is unknown.
    func system(_ url: String, _ version: String?) throws -> (any CodeProvider)? {
        let key = "\(url)|\(version ?? "")"
        if let known = systems[key] { return known }
        let found = try library.system(url, version: version, supplements: supplements)
        if let table = found as? TableCodeSystem, !files.contains(where: { $0 === table.tables }) {
            try table.tables.enter()
            files.append(table.tables)
        }
        systems[key] = found
        return found
    }

    /// The known versions of a code system, for messages.
    func versionList(_ url: String) throws -> String {
        let versions = try library.versions(ofSystem: url)
        return versions.isEmpty ? "no version is known" : "known versions are \(versions.joined(separator: ", "))"
    }

    /// The code system that a request without a value set means.
    func requestedSystem(_ url: String, version: String?) throws -> (any CodeProvider)? {
        let wanted = OperationSettings.version(of: url, declared: version, settings.systemRules).version
        return try system(url, wanted)
    }

    /// An error about a version that a check forbids; nil if it is allowed.
    func versionIssue(_ provider: any CodeProvider, at place: String?) -> TerminologyIssue? {
        guard let rule = OperationSettings.violated(provider.url, provider.version, settings.systemRules) else { return nil }
        return TerminologyIssue(
            .error, code: "exception", kind: "version-error", id: "VALUESET_VERSION_CHECK", at: place,
            "the version '\(provider.version ?? "")' of \(provider.url) is not allowed: the request demands '\(rule.version)'")
    }

    /// Notes the use of a definition whose status is worth a warning, once.
    func note(_ status: DefinitionStatus, _ canonical: String, isValueSet: Bool, source: DefinitionStatus) {
        guard let word = status.warning(for: source), notes.updateValue(word, forKey: canonical) == nil else { return }
        statusNotes.append(StatusNote(word: word, canonical: canonical, isValueSet: isValueSet))
    }

    // MARK: - Value sets

    /// The value set that a request names.
    static func valueSet(
        _ parameters: RequestParameters, _ library: TerminologyLibrary
    ) throws -> ValueSetDefinition? {
        if let json = parameters.resource("valueSet") { return try ValueSetDefinition(EarlierDefinitions.current(json).last ?? json) }
        // DSTU2 calls the parameter `identifier`.
        guard let url = parameters.text("url") ?? parameters.text("identifier") else { return nil }
        let canonical = Canonical(url)
        let rules = OperationSettings(parameters).valueSetRules
        let declared = parameters.text("valueSetVersion") ?? canonical.version
        let wanted = OperationSettings.version(of: canonical.url, declared: declared, rules).version
        // The fragment of an implicit value set's URL is part of it.
        let address = Canonical(url: canonical.url, fragment: canonical.fragment).description
        guard let found = try library.valueSet(address, version: wanted) else { throw unknownValueSet(address, wanted) }
        return found
    }

    private static func unknownValueSet(_ url: String, _ version: String?, _ id: String? = nil) -> TerminologyError {
        TerminologyError(
            .notFound, "not-found", kind: "not-found", id: id ?? "Unable_to_resolve_value_Set_",
            "the value set '\(url)\(version.map { "|" + $0 } ?? "")' is unknown: add it")
    }

    private func unknownImport(_ url: String, _ version: String?) -> TerminologyError {
        let id = version == nil ? "VS_EXP_IMPORT_UNK" : "VS_EXP_IMPORT_UNK_PINNED"
        return Self.unknownValueSet(url, version, isExpansion ? id : nil)
    }

    /// A value set with those it imports, directly or not.
    ///
    /// - Throws: ``TerminologyError`` for imports that are unknown, or lead back to the value set.
    func prepare(_ definition: ValueSetDefinition, _ path: [String] = []) throws -> PreparedValueSet {
        let name = definition.canonical
        if let name {
            if let known = prepared[name], !path.isEmpty {
                known.uses += 1
                return known
            }
            if path.contains(name) {
                throw TerminologyError(
                    .definition, "processing", kind: "vs-invalid", id: "VALUESET_CIRCULAR_REFERENCE",
                    "the value set \(name) includes itself, by way of \(path.joined(separator: ", "))")
            }
        }
        imports += 1
        guard path.count < Self.deepest, imports <= Effort.maximumImports else {
            throw TerminologyError(
                .tooCostly, "too-costly", id: "VALUESET_TOO_COSTLY",
                "the value set \(definition.title) imports too many value sets, or too deeply: \(Effort.maximumImports) and "
                    + "\(Self.deepest) levels are the limits")
        }
        let path = path + [name ?? "#\(definition.json["id"]?.text ?? "")"]
        let result = PreparedValueSet(
            definition: definition, includes: try definition.includes.map { try prepare($0, definition, path) },
            excludes: try definition.excludes.map { try prepare($0, definition, path) })
        if let name { prepared[name] = result }
        return result
    }

    private static let deepest = 50

    /// Whether a code is in a value set that others import, which is found once: several may import it.
    func membership(
        of coded: CheckedCode, in valueSet: PreparedValueSet, _ find: () throws -> MembershipFinding
    ) rethrows -> MembershipFinding {
        let key = MembershipKey(valueSet: ObjectIdentifier(valueSet), coded: coded)
        if let known = memberships[key] { return known }
        let found = try find()
        if memberships.count >= Self.maximumMemberships { memberships.removeAll(keepingCapacity: true) }
        memberships[key] = found
        return found
    }

    private struct MembershipKey: Hashable {
        let valueSet: ObjectIdentifier
        let coded: CheckedCode
    }

    /// More are forgotten, all at once.
    private static let maximumMemberships = 10_000

    private func prepare(
        _ part: ValueSetDefinition.Part, _ definition: ValueSetDefinition, _ path: [String]
    ) throws -> PreparedValueSet.Part {
        let imports = try part.imports.map { reference in
            if reference.hasPrefix("#") {
                guard let json = definition.contained[String(reference.dropFirst())] else { throw unknownImport(reference, nil) }
                return PreparedValueSet.Import(content: try prepare(ValueSetDefinition(json), path), isContained: true)
            }
            let canonical = Canonical(reference)
            let rules = settings.valueSetRules
            let wanted = OperationSettings.version(of: canonical.url, declared: canonical.version, rules).version
            let address = Canonical(url: canonical.url, fragment: canonical.fragment).description
            guard let found = try library.valueSet(address, version: wanted) else {
                throw unknownImport(address, wanted)
            }
            if let rule = OperationSettings.violated(canonical.url, found.version, rules) {
                throw TerminologyError(
                    .version, "exception", kind: "version-error", id: "VALUESET_VERSION_CHECK",
                    "the version '\(found.version ?? "")' of \(canonical.url) is not allowed: the request demands '\(rule.version)'")
            }
            return PreparedValueSet.Import(content: try prepare(found, path), isContained: false)
        }
        return PreparedValueSet.Part(definition: part, imports: imports)
    }
}

/// A value set whose imports are known.
final class PreparedValueSet {
    struct Import {
        let content: PreparedValueSet
        /// Whether it is contained in the value set that imports it.
        let isContained: Bool
    }

    struct Part {
        let definition: ValueSetDefinition.Part
        let imports: [Import]
        /// The codes that it lists, by code.
        var listed: [ExactText: ValueSetDefinition.Listed] { definition.listed }
    }

    let definition: ValueSetDefinition
    let includes: [Part]
    let excludes: [Part]
    /// How many times it is imported.
    var uses = 1

    init(definition: ValueSetDefinition, includes: [Part], excludes: [Part]) {
        (self.definition, self.includes, self.excludes) = (definition, includes, excludes)
    }
}
