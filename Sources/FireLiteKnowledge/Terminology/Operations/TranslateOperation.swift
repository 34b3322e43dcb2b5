import FireLiteCore

/// The operation `$translate` of ConceptMap, on Parameters of R4 or R5.
struct TranslateOperation {
    let library: TerminologyLibrary
    let parameters: RequestParameters
    /// Whether the response says `equivalence` with R4's codes, and not `relationship` with R5's.
    let isR4: Bool
    private let dependencies: Set<[String?]>

    init(library: TerminologyLibrary, parameters: RequestParameters, isR4: Bool) {
        (self.library, self.parameters, self.isR4) = (library, parameters, isR4)
        dependencies = Self.dependencies(parameters)
    }

    /// A code to translate.
    private struct Source {
        let system: String?
        let code: String
        let isReverse: Bool
        /// The maps to which others referred.
        let asked = AskedMaps()
    }

    private final class AskedMaps {
        private var urls: Set<String> = []

        func insert(_ url: String) -> Bool { urls.insert(url).inserted }
    }

    private struct Match {
        let map: ConceptMapDefinition
        let relationship: String
        let target: JSONItem
        /// For a translation backwards, the code that the map starts from.
        let source: JSONItem?
        let products: [JSONItem]
    }

    /// - Throws: ``TerminologyError`` for a request without a code, and for a concept map that is unknown.
    func run() throws -> JSONItem {
        let sources = try sources()
        let maps = try maps()
        var matches: [Match] = []
        for source in sources { for map in maps { matches += try self.matches(source, map, 0) } }
        let isPositive = matches.contains { $0.relationship != "not-related-to" }
        var result = ResponseParameters()
        result.add("result", "valueBoolean", .bool(isPositive))
        if !isPositive {
            result.add(
                "message", "valueString", maps.isEmpty ? "no concept map fits the request: add one" : "no concept map has a translation")
        }
        for match in matches {
            let relationship = JSONItem.string(isR4 ? Self.equivalence[match.relationship] ?? "relatedto" : match.relationship)
            result.add(
                "match",
                parts: [
                    ResponseParameters.part(isR4 ? "equivalence" : "relationship", "valueCode", relationship),
                    ResponseParameters.part("concept", "valueCoding", match.target),
                    ResponseParameters.part("source", "valueCoding", match.source),
                    ResponseParameters.part("originMap", "valueCanonical", match.map.canonical.map { .string($0) }),
                ].compactMap(\.self) + match.products)
        }
        return result.json
    }

    // MARK: - Request

    private func sources() throws -> [Source] {
        let isReverse = parameters.bool("reverse") ?? false
        func source(_ coding: JSONItem, _ isReverse: Bool) -> Source? {
            coding["code"]?.text.map { Source(system: coding["system"]?.text, code: $0, isReverse: isReverse) }
        }
        for (name, isBackwards) in [("sourceCoding", false), ("coding", isReverse), ("targetCoding", true)] {
            if let coding = parameters.value(name, "Coding") { return [source(coding, isBackwards)].compactMap(\.self) }
        }
        for (name, isBackwards) in [("sourceCodeableConcept", false), ("codeableConcept", isReverse), ("targetCodeableConcept", true)] {
            if let concept = parameters.value(name, "CodeableConcept") {
                return (concept["coding"]?.items ?? []).compactMap { source($0, isBackwards) }
            }
        }
        if let code = parameters.text("sourceCode") ?? parameters.text("code") {
            let system = parameters.text("sourceSystem") ?? parameters.text("system")
            return [Source(system: system.map { Canonical($0).url }, code: code, isReverse: isReverse)]
        }
        if let code = parameters.text("targetCode") {
            return [Source(system: parameters.text("targetSystem").map { Canonical($0).url }, code: code, isReverse: true)]
        }
        throw TerminologyError(
            .invalid, "invalid",
            "the request has no code: give sourceCode with sourceSystem, sourceCoding, sourceCodeableConcept, or a target")
    }

    private func maps() throws -> [ConceptMapDefinition] {
        if let json = parameters.resource("conceptMap") {
            return EarlierDefinitions.current(json).map { ConceptMapDefinition($0) }
        }
        if let url = parameters.text("url") {
            let canonical = Canonical(url)
            let version = parameters.text("conceptMapVersion") ?? canonical.version
            guard let map = try library.map(canonical.url, version: version) else {
                throw TerminologyError(
                    .notFound, "not-found", kind: "not-found", "the concept map \(url) is unknown: add it")
            }
            return [map]
        }
        let sourceScope = parameters.text("sourceScope") ?? parameters.text("source")
        let targetScope = parameters.text("targetScope") ?? parameters.text("target")
        return library.maps.filter { map in
            [(sourceScope, map.sourceScope), (targetScope, map.targetScope)].allSatisfy { wanted, own in
                wanted.map { own.map { Canonical($0).url } == Canonical($0).url } ?? true
            }
        }
    }

    /// The code system of the answer that the request asks for.
    private func wantedSystem(_ source: Source) -> String? {
        let name = source.isReverse ? "sourceSystem" : parameters.text("targetSystem") == nil ? "targetsystem" : "targetSystem"
        return parameters.text(name).map { Canonical($0).url }
    }

    // MARK: - Maps

    private static let deepest = 10

