import FireLiteCore

/// The operation `$lookup` of CodeSystem, on Parameters.
struct LookupOperation {
    let library: TerminologyLibrary
    let parameters: RequestParameters
    let language: String?
    /// The properties that the request asks for.
    private let requested: Set<String>

    init(library: TerminologyLibrary, parameters: RequestParameters, language: String?) {
        (self.library, self.parameters, self.language) = (library, parameters, language)
        requested = Set(parameters.texts("property"))
    }

    /// - Throws: ``TerminologyError`` for a request without a code, and for a code or a code system that is unknown.
    func run() throws -> JSONItem {
        let coding = parameters.value("coding", "Coding")
        guard let code = coding?["code"]?.text ?? parameters.text("code"), let system = coding?["system"]?.text ?? parameters.text("system")
        else {
            throw TerminologyError(.invalid, "invalid", "the request has no code: give coding, or code and system")
        }
        let canonical = Canonical(system)
        let run = try TerminologyRun(library, OperationSettings(parameters, header: language))
        let version = coding?["version"]?.text ?? parameters.text("version") ?? canonical.version
        let (provider, concept) = try run.known(code, canonical.url, version)
        return response(try provider.detailed(concept), of: provider, run: run, hierarchy: try hierarchy(provider, concept))
    }

    private func isWanted(_ property: String) -> Bool { requested.isEmpty || requested.contains("*") || requested.contains(property) }

    private func hierarchy(_ provider: any CodeProvider, _ concept: Concept) throws -> [(property: String, concept: Concept)] {
        let parents = isWanted("parent") ? try provider.parentConcepts(of: concept.code) : []
        let children = isWanted("child") ? try provider.childConcepts(of: concept.code) : []
        return parents.map { (property: "parent", concept: $0) } + children.map { (property: "child", concept: $0) }
    }

    private func response(
        _ concept: Concept, of provider: any CodeProvider, run: TerminologyRun, hierarchy: [(property: String, concept: Concept)]
    ) -> JSONItem {
        let languages = run.settings.languages
        let names = ConceptNames(concept, listed: nil, facts: provider.facts)
        var result = ResponseParameters()
        result.add("name", "valueString", provider.facts.name ?? provider.url)
        result.add("version", "valueString", provider.version)
        result.add("system", "valueUri", provider.url)
        result.add("code", "valueCode", concept.code)
        result.add("display", "valueString", names.display(languages) ?? concept.display ?? concept.code)
        result.add("definition", "valueString", concept.definition)
        result.add("abstract", "valueBoolean", .bool(concept.isAbstract))
        for name in names.names where requested.isEmpty || requested.contains("*") || requested.contains("designation") {
            let use = name.designation.map(\.use) ?? ConceptNames.preferredUse
            result.add(
                "designation",
                parts: [
                    ResponseParameters.part("language", "valueCode", name.language.map { .string($0) }),
                    ResponseParameters.part("use", "valueCoding", use),
                    ResponseParameters.part("value", "valueString", .string(name.value)),
                ].compactMap(\.self))
        }
        func add(_ property: String, _ member: String, _ value: JSONItem, description: String? = nil) {
            result.add(
                "property",
                parts: [
                    ResponseParameters.part("code", "valueCode", .string(property)),
                    ResponseParameters.part("value", member, value),
                    ResponseParameters.part("description", "valueString", description.map { .string($0) }),
                ].compactMap(\.self))
        }
        if isWanted("inactive") { add("inactive", "valueBoolean", .bool(concept.isInactive)) }
        for (property, other) in hierarchy { add(property, "valueCode", .string(other.code), description: other.display) }
        for property in concept.properties where isWanted(property.code) && !Self.computed.contains(property.code) {
            add(property.code, property.member, property.value)
        }
        return result.json
    }

    /// Properties that the answer has from the hierarchy and the status.
    private static let computed: Set<String> = ["inactive", "parent", "child"]
}

/// The operation `$subsumes` of CodeSystem, on Parameters.
struct SubsumesOperation {
    let library: TerminologyLibrary
    let parameters: RequestParameters

    /// - Throws: ``TerminologyError`` for a request without two codes of one code system, and for those that are unknown.
    func run() throws -> JSONItem {
        let codings = ["A", "B"].map { parameters.value("coding" + $0, "Coding") }
        let codes = zip(codings, ["A", "B"]).map { $0?["code"]?.text ?? parameters.text("code" + $1) }
        let systems = codings.compactMap { $0?["system"]?.text }
        guard let first = codes[0], let second = codes[1], let system = parameters.text("system") ?? systems.first,
            systems.allSatisfy({ $0 == Canonical(system).url })
        else {
            throw TerminologyError(
                .invalid, "invalid",
                "the request has not two codes of one code system: give codeA, codeB and system, or codingA and codingB")
        }
        let run = try TerminologyRun(library, OperationSettings(parameters))
        let version = codings.lazy.compactMap { $0?["version"]?.text }.first ?? parameters.text("version") ?? Canonical(system).version
        var result = ResponseParameters()
        result.add("outcome", "valueCode", try run.relation(of: first, to: second, in: Canonical(system).url, version: version).rawValue)
        return result.json
    }
}

extension TerminologyRun {
    /// A concept with its code system.
    ///
    /// - Throws: ``TerminologyError`` if one of them is unknown.
    func known(_ code: String, _ system: String, _ version: String?) throws -> (any CodeProvider, Concept) {
        guard let provider = try requestedSystem(system, version: version) else {
            throw TerminologyError(
                .notFound, "not-found", kind: "not-found", id: version == nil ? "UNKNOWN_CODESYSTEM" : "UNKNOWN_CODESYSTEM_VERSION",
                "the code system \(system)\(version.map { "|" + $0 } ?? "") is unknown: add it; " + (try versionList(system)))
        }
        if let issue = versionIssue(provider, at: nil) { throw TerminologyError(.version, issue) }
        guard let concept = try provider.concept(code) else {
            throw TerminologyError(
                .notFound, "not-found", kind: "invalid-code", id: "Unknown_Code_in_Version", at: "code",
                "the code system \(provider.canonical) has no code '\(code)'")
        }
        return (provider, concept)
    }

    /// How two codes of a code system relate.
    func relation(of first: String, to second: String, in system: String, version: String?) throws -> CodeRelation {
        let (provider, one) = try known(first, system, version)
        let other = try known(second, system, version).1
        return try provider.relation(of: one, to: other)
    }
}
