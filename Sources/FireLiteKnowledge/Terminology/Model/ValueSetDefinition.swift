import FireLiteCore

/// A value set of a ValueSet resource.
struct ValueSetDefinition: Sendable {
    /// A part of the definition that adds codes, or takes them away.
    struct Part: Sendable {
        let system: String?
        /// The version of the code system that it names.
        let version: String?
        let concepts: [Listed]
        /// The same by code.
        let listed: [ExactText: Listed]
        let filters: [ConceptFilter]
        /// The value sets that codes must be in, all of them.
        let imports: [String]

        init(system: String?, version: String?, concepts: [Listed], filters: [ConceptFilter], imports: [String]) {
            (self.system, self.version, self.concepts, self.filters, self.imports) = (system, version, concepts, filters, imports)
            listed = Dictionary(concepts.map { (ExactText($0.code), $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// Whether it lists codes of the same code system as another part, so that both together are one list.
        fileprivate func continues(_ other: Part) -> Bool {
            !concepts.isEmpty && !other.concepts.isEmpty && system == other.system && version == other.version && filters.isEmpty
                && other.filters.isEmpty && imports.isEmpty && other.imports.isEmpty
        }
    }

    /// A code that a part lists.
    struct Listed: Sendable {
        let code: String
        let display: String?
        let designations: [Concept.Designation]
        let extensions: [JSONItem]

        /// The status that the value set gives the code: `deprecated` or `withdrawn`; nil if it is current.
        var warning: String? {
            for item in extensions {
                switch item["url"]?.text {
                case KnownExtension.deprecated where item.valueText == "true": return "deprecated"
                case KnownExtension.standardsStatus where item.valueText == "deprecated" || item.valueText == "withdrawn":
                    return item.valueText
                default: break
                }
            }
            return nil
        }
    }

    let json: JSONItem
    let url: String?
    let version: String?
    let status: DefinitionStatus
    let language: String?
    /// Whether inactive codes are members, if the value set says so.
    let allowsInactive: Bool?
    let includes: [Part]
    let excludes: [Part]
    /// The supplements that the definition demands.
    let supplements: [String]
    /// The parameters that the definition sets for its expansions.
    let parameters: [(name: String, value: JSONItem)]
    /// The codes of a ValueSet that has an expansion and no definition; nil if it has a definition.
    let expanded: [JSONItem]?
    /// The value sets that the resource contains, by their ids.
    let contained: [String: JSONItem]

    /// `url|version`; the URL alone without a version; nil without a URL.
    var canonical: String? { url.map { url in version.map { "\(url)|\($0)" } ?? url } }

    /// A name for messages.
    var title: String { canonical ?? "(without URL)" }

    /// - Throws: ``TerminologyError`` for a definition that no operation can use.
    init(_ json: JSONItem) throws {
        self.json = json
        url = json["url"]?.text
        version = json["version"]?.text
        status = DefinitionStatus(json)
        language = json["language"]?.text
        let compose = json["compose"]
        allowsInactive = compose?["inactive"].map(\.isTrue)
        includes = try Self.parts(compose, "include")
        excludes = try Self.parts(compose, "exclude")
        supplements = json.extensions.filter { $0["url"]?.text == KnownExtension.supplement }.compactMap(\.valueText)
        parameters = ((compose?.extensions ?? []) + json.extensions).filter { $0["url"]?.text == KnownExtension.expansionParameter }
            .compactMap { item in
                guard let name = item.extension("name")?.valueText,
                    let value = item.extension("value")?.members.first(where: { $0.name.hasPrefix("value") })?.value
                else { return nil }
                return (name: name, value: value)
            }
        expanded = compose == nil ? json["expansion"]?["contains"]?.items : nil
        contained = Dictionary(
            (json["contained"]?.items ?? []).compactMap { item in item["id"]?.text.map { ($0, item) } },
            uniquingKeysWith: { first, _ in first })
    }

    private static func parts(_ compose: JSONItem?, _ name: String) throws -> [Part] {
        let all = try (compose?[name]?.items ?? []).enumerated().map { number, json in
            let system = json["system"]?.text
            let filters = try (json["filter"]?.items ?? []).enumerated().map { place, filter in
                try ConceptFilter(filter, system: system ?? "", at: "ValueSet.compose.\(name)[\(number)].filter[\(place)]")
            }
            let imports = (json["valueSet"]?.items ?? []).compactMap(\.text)
            if system == nil, imports.isEmpty {
                throw TerminologyError(
                    .definition, "invalid", kind: "vs-invalid", at: "ValueSet.compose.\(name)[\(number)]",
                    "a part of the value set \(json["url"]?.text ?? "") names neither a code system nor a value set")
            }
            return Part(
                system: system, version: json["version"]?.text, concepts: (json["concept"]?.items ?? []).compactMap(Listed.init),
                filters: filters, imports: imports)
        }
        // Each part costs a look for each code, so that a hundred thousand lists of one code are made one list.
        var parts: [Part] = []
        var place = 0
        while place < all.count {
            var end = place + 1
            while end < all.count, all[end].continues(all[place]) { end += 1 }
            let first = all[place]
            parts.append(
                end == place + 1
                    ? first
                    : Part(
                        system: first.system, version: first.version, concepts: all[place..<end].flatMap(\.concepts), filters: [],
                        imports: []))
            place = end
        }
        return parts
    }
}

extension ValueSetDefinition.Listed {
    init?(_ json: JSONItem) {
        guard let code = json["code"]?.text else { return nil }
        self.init(
            code: code, display: json["display"]?.text,
            designations: (json["designation"]?.items ?? []).compactMap(Concept.Designation.init), extensions: json.extensions)
    }
}
