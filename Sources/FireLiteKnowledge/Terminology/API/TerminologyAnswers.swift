import FireLiteCore

/// How two codes of a code system relate (value set concept-subsumption-outcome).
public enum CodeRelation: String, Sendable, Hashable {
    /// Both are the same concept.
    case equivalent
    /// The first is more general.
    case subsumes
    /// The second is more general.
    case subsumedBy = "subsumed-by"
    /// Neither is more general.
    case notSubsumed = "not-subsumed"
}

/// A code with its system, version and display, as terminology operations take it.
public struct TerminologyCode: Sendable, Hashable, Codable {
    /// The URL of the code system.
    public var system: String?
    /// The version of the code system.
    public var version: String?
    /// The code.
    public var code: String
    /// The name that comes with the code.
    public var display: String?

    /// Creates a code.
    public init(_ code: String, system: String? = nil, version: String? = nil, display: String? = nil) {
        (self.system, self.version, self.code, self.display) = (system, version, code, display)
    }
}

/// Whether a code is in a value set or code system, with its display and the issues that were found.
public struct CodeValidation: Sendable, Hashable {
    /// Whether the code is a member, and nothing about it is an error.
    public let isValid: Bool
    /// The name of the code in the wanted languages; nil if it is unknown.
    public let display: String?
    /// The version of the code system by which the code was judged.
    public let version: String?
    /// Whether the code is inactive.
    public let isInactive: Bool
    /// The errors, warnings and other findings.
    public let issues: [TerminologyIssue]
}

/// Whether a code is in a value set, as far as the definitions tell.
public enum TerminologyMembership: Sendable, Hashable {
    /// It is a member.
    case member
    /// It is not a member; the issues say why.
    case notMember([TerminologyIssue])
    /// The value set, or a code system that it uses, is unknown or cannot be used.
    case unknown([TerminologyIssue])
}

/// An expansion: the codes of a value set.
public struct ValueSetExpansion: Sendable, Hashable {
    /// A code of an expansion.
    public struct Code: Sendable, Hashable {
        /// The URL of the code system.
        public let system: String
        /// The version of the code system, if the value set uses several.
        public let version: String?
        /// The code.
        public let code: String
        /// The name of the concept, in the language that was asked for; nil if it has none.
        public let display: String?
        /// Whether it stands for a group of concepts, and cannot be chosen.
        public let isAbstract: Bool
        /// Whether it is inactive.
        public let isInactive: Bool
        /// The number of codes above it in the expansion.
        public let depth: Int
    }

    /// The codes; those below another code come after it.
    public let codes: [Code]
    /// The number of codes on all pages.
    public let total: Int
}

/// The name, definition and place of a concept.
public struct CodeDescription: Sendable, Hashable {
    /// The name of the code system.
    public let systemName: String
    /// The version of the code system.
    public let version: String?
    /// The name of the concept, in the language that was asked for; nil if it has none.
    public let display: String?
    /// What the concept means; nil if the code system does not say.
    public let definition: String?
    /// Whether it stands for a group of concepts, and cannot be chosen.
    public let isAbstract: Bool
    /// Whether it is inactive.
    public let isInactive: Bool
    /// The codes directly above; `children` has those directly below.
    public let parents: [String]
    /// The codes directly below.
    public let children: [String]
}

/// A translation of a code by a concept map.
public struct CodeTranslation: Sendable, Hashable {
    /// The code to which the map leads.
    public let target: TerminologyCode
    /// How the codes relate, as R5 says it: `equivalent`, `source-is-narrower-than-target` and others (value set concept-map-relationship).
    public let relationship: String
    /// The canonical reference of the map.
    public let map: String?
}

extension Terminology {
    // MARK: - Answers

    /// Whether a code is in a value set, its display is right, and nothing forbids its use (`ValueSet/$validate-code`).
    ///
    /// - Parameters:
    ///   - code: the code, with its system.
    ///   - valueSet: the canonical URL, with a version or without; nil to check the code against its code system.
    ///   - language: the wanted languages, as `Accept-Language` has them: `de, en; q=0.5`.
    /// - Throws: ``TerminologyError`` for a value set that is unknown or cannot be used.
    public func validate(_ code: TerminologyCode, in valueSet: String? = nil, language: String? = nil) throws -> CodeValidation {
        let parameters = RequestParameters(valueSet.map { [Self.parameter("url", "valueUri", $0)] } ?? [])
        let definition = try valueSet == nil ? nil : TerminologyRun.valueSet(parameters, library)
        let run = try TerminologyRun(library, OperationSettings(parameters, valueSet: definition, header: language))
        let check = CodeCheck(run: run, valueSet: try definition.map { try run.prepare($0) })
        let found = try check.check(CheckedCode(code))
        return CodeValidation(
            isValid: found.isValid, display: found.display, version: found.provider?.version,
            isInactive: found.concept?.isInactive ?? false, issues: found.issues + run.statusNotes.map(\.issue))
    }

