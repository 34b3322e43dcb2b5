import FireLiteCore

/// A code of an expansion, with where it comes from.
struct ExpansionCode {
    let provider: any CodeProvider
    let concept: Concept
    let listed: ValueSetDefinition.Listed?
    /// The language of the value set that lists it.
    let valueSetLanguage: String?
    /// The part of the value set that has it, and the number of concepts above it there.
    let part: Int
    let depth: Int
    /// Whether its code system is in tables.
    let isOfTable: Bool

    init(
        provider: any CodeProvider, concept: Concept, listed: ValueSetDefinition.Listed?, valueSetLanguage: String?, part: Int, depth: Int,
        isOfTable: Bool? = nil
    ) {
        (self.provider, self.concept, self.listed, self.valueSetLanguage) = (provider, concept, listed, valueSetLanguage)
        (self.part, self.depth) = (part, depth)
        self.isOfTable = isOfTable ?? (provider is TableCodeSystem)
    }

    /// Whether it is below another one where both stand in the code system.
    func isBelow(_ other: ExpansionCode) throws -> Bool {
        try part == other.part && depth > other.depth && provider.subsumes(other.concept.code, concept.code)
    }
}

/// Collects the codes of a value set (FHIR, ValueSet: Value set expansion).
final class ExpansionCodes {
    private let run: TerminologyRun
    private let root: PreparedValueSet
    private let request: ExpansionRequest
    private let test: MembershipTest
    /// Whether codes of several versions of a code system are the same code.
    private let mergesVersions: Bool
    private(set) var codes: [ExpansionCode] = []
    private var known: Set<ExactText> = []
    /// The codes of value sets that are imported several times.
    private var lists: [ObjectIdentifier: [ExpansionCode]] = [:]
    /// Whether there are more codes than those of the page, which were not collected.
    private var isCut: Bool { cutTable != nil }
    /// The code system at which collecting ended.
    private var cutTable: TableCodeSystem?
    /// The number of codes that are enough for a page, for code systems that are too large to be counted one by one.
    private let enough: Int
    private let isSinglePart: Bool
    /// The code systems, supplements and value sets that were used, and the version rules that had an effect.
    private(set) var used: Set<UsedDefinition> = []
    /// The systems that the definition uses in several versions.
    private(set) var versionedSystems: Set<String> = []

    struct UsedDefinition: Hashable {
        /// The name of the parameter: `used-codesystem`.
        let parameter: String
        let canonical: String
    }

    /// - Throws: ``TerminologyError`` for code systems that are unknown, and for a value set with too many codes.
    init(_ root: PreparedValueSet, _ run: TerminologyRun, _ request: ExpansionRequest) throws {
        (self.run, self.root, self.request) = (run, root, request)
        test = MembershipTest(run: run, source: root.definition.status)
        mergesVersions = run.settings.matchesVersions ?? false
        isSinglePart = root.includes.count == 1 && root.includes[0].definition.concepts.isEmpty && root.includes[0].imports.isEmpty
        enough = Self.sum(request.count ?? .max, request.offset ?? 0)
        var visited: Set<ObjectIdentifier> = []
        try noteUse(of: root, isRoot: true, &visited)
        try collect(root)
    }

    // MARK: - Definitions

    /// Finds every code system of the value set before its codes, and notes what is used.
    private func noteUse(of valueSet: PreparedValueSet, isRoot: Bool, _ visited: inout Set<ObjectIdentifier>) throws {
        guard visited.insert(ObjectIdentifier(valueSet)).inserted else { return }
        let definition = valueSet.definition
        if let name = definition.canonical {
            run.note(definition.status, name, isValueSet: true, source: root.definition.status)
        }
        var versions: [String: Set<String>] = [:]
        for part in valueSet.includes + valueSet.excludes {
            if let system = part.definition.system {
                versions[system, default: []].insert(part.definition.version ?? "")
                _ = try provider(system, part.definition.version)
            }
            for other in part.imports {
                if !other.isContained, let name = other.content.definition.canonical {
                    used.insert(UsedDefinition(parameter: "used-valueset", canonical: name))
                }
                try noteUse(of: other.content, isRoot: false, &visited)
            }
        }
        versionedSystems.formUnion(versions.filter { $0.value.count > 1 }.keys)
        let systems = used.filter { $0.parameter == "used-codesystem" }.map { Canonical($0.canonical).url }
        versionedSystems.formUnion(Dictionary(grouping: systems) { $0 }.filter { $0.value.count > 1 }.keys)
    }

