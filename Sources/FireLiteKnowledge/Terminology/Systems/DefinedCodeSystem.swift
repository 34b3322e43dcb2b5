import FireLiteCore

/// A code system that a CodeSystem resource defines, in memory, with indexes by code and by parent.
final class DefinedCodeSystem: CodeProvider {
    let url: String
    let version: String?
    let facts: SystemFacts
    private let concepts: [Concept]
    /// How many concepts are around each, in the resource.
    private let depths: [Int32]
    private let parentIndexes: [[Int32]]
    private let childIndexes: [[Int32]]
    private let indexes: [ExactText: Int32]
    /// The properties that occur or are declared.
    private let knownProperties: Set<String>

    /// - Parameters:
    ///   - json: a CodeSystem of R4 or later.
    ///   - supplements: the supplements that apply, with their canonical references.
    init(_ json: JSONItem, supplements: [(canonical: String, json: JSONItem)] = []) {
        url = json["url"]?.text ?? ""
        version = json["version"]?.text
        var builder = Builder(json, supplements: supplements.map(\.json))
        for concept in json["concept"]?.items ?? [] { builder.add(concept, parent: nil, depth: 0) }
        builder.connect()
        var facts = SystemFacts()
        facts.name = json["name"]?.text
        facts.language = json["language"]?.text
        facts.isCaseSensitive = builder.isCaseSensitive
        facts.content = json["content"]?.text ?? "complete"
        facts.status = DefinitionStatus(json)
        facts.propertyURIs = builder.uris
        facts.supplements = supplements.map(\.canonical)
        self.facts = facts
        concepts = builder.concepts
        depths = builder.depths
        (parentIndexes, childIndexes) = (builder.parents, builder.children)
        indexes = builder.indexes
        knownProperties = builder.knownProperties
    }

    /// Reads a CodeSystem.
    ///
    /// - Throws: ``TerminologyError`` with `definition` if a concept has an empty code.
    convenience init(reading json: JSONItem, supplements: [(canonical: String, json: JSONItem)] = []) throws {
        var waiting = json["concept"]?.items ?? []
        while let concept = waiting.popLast() {
            guard concept["code"]?.text != "" else {
                throw TerminologyError(
                    .definition, "invalid", "a concept of the code system \(json["url"]?.text ?? "") has an empty code: give it a code")
            }
            waiting += concept["concept"]?.items ?? []
        }
        self.init(json, supplements: supplements)
    }

    // MARK: - Concepts

    private func index(_ code: String) -> Int? { indexes[facts.isCaseSensitive ? code : code.lowercased()].map(Int.init) }

    func concept(_ code: String) -> Concept? { index(code).map { concepts[$0] } }

    func parents(of code: String) -> [String] { index(code).map { parentIndexes[$0].map { concepts[Int($0)].code } } ?? [] }

    func children(of code: String) -> [String] { index(code).map { childIndexes[$0].map { concepts[Int($0)].code } } ?? [] }

    func subsumes(_ general: String, _ special: String) -> Bool {
        guard let top = index(general), let start = index(special) else { return false }
        if top == start { return true }
        var seen: Set<Int32> = []
        var open = parentIndexes[start]
        while let next = open.popLast() {
            if Int(next) == top { return true }
            if seen.insert(next).inserted { open += parentIndexes[Int(next)] }
        }
        return false
    }

    /// The concepts below one.
    private func descendants(_ start: Int) -> Set<Int32> {
        var found: Set<Int32> = []
        var open = childIndexes[start]
        while let next = open.popLast() { if found.insert(next).inserted { open += childIndexes[Int(next)] } }
        return found
    }

    private func ancestors(_ start: Int) -> Set<Int32> {
        var found: Set<Int32> = []
        var open = parentIndexes[start]
        while let next = open.popLast() { if found.insert(next).inserted { open += parentIndexes[Int(next)] } }
        return found
    }

    // MARK: - Filters