    /// Whether one of several codes is in a value set, as a binding requires.
    ///
    /// If the code system is unknown, the codes that the value set lists still count. Displays are ignored, and so is whether a code is
    /// inactive or abstract.
    /// - Parameters:
    ///   - codes: the codes of a Coding, a CodeableConcept or a Quantity's unit. A code without a system gets that of the value
    ///     set, as an element of type `code` does.
    ///   - valueSet: the canonical URL, with a version or without.
    /// - Throws: what a source of definitions throws, and `KnowledgeError` if a file cannot be read: the answer then is not known, and may differ later.
    public func membership(of codes: [TerminologyCode], in valueSet: String) throws -> TerminologyMembership {
        let (answer, failure) = try ReadingFailures.watching { try judge(codes, in: valueSet) }
        if let failure { throw failure }
        return answer
    }

    private func judge(_ codes: [TerminologyCode], in valueSet: String) throws -> TerminologyMembership {
        do {
            let parameters = RequestParameters([
                Self.parameter("url", "valueUri", valueSet), Self.parameter("valueset-membership-only", "valueBoolean", "true"),
            ])
            guard let definition = try TerminologyRun.valueSet(parameters, library) else { return .unknown([]) }
            let run = try TerminologyRun(library, OperationSettings(parameters, valueSet: definition))
            let prepared = try run.prepare(definition)
            var issues: [TerminologyIssue] = []
            var isOpen = false
            for code in codes {
                let found = try CodeCheck(run: run, valueSet: prepared).check(Self.completed(code, prepared, run))
                if found.state == .member || found.listSays == true { return .member }
                isOpen = isOpen || found.state == .unknown && found.listSays == nil
                issues += found.issues
            }
            return isOpen ? .unknown(issues) : .notMember(issues)
        } catch let error as TerminologyError {
            return .unknown(error.issues)
        }
    }

    private static func completed(_ code: TerminologyCode, _ valueSet: PreparedValueSet, _ run: TerminologyRun) throws -> CheckedCode {
        let coded = CheckedCode(code)
        guard code.system == nil else { return coded }
        let systems = try SystemInference(run: run).systems(of: coded, in: valueSet)
        return CheckedCode(system: systems.first, version: code.version, code: code.code, display: nil, path: "")
    }

    /// The codes of a value set (`ValueSet/$expand`).
    ///
    /// - Parameters:
    ///   - valueSet: the canonical URL, with a version or without.
    ///   - filter: words, each of which must begin a word of a display, or the code.
    ///   - count: the maximum number of codes; without it, more than ``maximumExpansion`` are an error.
    ///   - offset: the number of codes to skip.
    ///   - language: the wanted languages of names, as `Accept-Language` has them.
    /// - Throws: ``TerminologyError`` for a value set that is unknown, has too many codes, or uses a code system that is unknown.
    public func expand(
        _ valueSet: String, filter: String? = nil, count: Int? = nil, offset: Int? = nil, language: String? = nil
    ) throws -> ValueSetExpansion {
        var items = [Self.parameter("url", "valueUri", valueSet)]
        if let filter { items.append(Self.parameter("filter", "valueString", filter)) }
        if let count { items.append(Self.parameter("count", "valueInteger", "\(count)")) }
        if let offset { items.append(Self.parameter("offset", "valueInteger", "\(offset)")) }
        let parameters = RequestParameters(items)
        return try ExpandOperation(
            library: library, parameters: parameters, language: language, limit: maximumExpansion, now: clock.now
        ).expansion()
    }

    /// The display, definition and place of a code (`CodeSystem/$lookup`).
    ///
    /// - Parameters:
    ///   - code: the code, with its system.
    ///   - language: the wanted languages of the name.
    /// - Throws: ``TerminologyError`` for a code or a code system that is unknown.
    public func lookup(_ code: TerminologyCode, language: String? = nil) throws -> CodeDescription {
        let run = try TerminologyRun(library, OperationSettings(RequestParameters(), header: language))
        let (provider, concept) = try run.known(code.code, code.system ?? "", code.version)
        let languages = run.settings.languages
        // Without a wanted language the name is the code system's, and the others need not be read.
        let detailed = try languages == nil ? nil : provider.detailed(concept)
        let names = detailed.map { ConceptNames($0, listed: nil, facts: provider.facts) }
        return CodeDescription(
            systemName: provider.facts.name ?? provider.url, version: provider.version,
            display: names?.display(languages) ?? concept.display,
            definition: try detailed?.definition ?? provider.definition(of: concept),
            isAbstract: concept.isAbstract, isInactive: concept.isInactive, parents: try provider.parents(of: concept.code),
            children: try provider.children(of: concept.code))
    }