    /// The code system of a part.
    private func provider(_ system: String, _ declared: String?) throws -> any CodeProvider {
        let (wanted, rule) = OperationSettings.version(of: system, declared: declared, run.settings.systemRules)
        guard let provider = try run.system(system, wanted) else {
            guard let wanted else {
                throw TerminologyError(
                    .notFound, "not-found", kind: "not-found", id: "UNKNOWN_CODESYSTEM_EXP",
                    "the code system \(system) is unknown, so the value set cannot be expanded: add it")
            }
            throw TerminologyError(
                .notFound, "not-found", kind: "not-found", id: "UNKNOWN_CODESYSTEM_VERSION_EXP",
                "the version '\(wanted)' of the code system \(system) is unknown, so the value set cannot be expanded: "
                    + (try run.versionList(system)))
        }
        if let issue = run.versionIssue(provider, at: nil) { throw TerminologyError(.version, issue) }
        if let rule { used.insert(UsedDefinition(parameter: rule.parameter, canonical: rule.canonical)) }
        used.insert(UsedDefinition(parameter: "used-codesystem", canonical: provider.canonical))
        for supplement in provider.facts.supplements {
            used.insert(UsedDefinition(parameter: "used-supplement", canonical: supplement))
        }
        run.note(provider.facts.status, provider.canonical, isValueSet: false, source: root.definition.status)
        return provider
    }

    // MARK: - Codes

    private func collect(_ valueSet: PreparedValueSet) throws {
        if valueSet.definition.expanded != nil {
            try forEach(in: valueSet) { try add($0) }
            return
        }
        for (number, part) in valueSet.includes.enumerated() where !isCut {
            try forEach(in: part, number, valueSet) { code in
                guard isAllowed(code, by: valueSet), try !isExcluded(code, by: valueSet) else { return true }
                return try add(code)
            }
        }
    }

    /// The codes of a value set that is imported, one by one. Those of one that is imported several times are collected once: otherwise value sets that
    /// each import another one twice double the work with each level.
    private func forEach(in valueSet: PreparedValueSet, _ body: (ExpansionCode) throws -> Bool) throws {
        guard valueSet.uses > 1 else { return try walk(valueSet, body) }
        let id = ObjectIdentifier(valueSet)
        if lists[id] == nil {
            var list: [ExpansionCode] = []
            var seen: Set<ExactText> = []
            try walk(valueSet) { code in
                if seen.insert(text: key(code)) { list.append(code) }
                guard list.count <= Effort.maximumCodes else { throw Self.tooCostly(root.definition, Effort.maximumCodes) }
                return true
            }
            lists[id] = list
        }
        for code in lists[id] ?? [] { if try !body(code) { return } }
    }

    private func walk(_ valueSet: PreparedValueSet, _ body: (ExpansionCode) throws -> Bool) throws {
        for code in Self.flattened(valueSet.definition.expanded ?? []) {
            guard let system = code["system"]?.text, let text = code["code"]?.text else { continue }
            let provider = try provider(system, code["version"]?.text)
            let concept = try provider.concept(text) ?? Concept(code: text, display: code["display"]?.text)
            let found = ExpansionCode(provider: provider, concept: concept, listed: nil, valueSetLanguage: nil, part: 0, depth: 0)
            if try !body(found) { return }
        }
        for part in valueSet.includes {
            var goesOn = true
            try forEach(in: part, 0, valueSet) { code in
                guard isAllowed(code, by: valueSet), try !isExcluded(code, by: valueSet) else { return true }
                goesOn = try body(code)
                return goesOn
            }
            if !goesOn { return }
        }
    }

