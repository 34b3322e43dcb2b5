import FireLiteCore

/// The operations `$validate-code` of ValueSet and CodeSystem, on Parameters.
struct ValidateOperation {
    let library: TerminologyLibrary
    let parameters: RequestParameters
    let language: String?

    /// - Throws: ``TerminologyError`` for a request without a code, and for a value set that is unknown or cannot be used.
    func inValueSet() throws -> JSONItem {
        guard let definition = try TerminologyRun.valueSet(parameters, library) else {
            throw TerminologyError(.invalid, "invalid", "the request names no value set: add the parameter url or valueSet")
        }
        let run = try TerminologyRun(library, OperationSettings(parameters, valueSet: definition, header: language))
        let codes = try requested(system: nil)
        do {
            let valueSet = try run.prepare(definition)
            if let code = codes.first, codes.count == 1, code.coded.system == nil, code.form == .code {
                return try inferred(code.coded, valueSet, run)
            }
            return try validate(codes, valueSet, run)
        } catch let error as TerminologyError {
            return try response(toFailure: error, codes.map(\.coded), run)
        }
    }

    /// - Throws: ``TerminologyError`` for a request without a code or a code system.
    func inCodeSystem() throws -> JSONItem {
        var library = library
        var system: String?
        if let json = parameters.resource("codeSystem") {
            library.add(json)
            system = json["url"]?.text
        } else if let url = parameters.text("url") ?? parameters.text("system") {
            system = Canonical(url).url
        }
        let run = try TerminologyRun(library, OperationSettings(parameters, header: language))
        let codes = try requested(system: system)
        if codes.contains(where: { $0.form == .code && $0.coded.system == nil }) {
            throw TerminologyError(.invalid, "invalid", "the request names no code system: add the parameter url")
        }
        return try validate(codes, nil, run)
    }

    // MARK: - Codes

    /// How a request gives its code.
    private enum Form {
        case code, coding, concept
    }

    private func requested(system: String?) throws -> [(form: Form, coded: CheckedCode)] {
        if let concept = parameters.value("codeableConcept", "CodeableConcept") {
            return (concept["coding"]?.items ?? []).enumerated().map { place, coding in
                (.concept, checked(coding, "CodeableConcept.coding[\(place)]", system))
            }
        }
        if let coding = parameters.value("coding", "Coding") { return [(.coding, checked(coding, "Coding", system))] }
        let version = parameters.text("systemVersion") ?? parameters.text("version")
        guard let code = parameters.text("code") else { throw Self.noCode }
        let named = system ?? parameters.text("system")
        return [(.code, CheckedCode(system: named, version: version, code: code, display: parameters.text("display"), path: ""))]
    }

    private func checked(_ coding: JSONItem, _ path: String, _ system: String?) -> CheckedCode {
        CheckedCode(
            system: coding["system"]?.text ?? system, version: coding["version"]?.text, code: coding["code"]?.text ?? "",
            display: coding["display"]?.text, path: path)
    }

    private static let noCode = TerminologyError(
        .invalid, "invalid",
        "the request has no code: give coding, codeableConcept, code with system, or code with inferSystem")

    /// A code whose system is the one of the value set that has it.
    private func inferred(_ coded: CheckedCode, _ valueSet: PreparedValueSet, _ run: TerminologyRun) throws -> JSONItem {
        guard parameters.bool("inferSystem") == true else { throw Self.noCode }
        let systems = try SystemInference(run: run).systems(of: coded, in: valueSet)
        if systems.count == 1, let system = systems.first {
            let whole = CheckedCode(system: system, version: coded.version, code: coded.code, display: coded.display, path: "")
            return try validate([(.code, whole)], valueSet, run)
        }
        var finding = CodeFinding(coded: coded, state: .notMember)
        let name = valueSet.definition.title
        finding.issues = [
            TerminologyIssue(
                .error, code: "code-invalid", kind: "not-in-vs", id: "None_of_the_provided_codes_are_in_the_value_set_one",
                at: coded.place("code"), "the code '#\(coded.code)' is not in the value set \(name)"),
            TerminologyIssue(
                .error, code: "not-found", kind: "cannot-infer",
                id: systems.isEmpty ? "UNABLE_TO_INFER_CODESYSTEM" : "Unable_to_resolve_system__value_set_has_multiple_matches",
                at: coded.place("code"),
                systems.isEmpty
                    ? "no code system of the value set \(name) has the code '\(coded.code)'"
                    : "several code systems of the value set \(name) have the code '\(coded.code)': \(systems.joined(separator: ", "))"),
        ]
        return response([finding], isConcept: false, run)
    }

    // MARK: - Response

