import FireLiteCore

/// A code to be checked, and where the request has it.
struct CheckedCode: Hashable {
    let system: String?
    let version: String?
    let code: String
    let display: String?
    /// `Coding`, `CodeableConcept.coding[0]`; empty for parameters of their own.
    let path: String

    /// The place of a part: `Coding.display`.
    func place(_ part: String) -> String { path.isEmpty ? part : "\(path).\(part)" }

    // Codes are compared by their bytes.
    private var key: [ExactText?] { [system, version, code, display, path].map { $0.map { ExactText($0) } } }

    static func == (left: CheckedCode, right: CheckedCode) -> Bool { left.key == right.key }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// What is known of a code in a value set.
struct MembershipFinding {
    enum State {
        case member, notMember
        /// The code system, or the version of it that the value set uses, is unknown.
        case unknown
    }

    var state: State
    /// The code system that the value set takes; nil if no part of it is about the code's system, or if it is unknown.
    var provider: (any CodeProvider)?
    var concept: Concept?
    /// What the value set says of the code.
    var listed: ValueSetDefinition.Listed?
    /// The value set that lists it.
    var valueSet: ValueSetDefinition?
    var issues: [TerminologyIssue] = []
    /// The code systems that are unknown, with their versions.
    var unknownSystems: [String] = []
    /// Whether a part of the value set is about the code's system.
    var isRelevant = true
    /// For an unknown code system, what the list of codes in the value set says; nil if it has no list.
    var listSays: Bool?

    static let nothing = MembershipFinding(state: .notMember, isRelevant: false)

    var hasError: Bool { issues.contains { $0.severity == .error } }

    /// The better answer is used if several parts of a value set are about a code.
    fileprivate var rank: Int {
        switch state {
        case .member: hasError ? 3 : 4
        case .unknown: 2
        case .notMember: isRelevant ? 1 : 0
        }
    }

    fileprivate func isBetter(than other: MembershipFinding) -> Bool {
        if rank != other.rank { return rank > other.rank }
        return VersionPattern.isOlder(other.provider?.version, provider?.version)
    }
}

/// Tests whether codes are in a value set, without expanding it (FHIR, Using Terminologies: Value set).
struct MembershipTest {
    let run: TerminologyRun
    /// The status of the value set of the request: what it uses is judged by it.
    let source: DefinitionStatus

    func find(_ coded: CheckedCode, in valueSet: PreparedValueSet) throws -> MembershipFinding {
        let definition = valueSet.definition
        if let name = definition.canonical { run.note(definition.status, name, isValueSet: true, source: source) }
        if let expanded = definition.expanded { return try find(coded, among: expanded) }
        var best = MembershipFinding.nothing
        for part in valueSet.includes {
            let found = try find(coded, in: part, of: definition)
            if found.isBetter(than: best) { best = found }
        }
        guard best.state == .member else { return best }
        if try valueSet.excludes.contains(where: { try excludes($0, coded, as: best, of: definition) }) { best.state = .notMember }
        if let concept = best.concept, concept.isInactive, definition.allowsInactive == false || run.settings.isActiveOnly {
            best.state = .notMember
            best.issues.append(
                TerminologyIssue(
                    .error, code: "business-rule", kind: "code-rule", id: "STATUS_CODE_WARNING_CODE", at: coded.place("code"),
                    "the concept '\(concept.code)' is not active, and the value set \(definition.title) has active codes only"))
        }
        return best
    }

    /// Whether a part of a value set has a code, whatever else the value set says of it.
    func isIn(_ part: PreparedValueSet.Part, _ coded: CheckedCode, _ definition: ValueSetDefinition) throws -> Bool {
        try find(coded, in: part, of: definition).state == .member
    }

    private func excludes(
        _ part: PreparedValueSet.Part, _ coded: CheckedCode, as member: MembershipFinding, of definition: ValueSetDefinition
    ) throws -> Bool {
        let plain = CheckedCode(system: coded.system, version: nil, code: coded.code, display: nil, path: coded.path)
        let found = try find(plain, in: part, of: definition)
        guard found.state == .member else { return false }
        return run.settings.matchesVersions ?? true || found.provider?.version == member.provider?.version
    }

    // MARK: - Parts

    private func find(
        _ coded: CheckedCode, in part: PreparedValueSet.Part, of definition: ValueSetDefinition
    ) throws -> MembershipFinding {
        try run.effort.step()
        var found: MembershipFinding?
        if let system = part.definition.system {
            guard let asked = coded.system, system == asked || run.library.systemURL(system) == run.library.systemURL(asked) else {
                return .nothing
            }
            let own = try find(coded, system, in: part, of: definition)
            guard own.state == .member else { return own }
            found = own
        }
        for other in part.imports {
            let imported = try run.membership(of: coded, in: other.content) { try find(coded, in: other.content) }
            if imported.state != .member {
                guard var own = found else { return imported }
                own.state = imported.state
                own.unknownSystems += imported.unknownSystems
                own.issues = Self.merged(own.issues, imported.issues)
                return own
            }
            guard var own = found else {
                found = imported
                continue
            }
            own.issues = Self.merged(own.issues, imported.issues)
            found = own
        }
        return found ?? .nothing
    }

    private static func merged(_ issues: [TerminologyIssue], _ others: [TerminologyIssue]) -> [TerminologyIssue] {
        issues + others.filter { !issues.contains($0) }
    }