    private func matches(_ source: Source, _ map: ConceptMapDefinition, _ depth: Int) throws -> [Match] {
        let wanted = wantedSystem(source)
        return try map.groups.flatMap { group -> [Match] in
            let (own, other) = source.isReverse ? (group.target, group.source) : (group.source, group.target)
            guard source.system == nil || own == nil || own == source.system, wanted == nil || other == nil || other == wanted else {
                return []
            }
            return source.isReverse ? backwards(source, group, of: map) : try forwards(source, group, of: map, depth: depth)
        }
    }

    private func forwards(
        _ source: Source, _ group: ConceptMapDefinition.Group, of map: ConceptMapDefinition, depth: Int
    ) throws -> [Match] {
        guard let elements = group.elements[source.code] else { return try unmapped(source, group, of: map, depth: depth) }
        return elements.flatMap { element in
            (element["target"]?.items ?? []).compactMap { target -> Match? in
                guard meetsConditions(target) else { return nil }
                return Match(
                    map: map, relationship: Self.relationship(target),
                    target: Self.coding(group.target, target["code"]?.text, target["display"]), source: nil, products: products(target))
            }
        }
    }

    private func backwards(_ source: Source, _ group: ConceptMapDefinition.Group, of map: ConceptMapDefinition) -> [Match] {
        group.order.flatMap { code in
            (group.elements[code] ?? []).flatMap { element in
                (element["target"]?.items ?? []).filter { $0["code"]?.text == source.code && meetsConditions($0) }.map { target in
                    Match(
                        map: map, relationship: Self.relationship(target),
                        target: Self.coding(group.target, source.code, target["display"]),
                        source: Self.coding(group.source, code, element["display"]), products: [])
                }
            }
        }
    }

    /// What the group says of codes that it does not list.
    private func unmapped(
        _ source: Source, _ group: ConceptMapDefinition.Group, of map: ConceptMapDefinition, depth: Int
    ) throws -> [Match] {
        guard let unmapped = group.unmapped, depth < Self.deepest else { return [] }
        let relationship = Self.relationship(unmapped)
        switch unmapped["mode"]?.text {
        case "fixed":
            guard let code = unmapped["code"]?.text else { return [] }
            let target = Self.coding(group.target, code, unmapped["display"])
            return [Match(map: map, relationship: relationship, target: target, source: nil, products: [])]
        case "provided", "use-source-code":
            let target = Self.coding(group.target, source.code, nil)
            return [Match(map: map, relationship: relationship, target: target, source: nil, products: [])]
        case "other-map":
            guard let url = unmapped["otherMap"]?.text ?? unmapped["url"]?.text else { return [] }
            let canonical = Canonical(url)
            guard let other = try library.map(canonical.url, version: canonical.version) else {
                throw TerminologyError(
                    .notFound, "not-found", kind: "not-found", "the concept map \(url), to which another one refers, is unknown: add it")
            }
            // Several groups may lead to one map, and maps in circles: each is asked once.
            guard source.asked.insert(canonical.description) else { return [] }
            return try matches(source, other, depth + 1)
        default: return []
        }
    }

    /// Whether the request has the dependencies of a target.
    private func meetsConditions(_ target: JSONItem) -> Bool {
        (target["dependsOn"]?.items ?? []).allSatisfy { condition in
            let name = condition["attribute"]?.text ?? condition["property"]?.text
            // STU3 has the value in `code`.
            let value = condition["value"]?.text ?? condition["code"]?.text ?? condition.valueText ?? Self.codingCode(condition)
            return dependencies.contains([name, value])
        }
    }

    /// The attributes with their values that the request has.
    private static func dependencies(_ parameters: RequestParameters) -> Set<[String?]> {
        Set(
            parameters.all("dependency").map { dependency in
                let parts = dependency["part"]?.items ?? []
                func part(_ names: String...) -> JSONItem? { parts.first { names.contains($0["name"]?.text ?? "") } }
                let value = part("value", "concept")
                return [part("attribute", "element")?.valueText, value?.valueText ?? codingCode(value)]
            })
    }

    private static func codingCode(_ item: JSONItem?) -> String? {
        item?["valueCoding"]?["code"]?.text ?? item?["valueCodeableConcept"]?["coding"]?.items.first?["code"]?.text
    }

    private func products(_ target: JSONItem) -> [JSONItem] {
        (target["product"]?.items ?? []).map { product in
            let attribute = product["attribute"] ?? product["property"]
            let value = product.members.first { $0.name.hasPrefix("value") }
            let parts = [
                ResponseParameters.part(isR4 ? "element" : "attribute", "valueUri", attribute),
                value.flatMap { ResponseParameters.part("value", $0.name == "value" ? "valueString" : $0.name, $0.value) },
            ]
            return .object(["name": .string("product"), "part": .array(parts.compactMap(\.self))])
        }
    }

    private static func coding(_ system: String?, _ code: String?, _ display: JSONItem?) -> JSONItem {
        .object(["system": system.map { .string($0) }, "code": code.map { .string($0) }, "display": display])
    }

    // MARK: - Relationships

    /// R5's code of a relationship, which R4 calls equivalence.
    private static func relationship(_ target: JSONItem) -> String {
        if let relationship = target["relationship"]?.text { return relationship }
        switch target["equivalence"]?.text {
        case "equivalent", "equal": return "equivalent"
        case "wider", "subsumes": return "source-is-narrower-than-target"
        case "narrower", "specializes": return "source-is-broader-than-target"
        case "unmatched", "disjoint": return "not-related-to"
        default: return "related-to"
        }
    }

    private static let equivalence = [
        "equivalent": "equivalent", "related-to": "relatedto", "source-is-narrower-than-target": "wider",
        "source-is-broader-than-target": "narrower", "not-related-to": "disjoint",
    ]
}