    private func validate(
        _ codes: [(form: Form, coded: CheckedCode)], _ valueSet: PreparedValueSet?, _ run: TerminologyRun
    ) throws -> JSONItem {
        let isConcept = parameters.value("codeableConcept", "CodeableConcept") != nil
        let check = CodeCheck(run: run, valueSet: valueSet, isOneOfSeveral: isConcept)
        var findings = try codes.map { try check.check($0.coded) }
        if isConcept, !findings.contains(where: { $0.state != .notMember }), let valueSet {
            let general = TerminologyIssue(
                .error, code: "code-invalid", kind: "not-in-vs", id: "TX_GENERAL_CC_ERROR_MESSAGE",
                "no code is in the value set \(valueSet.definition.title)")
            if findings.isEmpty {
                let nothing = CheckedCode(system: nil, version: nil, code: "", display: nil, path: "CodeableConcept")
                findings = [CodeFinding(coded: nothing, state: .notMember)]
            }
            findings[0].issues.insert(general, at: 0)
        }
        return response(findings, isConcept: isConcept, run)
    }

    private func response(_ findings: [CodeFinding], isConcept: Bool, _ run: TerminologyRun) -> JSONItem {
        let chosen =
            isConcept
            ? findings.first { $0.isValid } ?? findings.first { $0.state == .member }
            : findings.first
        let issues = TerminologyIssue.sorted(findings.flatMap(\.issues) + run.statusNotes.map(\.issue))
        let isValid = chosen?.state == .member && !issues.contains { $0.severity == .error }
        var result = ResponseParameters()
        result.add("result", "valueBoolean", .bool(isValid))
        if isConcept { result.add("codeableConcept", "valueCodeableConcept", parameters.value("codeableConcept", "CodeableConcept")) }
        if let chosen {
            let concept = chosen.concept
            result.add("code", "valueCode", chosen.coded.code.isEmpty ? nil : chosen.coded.code)
            result.add("system", "valueUri", chosen.coded.system)
            result.add("version", "valueString", chosen.provider?.version)
            result.add("display", "valueString", chosen.display)
            if let concept {
                if concept.isInactive {
                    result.add("inactive", "valueBoolean", .bool(true))
                    result.add("status", "valueCode", concept.status)
                }
                if concept.code != chosen.coded.code, chosen.state == .member {
                    result.add("normalized-code", "valueCode", concept.code)
                }
            }
        }
        for finding in findings {
            let isCause = finding.isCausedByValueSet || finding.state != .notMember
            for system in finding.unknownSystems {
                result.add(isCause ? "x-caused-by-unknown-system" : "x-unknown-system", "valueCanonical", system)
            }
        }
        let summary = issues.filter(\.isSummarized).map(\.text)
        if !summary.isEmpty { result.add("message", "valueString", summary.joined(separator: "; ")) }
        if !issues.isEmpty { result.add("issues", "resource", TerminologyIssue.outcome(issues)) }
        return result.json
    }

    /// A failure that leaves the question open is an answer, not an error: an import that is unknown, an expression that takes too long.
    private func response(toFailure error: TerminologyError, _ codes: [CheckedCode], _ run: TerminologyRun) throws -> JSONItem {
        guard error.code == .notFound || error.code == .limit else { throw error }
        var result = ResponseParameters()
        result.add("result", "valueBoolean", .bool(false))
        result.add("message", "valueString", error.message)
        if let concept = parameters.value("codeableConcept", "CodeableConcept") {
            result.add("codeableConcept", "valueCodeableConcept", concept)
        } else if let coded = codes.first {
            result.add("code", "valueCode", coded.code)
            result.add("system", "valueUri", coded.system)
        }
        if error.code != .limit { result.add("issues", "resource", TerminologyIssue.outcome(error.issues)) }
        return result.json
    }
}

/// Finds the code systems of a value set that have a code.
struct SystemInference {
    let run: TerminologyRun

    func systems(of coded: CheckedCode, in valueSet: PreparedValueSet) throws -> [String] {
        var found: [String] = []
        try collect(coded, valueSet, &found)
        let test = MembershipTest(run: run, source: valueSet.definition.status)
        return try found.filter { system in
            let whole = CheckedCode(system: system, version: coded.version, code: coded.code, display: nil, path: "")
            return try test.find(whole, in: valueSet).state == .member
        }
    }

    /// The systems that have the code, whether a filter or an exclusion takes it away or not.
    private func collect(_ coded: CheckedCode, _ valueSet: PreparedValueSet, _ found: inout [String]) throws {
        for item in valueSet.definition.expanded ?? [] {
            if item["code"]?.text == coded.code, let system = item["system"]?.text, !found.contains(system) { found.append(system) }
        }
        for part in valueSet.includes {
            for other in part.imports { try collect(coded, other.content, &found) }
            guard let system = part.definition.system, !found.contains(system) else { continue }
            if !part.listed.isEmpty, part.listed[coded.code] == nil, part.listed[coded.code.lowercased()] == nil { continue }
            let version = OperationSettings.version(of: system, declared: part.definition.version, run.settings.systemRules).version
            if try run.system(system, version)?.concept(coded.code) != nil { found.append(system) }
        }
    }
}

extension TerminologyRun.StatusNote {
    var issue: TerminologyIssue {
        TerminologyIssue(
            .information, code: "business-rule", kind: "status-check", id: "MSG_\(word.uppercased())",
            "the \(isValueSet ? "value set" : "code system") \(canonical) is \(word)")
    }
}