    private static func flattened(_ items: [JSONItem]) -> [JSONItem] {
        items.flatMap { [$0] + flattened($0["contains"]?.items ?? []) }
    }

    /// The codes of a part, with those left out that its value sets do not have.
    private func forEach(
        in part: PreparedValueSet.Part, _ number: Int, _ valueSet: PreparedValueSet, _ body: (ExpansionCode) throws -> Bool
    ) throws {
        guard let system = part.definition.system else {
            guard let first = part.imports.first else { return }
            let others = part.imports.dropFirst()
            try forEach(in: first.content) { code in
                guard try others.allSatisfy({ try isMember(code, of: $0.content) }) else { return true }
                return try body(
                    ExpansionCode(
                        provider: code.provider, concept: code.concept, listed: code.listed, valueSetLanguage: code.valueSetLanguage,
                        part: number, depth: 0))
            }
            return
        }
        let provider = try provider(system, part.definition.version)
        let isOfTable = provider is TableCodeSystem
        func visit(_ concept: Concept, _ listed: ValueSetDefinition.Listed?, _ depth: Int) throws -> Bool {
            let code = ExpansionCode(
                provider: provider, concept: concept, listed: listed, valueSetLanguage: valueSet.definition.language, part: number,
                depth: depth, isOfTable: isOfTable)
            try run.effort.step()
            guard try part.imports.allSatisfy({ try isMember(code, of: $0.content) }) else { return true }
            return try body(code)
        }
        if part.definition.concepts.isEmpty, let filter = request.filter, let table = provider as? TableCodeSystem {
            try table.search(filter.text, filters: part.definition.filters, effort: run.effort) { try visit($0, nil, 0) }
            return
        }
        if part.definition.concepts.isEmpty {
            try provider.forEach(part.definition.filters, run.effort) { try visit($0, nil, $1) }
            return
        }
        for listed in part.definition.concepts {
            try run.effort.step()
            guard let concept = try provider.concept(listed.code),
                try part.definition.filters.allSatisfy({ try provider.matches(concept, $0, run.effort) })
            else { continue }
            if try !visit(concept, listed, 0) { return }
        }
    }

    private func isMember(_ code: ExpansionCode, of valueSet: PreparedValueSet) throws -> Bool {
        try test.find(checked(code), in: valueSet).state == .member
    }

    private func checked(_ code: ExpansionCode) -> CheckedCode {
        CheckedCode(system: code.provider.url, version: nil, code: code.concept.code, display: nil, path: "")
    }

    private func isAllowed(_ code: ExpansionCode, by valueSet: PreparedValueSet) -> Bool {
        !code.concept.isInactive || !run.settings.isActiveOnly && valueSet.definition.allowsInactive != false
    }

    private func isExcluded(_ code: ExpansionCode, by valueSet: PreparedValueSet) throws -> Bool {
        guard !valueSet.excludes.isEmpty else { return false }
        return try valueSet.excludes.contains { part in
            guard try test.isIn(part, checked(code), valueSet.definition) else { return false }
            guard run.settings.matchesVersions == false, let system = part.definition.system else { return true }
            return try provider(system, part.definition.version).version == code.provider.version
        }
    }

    /// What two occurrences of a code have in common.
    private func key(_ code: ExpansionCode) -> String {
        "\(code.provider.url)|\(mergesVersions ? "" : code.provider.version ?? "")|\(code.concept.code)"
    }