    /// How two codes of a code system relate (`CodeSystem/$subsumes`).
    ///
    /// - Parameters:
    ///   - first: a code.
    ///   - second: another one.
    ///   - system: the URL of their code system, with a version or without.
    /// - Throws: ``TerminologyError`` for codes and code systems that are unknown.
    public func relation(of first: String, to second: String, in system: String) throws -> CodeRelation {
        let canonical = Canonical(system)
        let run = try TerminologyRun(library, OperationSettings(RequestParameters()))
        return try run.relation(of: first, to: second, in: canonical.url, version: canonical.version)
    }

    /// The codes into which concept maps translate a code (`ConceptMap/$translate`).
    ///
    /// - Parameters:
    ///   - code: the code, with its system.
    ///   - map: the canonical URL of a map; nil for all added maps.
    ///   - targetSystem: the wanted code system; nil for any.
    /// - Throws: ``TerminologyError`` for a map that is unknown.
    public func translate(_ code: TerminologyCode, by map: String? = nil, to targetSystem: String? = nil) throws -> [CodeTranslation] {
        var items = [Self.parameter("sourceCode", "valueCode", code.code)]
        if let system = code.system { items.append(Self.parameter("sourceSystem", "valueUri", system)) }
        if let map { items.append(Self.parameter("url", "valueUri", map)) }
        if let targetSystem { items.append(Self.parameter("targetSystem", "valueUri", targetSystem)) }
        let json = try TranslateOperation(library: library, parameters: RequestParameters(items), isR4: false).run()
        return try RequestParameters(json).all("match").map { match in
            let parts = RequestParameters(match["part"]?.items ?? [])
            let target = parts.value("concept", "Coding")
            return CodeTranslation(
                target: TerminologyCode(target?["code"]?.text ?? "", system: target?["system"]?.text, display: target?["display"]?.text),
                relationship: parts.text("relationship") ?? "", map: parts.text("originMap"))
        }
    }

    private static func parameter(_ name: String, _ member: String, _ value: String) -> JSONItem {
        .object([.init(name: "name", value: .string(name)), .init(name: member, value: .string(value))])
    }
}

extension CheckedCode {
    init(_ code: TerminologyCode) {
        self.init(system: code.system, version: code.version, code: code.code, display: code.display, path: "Coding")
    }
}

// MARK: - Search

extension Terminology {
    /// The codes of a value set, for the search modifiers `:in` and `:not-in`; nil if the value set is unknown.
    ///
    /// - Parameter valueSet: the canonical URL, with a version or without.
    /// - Throws: ``TerminologyError`` for a value set that cannot be expanded.
    public func codes(inValueSet valueSet: String) throws -> [(system: String?, code: String)]? {
        let parameters = RequestParameters([Self.parameter("url", "valueUri", valueSet)])
        let canonical = Canonical(valueSet)
        let address = Canonical(url: canonical.url, fragment: canonical.fragment).description
        guard let definition = try library.valueSet(address, version: canonical.version) else { return nil }
        let run = try TerminologyRun(library, OperationSettings(parameters, valueSet: definition))
        run.isExpansion = true
        let request = try ExpansionRequest(run.settings, valueSet: definition, limit: Self.maximumSearched)
        return try ExpansionCodes(run.prepare(definition), run, request).codes.map { ($0.provider.url, $0.concept.code) }
    }

    /// The maximum number of codes that a search compares with.
    private static let maximumSearched = 100_000

    /// A code and those below it, or those above it, for the search modifiers `:below` and `:above`; nil if the code system or the code is unknown.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - system: the URL of its code system, with a version or without.
    ///   - areBelow: true for the codes below, false for those above.
    /// - Throws: ``TerminologyError`` if there are too many.
    public func codes(relatedTo code: String, in system: String, areBelow: Bool) throws -> [String]? {
        let canonical = Canonical(system)
        let run = try TerminologyRun(library, OperationSettings(RequestParameters()))
        guard let provider = try run.requestedSystem(canonical.url, version: canonical.version), let concept = try provider.concept(code)
        else { return nil }
        if let table = provider as? TableCodeSystem {
            // The index has all of them; a walk would ask for each.
            let filter = ConceptFilter("concept", areBelow ? .isA : .generalizes, concept.code)
            guard try table.count([filter], run.effort) <= Self.maximumSearched else {
                throw ExpansionCodes.tooMany(Self.maximumSearched, system)
            }
            var codes: [String] = []
            try table.forEach([filter], run.effort) { concept, _ in
                codes.append(concept.code)
                return true
            }
            return codes
        }
        var found = [concept.code]
        var known = Set(found)
        var place = 0
        while place < found.count {
            let next = areBelow ? try provider.children(of: found[place]) : try provider.parents(of: found[place])
            found += next.filter { known.insert($0).inserted }
            guard found.count <= Self.maximumSearched else { throw ExpansionCodes.tooMany(Self.maximumSearched, system) }
            place += 1
        }
        return found
    }
}
