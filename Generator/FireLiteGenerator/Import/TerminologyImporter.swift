/// Finds the codes of value sets in a definitions package.
struct TerminologyImporter {
    /// ValueSets with a `compose` or a code system of their own, by URL.
    private var valueSets: [String: DefinitionResource] = [:]
    /// Expanded ValueSets by URL.
    private var expansions: [String: DefinitionResource] = [:]
    /// Lists of concepts by the URL of their code system.
    private var codeSystems: [String: [JSONNode]] = [:]

    /// The maximum depth of value sets that include others.
    private static let longestImport = 32

    init(_ resources: [DefinitionResource]) {
        for resource in resources {
            guard let url = resource.node["url"]?.string else { continue }
            if resource.type == "ValueSet" {
                if resource.node["expansion"] != nil, expansions[url] == nil { expansions[url] = resource }
                if resource.node["expansion"] == nil || valueSets[url] == nil { valueSets[url] = resource }
                // DSTU2 keeps code systems inside value sets.
                if let system = resource.node["codeSystem"], let url = system["system"]?.string, codeSystems[url] == nil {
                    codeSystems[url] = system.list("concept")
                }
            } else if resource.type == "CodeSystem", resource.node["content"]?.string == "complete" {
                codeSystems[url] = resource.node.list("concept")
            }
        }
    }

    /// The value sets behind the required bindings of some types.
    func importValueSets(boundBy types: [TypeDefinition]) throws -> [ValueSetDefinition] {
        var result: [String: ValueSetDefinition] = [:]
        for element in types.flatMap({ $0.elements + $0.backbones.flatMap(\.elements) }) {
            guard let binding = element.binding, binding.strength == .required, let url = binding.valueSet,
                result[url] == nil
            else { continue }
            guard let resource = valueSets[url] ?? expansions[url] else {
                let name = binding.name ?? StructureImporter.lastComponent(of: url)
                result[url] = ValueSetDefinition(url: url, name: name, codes: [], location: element.location)
                continue
            }
            let name = resource.node["name"]?.string.map(DefinitionResource.oneLine) ?? StructureImporter.lastComponent(of: url)
            let codes = try unique(expandedCodes(of: url) ?? composedCodes(of: url, within: []) ?? [], in: resource)
            result[url] = ValueSetDefinition(
                url: url, name: name, codes: codes, location: resource.location(of: resource.node))
        }
        return Array(result.values)
    }

    /// A message about value sets of required bindings that the package lacks, whose codes are `String` in Swift; nil if it lacks none.
    func note(on types: [TypeDefinition], in folder: String) -> String? {
        let bound = Set(
            types.flatMap { $0.elements + $0.backbones.flatMap(\.elements) }.compactMap { element in
                element.binding.flatMap { $0.strength == .required ? $0.valueSet : nil }
            })
        let missing = bound.filter { valueSets[$0] == nil && expansions[$0] == nil }.sorted()
        guard let first = missing.first else { return nil }
        if missing.count == bound.count {
            return "none of the \(bound.count) ValueSets of required bindings is in \(folder): every code is a `String`"
        }
        return "\(missing.count) of \(bound.count) ValueSets of required bindings are not in \(folder), their codes are `String`: "
            + first + (missing.count == 1 ? "" : " and \(missing.count - 1) more")
    }

    private func unique(_ codes: [String], in resource: DefinitionResource) throws -> [String] {
        var seen: Set<String> = []
        for code in codes where !Identifier.isLine(code) {
            throw GeneratorError("`\(code)` is not a code", at: resource.location(of: resource.node))
        }
        return codes.filter { seen.insert($0).inserted }
    }

    // MARK: - Expansion

    /// The codes of an expansion; `nil` when there is none or it does not list them all.
    private func expandedCodes(of url: String) -> [String]? {
        guard let expansion = expansions[url]?.node["expansion"], isComplete(expansion) else { return nil }
        return flatten(expansion.list("contains"), children: "contains").filter { $0["abstract"]?.bool != true }
            .compactMap { $0["code"]?.string }
    }

    /// Whether an expansion lists all codes.
    ///
    /// An expansion of a value set without end (UCUM, MIME types) or one whose code system the publisher does not own
    /// (ISO 3166, ISO 4217) is marked as too costly, as unclosed or as limited.
    private func isComplete(_ expansion: JSONNode) -> Bool {
        let marks = expansion.list("extension").compactMap { $0["url"]?.string }
        let isMarked = marks.contains { $0.hasSuffix("/valueset-toocostly") || $0.hasSuffix("/valueset-unclosed") }
        let isLimited = expansion.list("parameter").contains { $0["name"]?.string == "limitedExpansion" }
        return !isMarked && !isLimited && !expansion.list("contains").isEmpty
    }

    // MARK: - Composition

    /// The codes of a value set's own definition; `nil` when it needs anything that is not in the package.
    private func composedCodes(of url: String, within visited: Set<String>) -> [String]? {
        guard let node = valueSets[url]?.node, !visited.contains(url), visited.count < Self.longestImport else { return nil }
        let visited = visited.union([url])
        var codes = node["codeSystem"].map { selectable($0.list("concept")) } ?? []
        for imported in node["compose"]?.list("import") ?? [] {
            guard let url = imported.string, let more = composedCodes(of: url, within: visited) else { return nil }
            codes += more
        }
        for include in node["compose"]?.list("include") ?? [] {
            guard let more = includedCodes(include, within: visited) else { return nil }
            codes += more
        }
        for exclude in node["compose"]?.list("exclude") ?? [] {
            guard let fewer = includedCodes(exclude, within: visited) else { return nil }
            codes.removeAll { fewer.contains($0) }
        }
        return codes
    }

    private func includedCodes(_ include: JSONNode, within visited: Set<String>) -> [String]? {
        guard include.list("filter").isEmpty else { return nil }
        var codes: [String]?
        if !include.list("concept").isEmpty {
            codes = include.list("concept").compactMap { $0["code"]?.string }
        } else if let system = include["system"]?.string {
            guard let concepts = codeSystems[system] else { return nil }
            codes = selectable(concepts)
        }
        // Several conditions in one `include` hold together.
        for valueSet in include.list("valueSet") {
            guard let url = valueSet.string, let more = composedCodes(of: url, within: visited) else { return nil }
            codes = codes.map { $0.filter(more.contains) } ?? more
        }
        return codes
    }

    /// Codes of a code system that may be used, not only group others.
    private func selectable(_ concepts: [JSONNode]) -> [String] {
        flatten(concepts, children: "concept").filter { concept in
            let isGroup = concept.list("property").contains {
                ["abstract", "notSelectable"].contains($0["code"]?.string) && $0["valueBoolean"]?.bool == true
            }
            return !isGroup && concept["abstract"]?.bool != true
        }.compactMap { $0["code"]?.string }
    }

    private func flatten(_ concepts: [JSONNode], children: String) -> [JSONNode] {
        concepts.flatMap { [$0] + flatten($0.list(children), children: children) }
    }
}