    func matches(_ concept: Concept, _ filter: ConceptFilter, _ effort: Effort) throws -> Bool {
        if filter.isAboutCode {
            // Codes of filters are compared as the code system compares codes.
            if filter.operation == .equals || filter.operation == .isIn || filter.operation == .isNotIn {
                let isListed =
                    facts.isCaseSensitive
                    ? filter.valueSet.contains(concept.code) : filter.foldedValues.contains(concept.code.lowercased())
                return isListed != (filter.operation == .isNotIn)
            }
            return try matchesCode(concept.code, filter, effort)
        }
        let values = try self.values(of: filter.property, concept, filter)
        switch filter.operation {
        case .equals: return values.contains { $0.hasSameBytes(as: filter.value) }
        case .isIn: return values.contains { filter.valueSet.contains($0) }
        case .isNotIn: return !values.contains { filter.valueSet.contains($0) }
        case .exists: return values.isEmpty != (filter.value == "true")
        case .regex: return try values.contains { try effort.matches($0, filter.value) }
        default: return try matchesCode(concept.code, filter, effort)
        }
    }

    private func values(of property: String, _ concept: Concept, _ filter: ConceptFilter) throws -> [String] {
        switch property {
        case "display": return concept.display.map { [$0] } ?? []
        case "definition": return concept.definition.map { [$0] } ?? []
        case "designation": return concept.designations.map(\.value)
        case "parent": return parents(of: concept.code)
        case "child": return children(of: concept.code)
        case "inactive" where !knownProperties.contains("inactive"): return [concept.isInactive ? "true" : "false"]
        default:
            guard knownProperties.contains(property) || Self.commonProperties.contains(property) else {
                throw filter.error(notUnderstoodBy: self)
            }
            return concept.properties.filter { $0.code == property }.map(\.text)
        }
    }

    /// Properties that FHIR defines for every code system (code system concept-properties).
    private static let commonProperties: Set<String> = [
        "inactive", "status", "deprecated", "deprecationDate", "retirementDate", "notSelectable", "effectiveDate", "itemWeight", "order",
        "label", "alternateCode", "synonym", "comment", "partOf",
    ]

    func forEach(_ filters: [ConceptFilter], _ effort: Effort, _ body: (Concept, Int) throws -> Bool) throws {
        var rest: [ConceptFilter] = []
        var chosen: Set<Int32>?
        for filter in filters {
            guard let place = index(filter.value) else {
                rest.append(filter)
                continue
            }
            let found: Set<Int32>
            switch filter.operation {
            case .isA: found = descendants(place).union([Int32(place)])
            case .descendentOf: found = descendants(place).subtracting([Int32(place)])
            case .generalizes: found = ancestors(place).union([Int32(place)])
            case .childOf: found = Set(childIndexes[place])
            case .isNotA: found = Set(0..<Int32(concepts.count)).subtracting(descendants(place).union([Int32(place)]))
            case .descendentLeaf:
                found = descendants(place).subtracting([Int32(place)]).filter { childIndexes[Int($0)].isEmpty }
            default:
                rest.append(filter)
                continue
            }
            chosen = chosen?.intersection(found) ?? found
        }
        for place in chosen?.sorted() ?? Array(0..<Int32(concepts.count)) {
            let concept = concepts[Int(place)]
            try effort.step()
            guard try rest.allSatisfy({ try matches(concept, $0, effort) }) else { continue }
            if try !body(concept, Int(depths[Int(place)])) { return }
        }
    }
}

// MARK: - Reading

extension DefinedCodeSystem {
    /// Reads the concepts of a CodeSystem into lists.
    private struct Builder {
        private(set) var concepts: [Concept] = []
        private(set) var depths: [Int32] = []
        private(set) var parents: [[Int32]] = []
        private(set) var children: [[Int32]] = []
        private(set) var indexes: [ExactText: Int32] = [:]
        private var edges: Set<Edge> = []
        private(set) var uris: [String: String] = [:]
        private(set) var knownProperties: Set<String> = []
        let isCaseSensitive: Bool
        /// What supplements say of a code.
        private var additions: [String: [JSONItem]] = [:]
        private let roles: Roles

        /// The codes of the properties that mean something to every code system, by their URIs, or by FHIR's names for them.
        private struct Roles {
            var parent: Set<String> = ["parent", "subsumedBy"]
            var child: Set<String> = ["child"]
            var status: Set<String> = ["status"]
            var notSelectable: Set<String> = ["notSelectable"]
            var inactive: Set<String> = ["inactive"]
        }

