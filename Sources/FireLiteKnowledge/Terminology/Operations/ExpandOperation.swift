import FireLiteCore
import Foundation

/// The operation `$expand` of ValueSet, on Parameters.
struct ExpandOperation {
    let library: TerminologyLibrary
    let parameters: RequestParameters
    let language: String?
    /// The maximum number of codes of an expansion that is not paged.
    let limit: Int
    /// The time of the expansion.
    let now: @Sendable () -> Date

    /// - Throws: ``TerminologyError`` for a value set that is unknown, cannot be expanded or has too many codes.
    func run() throws -> JSONItem { try resource(of: try find()) }

    /// The codes alone.
    ///
    /// - Throws: ``TerminologyError``, as ``run()``.
    func expansion() throws -> ValueSetExpansion {
        let found = try find()
        let writer = found.writer
        if found.page.allSatisfy(writer.isPlain) {
            // What is only to be listed is not written as JSON first.
            let codes = found.page.map { code in
                ValueSetExpansion.Code(
                    system: code.provider.url, version: writer.shownVersion(of: code.provider), code: code.concept.code,
                    display: code.concept.display, isAbstract: code.concept.isAbstract, isInactive: code.concept.isInactive, depth: 0)
            }
            return ValueSetExpansion(codes: codes, total: try found.codes.total ?? codes.count)
        }
        let expansion = try resource(of: found)["expansion"]
        var codes: [ValueSetExpansion.Code] = []
        func collect(_ items: [JSONItem], _ depth: Int) {
            for item in items {
                codes.append(
                    ValueSetExpansion.Code(
                        system: item["system"]?.text ?? "", version: item["version"]?.text, code: item["code"]?.text ?? "",
                        display: item["display"]?.text, isAbstract: item["abstract"]?.isTrue ?? false,
                        isInactive: item["inactive"]?.isTrue ?? false, depth: depth))
                collect(item["contains"]?.items ?? [], depth + 1)
            }
        }
        collect(expansion?["contains"]?.items ?? [], 0)
        return ValueSetExpansion(codes: codes, total: expansion?["total"]?.scalarText.flatMap { Int($0) } ?? codes.count)
    }

    /// What the request finds.
    private struct Found {
        let valueSet: PreparedValueSet
        let codes: ExpansionCodes
        let run: TerminologyRun
        let request: ExpansionRequest

        /// The codes that the request wants to see.
        var page: ArraySlice<ExpansionCode> {
            codes.codes[min(request.offset ?? 0, codes.codes.count)...].prefix(request.count ?? .max)
        }

        var writer: ContainsWriter { ContainsWriter(run: run, request: request, versionedSystems: codes.versionedSystems) }
    }

    private func find() throws -> Found {
        guard let definition = try TerminologyRun.valueSet(parameters, library) else {
            throw TerminologyError(.invalid, "invalid", "the request names no value set: add the parameter url or valueSet")
        }
        let run = try TerminologyRun(library, OperationSettings(parameters, valueSet: definition, header: language))
        run.isExpansion = true
        let request = try ExpansionRequest(run.settings, valueSet: definition, limit: limit)
        let prepared = try run.prepare(definition)
        return Found(valueSet: prepared, codes: try ExpansionCodes(prepared, run, request), run: run, request: request)
    }

    // MARK: - Codes

    /// Whether concepts are shown below their parents: not in a page, and not where codes come from lists or other value sets.
    private func isNested(_ valueSet: PreparedValueSet, _ request: ExpansionRequest) -> Bool {
        if request.excludesNested || request.filter != nil || request.count != nil || request.offset != nil { return false }
        return valueSet.excludes.isEmpty
            && valueSet.includes.allSatisfy { $0.imports.isEmpty && $0.definition.concepts.isEmpty && $0.definition.system != nil }
    }

    private func resource(of all: Found) throws -> JSONItem {
        let (found, request) = (all.codes, all.request)
        let page = all.page
        var writer = all.writer
        let contains =
            isNested(all.valueSet, request) ? try writer.nested(page) : try page.map { try writer.element($0, contains: []) }
        let expansion = JSONItem.object([
            "identifier": .string("urn:uuid:" + UUID().uuidString.lowercased()), "timestamp": .string(now().formatted(.iso8601)),
            "total": try found.total.map { .number("\($0)") }, "offset": request.offset.map { .number("\($0)") },
            "parameter": Self.list(used(found, all.run, request)), "property": Self.list(writer.propertyDefinitions),
            "contains": Self.list(contains),
        ])
        return header(all.valueSet.definition.json, request, expansion)
    }

    private static func list(_ items: [JSONItem]) -> JSONItem? { items.isEmpty ? nil : .array(items) }

