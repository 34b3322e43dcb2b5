import FireLiteCore

/// What a check found about one code: whether it is in the value set or code system, and what else is to be said.
struct CodeFinding {
    let coded: CheckedCode
    var state: MembershipFinding.State
    /// The code system by which it was judged.
    var provider: (any CodeProvider)?
    var concept: Concept?
    var display: String?
    var issues: [TerminologyIssue] = []
    var unknownSystems: [String] = []
    /// Whether the value set itself is about the code system that is unknown.
    var isCausedByValueSet = false
    /// For an unknown code system, what the list of codes in the value set says; nil if it has no list.
    var listSays: Bool?

    var isValid: Bool { state == .member && !issues.contains { $0.severity == .error } }
}

/// Checks codes against a value set, or against their code system alone (operations `$validate-code` of ValueSet and CodeSystem).
struct CodeCheck {
    let run: TerminologyRun
    /// Nil to check against the code system alone.
    let valueSet: PreparedValueSet?
    /// Whether one of several codes is enough, so that a code which is not in the value set is no error by itself.
    var isOneOfSeveral = false

    private var test: MembershipTest { MembershipTest(run: run, source: valueSet?.definition.status ?? DefinitionStatus()) }
    private var settings: OperationSettings { run.settings }

    func check(_ coded: CheckedCode) throws -> CodeFinding {
        guard let system = coded.system, !system.isEmpty else { return withoutSystem(coded) }
        guard let valueSet else { return try checkAlone(coded, system) }
        let found = try test.find(coded, in: valueSet)
        var result = CodeFinding(coded: coded, state: found.state, provider: found.provider, concept: found.concept)
        result.issues = found.issues
        result.unknownSystems = found.unknownSystems
        result.isCausedByValueSet = found.isRelevant
        result.listSays = found.listSays
        switch found.state {
        case .member: addAbstract(&result, coded)
        case .notMember:
            if !found.isRelevant { try findElsewhere(system, coded, &result) }
            if result.concept == nil, let provider = result.provider { addUnknownCode(coded, provider, &result) }
        case .unknown:
            result.provider = try run.requestedSystem(system, version: coded.version) ?? run.requestedSystem(system, version: nil)
            result.concept = try result.provider?.concept(coded.code)
            // The rest is about a version that the value set does not use.
            result.display = result.concept.flatMap { names($0, found, result.provider).display(settings.languages) }
            return result
        }
        if result.state == .notMember { addNotMember(coded, valueSet, &result) }
        try addConcept(coded, found, &result)
        return result
    }

    // MARK: - Steps

    private func withoutSystem(_ coded: CheckedCode) -> CodeFinding {
        var result = CodeFinding(coded: coded, state: .notMember)
        result.issues.append(
            TerminologyIssue(
                .warning, code: "invalid", kind: "invalid-data", id: "Coding_has_no_system__cannot_validate", at: coded.path,
                isSummarized: true, "a code without a system means nothing, and cannot be checked: add its system"))
        if let valueSet { addNotMember(coded, valueSet, &result) }
        return result
    }

    /// Looks for the code in its code system, which the value set does not use.
    private func findElsewhere(_ system: String, _ coded: CheckedCode, _ result: inout CodeFinding) throws {
        if !Self.isAbsolute(system), !settings.isMembershipOnly {
            result.issues.append(
                TerminologyIssue(
                    .error, code: "invalid", kind: "invalid-data", id: "Terminology_TX_System_Relative", at: coded.place("system"),
                    "the system of a code is an absolute URI, and this one is not"))
        }
        result.provider = try run.requestedSystem(system, version: coded.version)
        guard let provider = result.provider else {
            if settings.isMembershipOnly { return }
            try addUnknownSystem(system, coded, &result)
            return
        }
        result.concept = try provider.concept(coded.code)
    }

    private func addUnknownSystem(_ system: String, _ coded: CheckedCode, _ result: inout CodeFinding) throws {
        if try run.library.hasValueSet(system) {
            result.issues.append(
                TerminologyIssue(
                    .error, code: "invalid", kind: "invalid-data", id: "Terminology_TX_System_ValueSet2", at: coded.place("system"),
                    "the system of the code is the URL of a value set, \(system), and not of a code system"))
            return
        }
        let isVersionUnknown = try coded.version != nil && run.system(system, nil) != nil
        let version = isVersionUnknown ? coded.version : nil
        result.issues.append(try test.unknownSystem(system, version, coded))
        result.unknownSystems.append(version.map { "\(system)|\($0)" } ?? system)
    }

    private func checkAlone(_ coded: CheckedCode, _ system: String) throws -> CodeFinding {
        var result = CodeFinding(coded: coded, state: .notMember)
        result.provider = try run.requestedSystem(system, version: coded.version)
        guard let provider = result.provider else {
            try addUnknownSystem(system, coded, &result)
            return result
        }
        run.note(provider.facts.status, provider.canonical, isValueSet: false, source: DefinitionStatus())
        if let issue = run.versionIssue(provider, at: coded.place("version")) { result.issues.append(issue) }
        result.concept = try provider.concept(coded.code)
        if result.concept != nil {
            result.state = .member
            addAbstract(&result, coded)
        } else if provider.facts.isPartial {
            result.issues.append(test.unknownCodeInFragment(coded, provider))
            result.state = .member
        } else {
            addUnknownCode(coded, provider, &result)
        }
        try addConcept(coded, .nothing, &result)
        return result
    }