        init(_ json: JSONItem, supplements: [JSONItem]) {
            isCaseSensitive = json["caseSensitive"].map(\.isTrue) ?? true
            var roles = Roles()
            for definition in ([json] + supplements).flatMap({ $0["property"]?.items ?? [] }) {
                guard let code = definition["code"]?.text else { continue }
                knownProperties.insert(code)
                guard let uri = definition["uri"]?.text else { continue }
                uris[code] = uri
                switch uri {
                case KnownExtension.uri(ofProperty: "parent"): roles.parent.insert(code)
                case KnownExtension.uri(ofProperty: "child"): roles.child.insert(code)
                case KnownExtension.uri(ofProperty: "status"): roles.status.insert(code)
                case KnownExtension.uri(ofProperty: "notSelectable"): roles.notSelectable.insert(code)
                case KnownExtension.uri(ofProperty: "inactive"): roles.inactive.insert(code)
                default: break
                }
            }
            self.roles = roles
            func collect(_ concept: JSONItem) {
                if let code = concept["code"]?.text { additions[key(code), default: []].append(concept) }
                for child in concept["concept"]?.items ?? [] { collect(child) }
            }
            for supplement in supplements { for concept in supplement["concept"]?.items ?? [] { collect(concept) } }
        }

        private func key(_ code: String) -> String { isCaseSensitive ? code : code.lowercased() }

        mutating func add(_ json: JSONItem, parent: Int32?, depth: Int32) {
            guard let code = json["code"]?.text else { return }
            var place = Int32(concepts.count)
            if let known = indexes[key(code)] {
                // A code that is listed twice is one concept below both places.
                place = known
            } else {
                indexes[key(code)] = place
                concepts.append(concept(code, json))
                depths.append(depth)
                parents.append([])
                children.append([])
            }
            if let parent { connect(place, to: parent) }
            for child in json["concept"]?.items ?? [] { add(child, parent: place, depth: depth + 1) }
        }

        private struct Edge: Hashable {
            let child: Int32
            let parent: Int32
        }

        private mutating func connect(_ child: Int32, to parent: Int32) {
            guard child != parent, edges.insert(Edge(child: child, parent: parent)).inserted else { return }
            parents[Int(child)].append(parent)
            children[Int(parent)].append(child)
        }

        /// Adds the parents and children that concepts have as properties.
        mutating func connect() {
            for place in concepts.indices {
                for property in concepts[place].properties {
                    guard let other = indexes[key(property.text)] else { continue }
                    if roles.parent.contains(property.code) { connect(Int32(place), to: other) }
                    if roles.child.contains(property.code) { connect(other, to: Int32(place)) }
                }
            }
        }

        private mutating func concept(_ code: String, _ json: JSONItem) -> Concept {
            let all = [json] + (additions[key(code)] ?? [])
            var concept = Concept(code: code, display: all.lazy.compactMap { $0["display"]?.text }.first)
            concept.definition = all.lazy.compactMap { $0["definition"]?.text }.first
            concept.designations = all.flatMap { $0["designation"]?.items ?? [] }.compactMap(Concept.Designation.init)
            concept.properties = all.flatMap { $0["property"]?.items ?? [] }.compactMap(Concept.Property.init)
            concept.extensions = all.flatMap(\.extensions)
            for property in concept.properties {
                knownProperties.insert(property.code)
                if roles.status.contains(property.code) { concept.status = property.text }
                if roles.notSelectable.contains(property.code), property.text == "true" { concept.isAbstract = true }
                if roles.inactive.contains(property.code), property.text == "true" { concept.isInactive = true }
            }
            if concept.status == nil {
                concept.status = concept.extensions.first { $0["url"]?.text == KnownExtension.standardsStatus }?.valueText
            }
            if let status = concept.status, Self.endedStatuses.contains(status) { concept.isInactive = true }
            return concept
        }

        /// The statuses of concepts that are no longer used (code system concept-properties).
        private static let endedStatuses: Set<String> = ["retired", "inactive", "withdrawn"]
    }
}