    /// The value set as the expansion shows it: what identifies it, and all of it with `includeDefinition`.
    private func header(_ json: JSONItem, _ request: ExpansionRequest, _ expansion: JSONItem) -> JSONItem {
        let kept: Set<String> =
            request.includesDefinition
            ? [
                "id", "language", "url", "version", "name", "title", "status", "experimental", "date", "publisher", "immutable", "compose",
                "extension", "contained", "identifier",
            ] : ["id", "language", "url", "version", "name", "title", "status", "experimental", "date"]
        var members = [JSONItem.Member(name: "resourceType", value: .string("ValueSet"))]
        members += json.members.filter { kept.contains($0.name) }
        members.append(.init(name: "expansion", value: expansion))
        return .object(members)
    }

    // MARK: - Parameters

    /// The parameters that the expansion followed, and what it used.
    private func used(_ found: ExpansionCodes, _ run: TerminologyRun, _ request: ExpansionRequest) -> [JSONItem] {
        var items: [(name: String, text: String, json: JSONItem)] = []
        func add(_ name: String, _ member: String, _ value: JSONItem) {
            let json = JSONItem.object([.init(name: "name", value: .string(name)), .init(name: member, value: value)])
            items.append((name, value.scalarText ?? "", json))
        }
        for name in Self.echoedFlags {
            if let value = parameters.bool(name) { add(name, "valueBoolean", .bool(value)) }
        }
        if let count = request.count { add("count", "valueInteger", .number("\(count)")) }
        if let offset = request.offset { add("offset", "valueInteger", .number("\(offset)")) }
        if let filter = parameters.text("filter") { add("filter", "valueString", .string(filter)) }
        if let languages = run.settings.languages { add("displayLanguage", "valueCode", .string(languages.text)) }
        for designation in request.designations { add("designation", "valueString", .string(designation)) }
        for item in found.used { add(item.parameter, "valueUri", .string(item.canonical)) }
        for note in run.statusNotes { add("warning-" + note.word, "valueUri", .string(note.canonical)) }
        return items.sorted { ($0.name, $0.text) < ($1.name, $1.text) }.map(\.json)
    }

    private static let echoedFlags = [
        "activeOnly", "excludeNested", "includeDesignations", "includeDefinition", "excludeNotForUI", "excludePostCoordinated",
        "limitedExpansion", "incomplete-ok",
    ]
}

/// Writes the elements `ValueSet.expansion.contains`.
struct ContainsWriter {
    let run: TerminologyRun
    let request: ExpansionRequest
    let versionedSystems: Set<String>
    /// The URIs of the properties that occur.
    private var properties: [String: String?] = [:]

    init(run: TerminologyRun, request: ExpansionRequest, versionedSystems: Set<String>) {
        (self.run, self.request, self.versionedSystems) = (run, request, versionedSystems)
        needsDetails =
            request.includesDesignations || !request.designations.isEmpty || !request.properties.isEmpty || run.settings.languages != nil
    }

    /// The elements `ValueSet.expansion.property`.
    var propertyDefinitions: [JSONItem] {
        properties.keys.sorted().map { code in
            .object(["code": .string(code), "uri": (properties[code] ?? nil).map { .string($0) }])
        }
    }

    /// Each concept below the nearest one above it that the expansion has.
    mutating func nested(_ codes: ArraySlice<ExpansionCode>) throws -> [JSONItem] {
        // Those of large code systems all stand at the top.
        if codes.allSatisfy({ $0.depth == 0 }) { return try codes.map { try element($0, contains: []) } }
        var place = codes.startIndex
        func children(_ writer: inout ContainsWriter, of parent: ExpansionCode?) throws -> [JSONItem] {
            var items: [JSONItem] = []
            while place < codes.endIndex {
                let code = codes[place]
                if let parent, try !code.isBelow(parent) { break }
                place += 1
                let below = try children(&writer, of: code)
                items.append(try writer.element(code, contains: below))
            }
            return items
        }
        return try children(&self, of: nil)
    }

    mutating func element(_ code: ExpansionCode, contains: [JSONItem]) throws -> JSONItem {
        let provider = code.provider
        if contains.isEmpty, isPlain(code) { return plain(code) }
        let concept = needsDetails ? try provider.detailed(code.concept) : code.concept
        let names = ConceptNames(concept, listed: code.listed, facts: provider.facts, valueSetLanguage: code.valueSetLanguage)
        let shown = names.preferred(run.settings.languages)
        let marks =
            concept.extensions.filter { KnownExtension.concept.contains($0["url"]?.text ?? "") }
            + (code.listed?.extensions ?? []).filter { KnownExtension.listed.contains($0["url"]?.text ?? "") }
        let designations =
            request.includesDesignations || !request.designations.isEmpty ? names.designations(without: shown, isWanted) : []
        let properties = try properties(of: code, concept)
        return .object([
            "extension": marks.isEmpty ? nil : .array(marks), "system": .string(provider.url),
            "abstract": concept.isAbstract ? .bool(true) : nil, "inactive": concept.isInactive ? .bool(true) : nil,
            "version": shownVersion(of: provider).map { .string($0) }, "code": .string(concept.code),
            "display": shown.map { .string(names.names[$0].value) }, "designation": designations.isEmpty ? nil : .array(designations),
            "property": properties.isEmpty ? nil : .array(properties), "contains": contains.isEmpty ? nil : .array(contains),
        ])
    }