    private func addAbstract(_ result: inout CodeFinding, _ coded: CheckedCode) {
        guard settings.allowsAbstract == false, let concept = result.concept, concept.isAbstract else { return }
        result.issues.append(
            TerminologyIssue(
                .error, code: "business-rule", kind: "code-rule", id: "ABSTRACT_CODE_NOT_ALLOWED", at: coded.place("code"),
                "the concept '\(concept.code)' is abstract: it stands for a group of concepts, and the request does not allow that"))
        result.state = .notMember
    }

    private func addUnknownCode(_ coded: CheckedCode, _ provider: any CodeProvider, _ result: inout CodeFinding) {
        guard !settings.isMembershipOnly else { return }
        if provider.facts.isPartial {
            result.issues.append(test.unknownCodeInFragment(coded, provider))
            return
        }
        result.issues.append(
            TerminologyIssue(
                .error, code: "code-invalid", kind: "invalid-code",
                id: provider.version == nil ? "Unknown_Code_in" : "Unknown_Code_in_Version", at: coded.place("code"),
                "the code system \(provider.canonical) has no code '\(coded.code)'"))
    }

    private func addNotMember(_ coded: CheckedCode, _ valueSet: PreparedValueSet, _ result: inout CodeFinding) {
        result.issues.append(
            TerminologyIssue(
                isOneOfSeveral ? .information : .error, code: "code-invalid", kind: isOneOfSeveral ? "this-code-not-in-vs" : "not-in-vs",
                id: "None_of_the_provided_codes_are_in_the_value_set_one", at: coded.place("code"),
                "the code '\(coded.system ?? "")#\(coded.code)' is not in the value set \(valueSet.definition.title)"))
    }

    /// What is to be said of a concept that exists, whether it is in the value set or not.
    private func addConcept(_ coded: CheckedCode, _ found: MembershipFinding, _ result: inout CodeFinding) throws {
        guard let concept = result.concept, let provider = result.provider else {
            result.display = result.concept?.display
            return
        }
        if concept.code != coded.code, !settings.isMembershipOnly {
            result.issues.append(
                TerminologyIssue(
                    .information, code: "business-rule", kind: "code-rule", id: "CODE_CASE_DIFFERENCE", at: coded.place("code"),
                    "the code '\(coded.code)' is '\(concept.code)' in the code system \(provider.canonical), which ignores case"))
        }
        if !settings.isMembershipOnly { addStatus(of: concept, coded, found: found, to: &result) }
        let isNamed = coded.display != nil && !settings.isMembershipOnly || settings.languages != nil
        let names = names(isNamed ? try provider.detailed(concept) : concept, found, provider)
        result.display = names.display(settings.languages) ?? concept.display
        guard let display = coded.display, !settings.isMembershipOnly else { return }
        let check = DisplayCheck(
            system: provider.url, names: names, facts: provider.facts, languages: settings.languages,
            isLenient: settings.isDisplayLenient)
        if let issue = check.issue(display, coded) { result.issues.append(issue) }
    }

    private func names(_ concept: Concept, _ found: MembershipFinding, _ provider: (any CodeProvider)?) -> ConceptNames {
        ConceptNames(
            concept, listed: found.listed, facts: provider?.facts ?? SystemFacts(), valueSetLanguage: found.valueSet?.language)
    }

    private func addStatus(of concept: Concept, _ coded: CheckedCode, found: MembershipFinding, to result: inout CodeFinding) {
        if concept.isInactive {
            let status = concept.status.map { $0 == "inactive" ? $0 : "\($0) and inactive" } ?? "inactive"
            result.issues.append(
                TerminologyIssue(
                    .warning, code: "business-rule", kind: "code-comment", id: "INACTIVE_CONCEPT_FOUND", at: coded.path,
                    isSummarized: true, "the concept '\(concept.code)' is \(status): review its use"))
        } else if concept.status == "deprecated" {
            result.issues.append(
                TerminologyIssue(
                    .warning, code: "business-rule", kind: "code-comment", id: "DEPRECATED_CONCEPT_FOUND", at: coded.path,
                    isSummarized: true, "the concept '\(concept.code)' is deprecated: review its use"))
        }
        if let warning = found.listed?.warning, result.state == .member {
            result.issues.append(
                TerminologyIssue(
                    .warning, code: "business-rule", kind: "code-comment", id: "CONCEPT_DEPRECATED_IN_VALUESET", at: coded.place("code"),
                    "the value set \(found.valueSet?.title ?? "") marks the concept '\(concept.code)' as \(warning): review its use"))
        }
    }

    /// Whether a system is an absolute URI (RFC 3986).
    private static func isAbsolute(_ system: String) -> Bool {
        guard let colon = system.firstIndex(of: ":"), colon != system.startIndex else { return false }
        return system[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