    private func add(_ code: ExpansionCode) throws -> Bool {
        if request.excludesAbstract, code.concept.isAbstract { return true }
        // The index of names has answered for tables.
        let isTable = code.isOfTable
        if let filter = request.filter, !isTable || code.listed != nil, try !filter.matches(code) { return true }
        // A large code system that is all of the value set has each code once.
        if !isTable || !isSinglePart { guard known.insert(text: key(code)) else { return true } }
        if codes.count >= enough, let table = code.provider as? TableCodeSystem {
            cutTable = table
            return false
        }
        guard codes.count < request.maximumCodes else { throw Self.tooCostly(root.definition, request.maximumCodes) }
        codes.append(code)
        return true
    }

    /// The number of codes; nil if it is not known.
    var total: Int? {
        get throws {
            guard let cutTable else { return codes.count }
            // A part that is all of the value set, of which every code counts, is counted by index.
            guard let part = root.includes.first, root.includes.count == 1, root.excludes.isEmpty, part.imports.isEmpty,
                part.definition.concepts.isEmpty, request.filter == nil, !request.excludesAbstract, !run.settings.isActiveOnly,
                root.definition.allowsInactive != false
            else { return nil }
            return try cutTable.count(part.definition.filters, run.effort)
        }
    }

    private static func sum(_ first: Int, _ second: Int) -> Int {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? .max : sum
    }

    static func tooMany(_ limit: Int, _ system: String) -> TerminologyError {
        TerminologyError(
            .tooCostly, "too-costly", id: "VALUESET_TOO_COSTLY", "the code system \(system) has more than \(limit) codes that are asked for"
        )
    }

    static func tooCostly(_ definition: ValueSetDefinition, _ limit: Int) -> TerminologyError {
        TerminologyError(
            .tooCostly, "too-costly", id: "VALUESET_TOO_COSTLY",
            "the value set \(definition.title) has more than \(limit) codes: ask for a page with count and offset, or give a filter")
    }
}

/// What a request for an expansion asks for.
struct ExpansionRequest {
    let count: Int?
    let offset: Int?
    let filter: TextFilter?
    let excludesNested: Bool
    let excludesAbstract: Bool
    let includesDesignations: Bool
    let includesDefinition: Bool
    let properties: [String]
    let designations: [String]
    /// The maximum number of codes: of the expansion, and with `count` those that are counted.
    let maximumCodes: Int

    /// - Throws: ``TerminologyError`` for a count or an offset that is none.
    init(_ settings: OperationSettings, valueSet: ValueSetDefinition, limit: Int) throws {
        let parameters = settings.parameters
        let defined = valueSet.parameters
        func bool(_ name: String) -> Bool {
            parameters.bool(name) ?? defined.last { $0.name == name }.map { $0.value.isTrue } ?? false
        }
        count = try parameters.count("count")
        offset = try parameters.count("offset")
        filter = parameters.text("filter").flatMap(TextFilter.init)
        excludesNested = bool("excludeNested")
        excludesAbstract = bool("excludeNotForUI")
        includesDesignations = bool("includeDesignations")
        includesDefinition = bool("includeDefinition")
        properties = parameters.texts("property") + defined.filter { $0.name == "property" }.compactMap(\.value.scalarText)
        designations = parameters.texts("designation") + defined.filter { $0.name == "designation" }.compactMap(\.value.scalarText)
        maximumCodes = count == nil ? limit : Effort.maximumCodes
    }
}

/// Words that each begin a word of a code's names, or the code.
struct TextFilter {
    let text: String
    private let words: [String]

    /// - Returns: nil for a text without words.
    init?(_ text: String) {
        self.text = text
        words = Self.words(text)
        if words.isEmpty { return nil }
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    func matches(_ code: ExpansionCode) throws -> Bool {
        let concept = try code.provider.detailed(code.concept)
        let names =
            [concept.code, concept.display, code.listed?.display].compactMap(\.self)
            + concept.designations.filter(\.isDisplay).map(\.value)
        let all = names.flatMap(Self.words)
        return words.allSatisfy { word in all.contains { $0.hasPrefix(word) } }
    }
}