    /// The version of a code system, if the expansion shows it.
    func shownVersion(of provider: any CodeProvider) -> String? {
        versionedSystems.isEmpty || !versionedSystems.contains(provider.url) ? nil : provider.version
    }

    /// Whether it is a code of a large code system, of which nothing but the name is wanted.
    func isPlain(_ code: ExpansionCode) -> Bool { code.isOfTable && code.depth == 0 && code.listed == nil && !needsDetails }

    /// The element of such a code.
    private func plain(_ code: ExpansionCode) -> JSONItem {
        var members = [JSONItem.Member(name: "system", value: .string(code.provider.url))]
        if code.concept.isAbstract { members.append(.init(name: "abstract", value: .bool(true))) }
        if code.concept.isInactive { members.append(.init(name: "inactive", value: .bool(true))) }
        if let version = shownVersion(of: code.provider) { members.append(.init(name: "version", value: .string(version))) }
        members.append(.init(name: "code", value: .string(code.concept.code)))
        if let display = code.concept.display { members.append(.init(name: "display", value: .string(display))) }
        return .object(members)
    }

    /// Whether more is shown of a concept than its code and its name.
    private let needsDetails: Bool

    private func isWanted(_ designation: Concept.Designation) -> Bool {
        guard !request.designations.isEmpty else { return true }
        return request.designations.contains { token in
            let parts = token.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2, parts[0] == "urn:ietf:bcp:47" || parts[0].isEmpty {
                return designation.language?.lowercased() == parts[1].lowercased()
            }
            if parts.count == 2 { return designation.use?["system"]?.text == parts[0] && designation.use?["code"]?.text == parts[1] }
            return designation.language?.lowercased() == token.lowercased()
        }
    }

    // MARK: - Properties

    private mutating func properties(of code: ExpansionCode, _ concept: Concept) throws -> [JSONItem] {
        let provider = code.provider
        var values: [Concept.Property] = []
        // What the value set says counts more than what the code system says.
        let listed = code.listed?.extensions ?? []
        for item in listed + concept.extensions.reversed() {
            guard let known = KnownExtension.properties[item["url"]?.text ?? ""], let text = item.valueText,
                !values.contains(where: { $0.code == known.property })
            else { continue }
            values.append(Concept.Property(known.property, known.member, known.member == "valueDecimal" ? .number(text) : .string(text)))
        }
        if let status = concept.notableStatus { values.append(Concept.Property("status", "valueCode", .string(status))) }
        for wanted in request.properties where wanted != "status" || concept.notableStatus == nil {
            values += try requested(wanted, of: code, concept: concept, listed: listed)
        }
        for value in values where properties[value.code] == nil {
            properties[value.code] = .some(provider.facts.propertyURIs[value.code] ?? Self.standardURI(value.code))
        }
        return values.enumerated().sorted { ($0.element.code, $0.offset) < ($1.element.code, $1.offset) }.map(\.element.json)
    }

    private func requested(
        _ name: String, of code: ExpansionCode, concept: Concept, listed: [JSONItem]
    ) throws -> [Concept.Property] {
        switch name {
        case "definition":
            let own = listed.first { $0["url"]?.text == KnownExtension.conceptDefinition }?.valueText ?? concept.definition
            return own.map { [Concept.Property(name, "valueString", .string($0))] } ?? []
        case "inactive": return [Concept.Property(name, "valueBoolean", .bool(concept.isInactive))]
        case "parent", "child":
            let codes = name == "parent" ? try code.provider.parents(of: concept.code) : try code.provider.children(of: concept.code)
            return codes.map { Concept.Property(name, "valueCode", .string($0)) }
        default: return concept.properties.filter { $0.code == name }
        }
    }

    private static func standardURI(_ code: String) -> String? {
        standardCodes.contains(code) ? KnownExtension.uri(ofProperty: code) : nil
    }

    private static let standardCodes: Set<String> = [
        "definition", "status", "inactive", "parent", "child", "order", "label", "weight", "notSelectable", "alternateCode", "comment",
    ]
}