    /// Tests the code in the part that names its system.
    private func find(
        _ coded: CheckedCode, _ system: String, in part: PreparedValueSet.Part, of definition: ValueSetDefinition
    ) throws -> MembershipFinding {
        var found = MembershipFinding(state: .notMember)
        found.provider = try provider(system, declared: part.definition.version, for: coded, &found)
        guard let provider = found.provider else {
            found.state = .unknown
            if !part.listed.isEmpty { found.listSays = part.listed[coded.code] != nil }
            return found
        }
        run.note(provider.facts.status, provider.canonical, isValueSet: false, source: source)
        if let issue = run.versionIssue(provider, at: coded.place("version")) { found.issues.append(issue) }
        guard let concept = try provider.concept(coded.code) else {
            let mayBeThere = provider.facts.isPartial && part.definition.filters.isEmpty
            guard mayBeThere, part.listed.isEmpty || part.listed[coded.code] != nil else { return found }
            found.issues.append(unknownCodeInFragment(coded, provider))
            found.state = .member
            return found
        }
        found.concept = concept
        if !part.listed.isEmpty {
            guard let listed = part.listed[concept.code] ?? part.listed[coded.code] else { return found }
            found.listed = listed
            found.valueSet = definition
        }
        if try part.definition.filters.allSatisfy({ try provider.matches(concept, $0, run.effort) }) { found.state = .member }
        return found
    }

    /// The code system that a part takes for a code, with what is wrong about the versions.
    private func provider(
        _ system: String, declared: String?, for coded: CheckedCode, _ found: inout MembershipFinding
    ) throws -> (any CodeProvider)? {
        let (wanted, rule) = OperationSettings.version(of: system, declared: declared, run.settings.systemRules)
        var target = wanted
        // What the value set leaves open, the code may say.
        if let own = coded.version, wanted.map({ VersionPattern.isPattern($0) && VersionPattern.matches(own, $0) }) ?? true,
            try run.system(system, own) != nil
        {
            target = own
        }
        let provider = try run.system(system, target)
        if let own = coded.version, !VersionPattern.matches(provider?.version ?? target, own) {
            if provider != nil || target != nil {
                let used = provider?.version ?? target ?? ""
                found.issues.append(mismatch(coded, own: own, used: used, declared: declared, rule: rule))
            }
            if try run.system(system, own) == nil, own != target {
                found.issues.append(try unknownSystem(system, own, coded))
                found.unknownSystems.append("\(system)|\(own)")
            }
        }
        if provider == nil {
            found.issues.append(try unknownSystem(system, target, coded))
            found.unknownSystems.append(target.map { "\(system)|\($0)" } ?? system)
        }
        return provider
    }

    private func mismatch(
        _ coded: CheckedCode, own: String, used: String, declared: String?, rule: OperationSettings.VersionRule?
    ) -> TerminologyIssue {
        let place = coded.place("version")
        let system = coded.system ?? ""
        if let rule {
            return TerminologyIssue(
                .error, code: "invalid", kind: "vs-invalid", id: "VALUESET_VALUE_MISMATCH_CHANGED", at: place,
                "\(rule.parameter) makes the value set use the version '\(rule.version)' of \(system) instead of '\(declared ?? "")', "
                    + "and the code is of the version '\(own)'")
        }
        if declared == nil {
            return TerminologyIssue(
                .warning, code: "invalid", kind: "vs-invalid", id: "VALUESET_VALUE_MISMATCH_DEFAULT", at: place,
                "the value set names no version of \(system), so '\(used)' is used, and the code is of the version '\(own)'")
        }
        return TerminologyIssue(
            .error, code: "invalid", kind: "vs-invalid", id: "VALUESET_VALUE_MISMATCH", at: place,
            "the value set uses the version '\(used)' of \(system), and the code is of the version '\(own)'")
    }

    /// The codes of an expansion without a definition.
    private func find(_ coded: CheckedCode, among expanded: [JSONItem]) throws -> MembershipFinding {
        var found = MembershipFinding(state: .notMember)
        var open = expanded
        while let item = open.popLast() {
            open += item["contains"]?.items ?? []
            guard item["system"]?.text == coded.system, item["code"]?.text == coded.code else { continue }
            if let own = coded.version, let version = item["version"]?.text, own != version { continue }
            found.state = .member
            let version = item["version"]?.text ?? coded.version
            found.provider = try coded.system.flatMap { try run.system($0, version) }
            found.concept = try found.provider?.concept(coded.code) ?? Concept(code: coded.code, display: item["display"]?.text)
            return found
        }
        return .nothing
    }

    // MARK: - Issues

    func unknownSystem(_ system: String, _ version: String?, _ coded: CheckedCode) throws -> TerminologyIssue {
        guard let version else {
            return TerminologyIssue(
                .error, code: "not-found", kind: "not-found", id: "UNKNOWN_CODESYSTEM", at: coded.place("system"),
                "the code system \(system) is unknown, so the code cannot be checked: add it")
        }
        return TerminologyIssue(
            .error, code: "not-found", kind: "not-found", id: "UNKNOWN_CODESYSTEM_VERSION", at: coded.place("system"),
            "the version '\(version)' of the code system \(system) is unknown, so the code cannot be checked: "
                + (try run.versionList(system)))
    }

    func unknownCodeInFragment(_ coded: CheckedCode, _ provider: any CodeProvider) -> TerminologyIssue {
        TerminologyIssue(
            .warning, code: "code-invalid", kind: "invalid-code", id: "UNKNOWN_CODE_IN_FRAGMENT", at: coded.place("code"),
            "the code '\(coded.code)' is not in the part of the code system \(provider.canonical) that is known, and may be in another")
    }
}
