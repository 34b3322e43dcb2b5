import FireLite
import FireLiteCore

/// Codes from ValueSets and CodeSystems that the store holds.
struct SearchTerminology {
    private let builder: ConditionBuilder
    private let name: String
    /// The maximum number of codes of a ValueSet.
    private static let maximumCodes = 100_000
    private static let deepest = 20

    init(_ builder: ConditionBuilder, _ name: String) {
        self.builder = builder
        self.name = name
    }

    // MARK: - ValueSets

    /// The codes of a ValueSet by its URL, with a version or without, or by its id.
    ///
    /// - Throws: `SearchError.missingTerminology` if the store lacks it, or a CodeSystem that it needs.
    func codes(inValueSet reference: String, depth: Int = 0) throws -> [SearchToken] {
        if depth == 0, let given = try builder.options.codesInValueSet?(reference) {
            guard given.count <= Self.maximumCodes else { throw SearchError(.notSupported, "the ValueSet has too many codes", in: name) }
            return given.map { SearchToken(system: $0.system, code: $0.code) }
        }
        guard depth < Self.deepest, let valueSet = try resource("ValueSet", reference) else {
            throw SearchError(.missingTerminology, "the store does not have the ValueSet: store it first", in: name)
        }
        if let expansion = valueSet.children("expansion").first { return expansion.children("contains").flatMap(contained) }
        var codes: [SearchToken] = []
        var excluded: Set<SearchToken> = []
        for compose in valueSet.children("compose") {
            for include in compose.children("include") { codes += try included(include, depth) }
            for exclude in compose.children("exclude") { excluded.formUnion(try included(exclude, depth)) }
            // Before STU3's `valueSet` of an include there was `import`.
            for other in compose.texts("import") { codes += try self.codes(inValueSet: other, depth: depth + 1) }
        }
        // DSTU2 defines codes in the ValueSet itself.
        for system in valueSet.children("codeSystem") {
            codes += concepts(system, below: nil).map { SearchToken(system: system.text("system"), code: $0) }
        }
        guard codes.count <= Self.maximumCodes else { throw SearchError(.notSupported, "the ValueSet has too many codes", in: name) }
        return codes.filter { !excluded.contains($0) }
    }

    private func contained(_ element: FHIRObject) -> [SearchToken] {
        let own = element.text("code").map { [SearchToken(system: element.text("system"), code: $0)] } ?? []
        return own + element.children("contains").flatMap(contained)
    }

    private func included(_ include: FHIRObject, _ depth: Int) throws -> [SearchToken] {
        let system = include.text("system")
        let listed = include.children("concept").compactMap { $0.text("code") }
        var codes: [SearchToken]?
        if !listed.isEmpty {
            codes = listed.map { SearchToken(system: system, code: $0) }
        } else if let system {
            let codeSystem = try self.codeSystem(system)
            var found = concepts(codeSystem, below: nil)
            for filter in include.children("filter") {
                let allowed = try self.filtered(filter, codeSystem)
                found = found.filter { allowed.contains($0) }
            }
            codes = found.map { SearchToken(system: system, code: $0) }
        }
        for other in include.texts("valueSet") {
            let more = Set(try self.codes(inValueSet: other, depth: depth + 1))
            // Several ValueSets of an include are an intersection.
            codes = codes.map { known in known.filter { more.contains($0) } } ?? Array(more)
        }
        return codes ?? []
    }

    private func filtered(_ filter: FHIRObject, _ codeSystem: FHIRObject) throws -> Set<String> {
        let value = filter.text("value") ?? ""
        switch (filter.text("property"), filter.text("op")) {
        case ("concept", "is-a"), ("code", "is-a"): return Set(concepts(codeSystem, below: value))
        case ("concept", "descendent-of"), ("code", "descendent-of"): return Set(concepts(codeSystem, below: value)).subtracting([value])
        case ("concept", "in"), ("code", "in"): return Set(value.split(separator: ",").map(String.init))
        case ("code", "="), ("concept", "="): return [value]
        default: throw SearchError(.notSupported, "the ValueSet has a filter that this library does not apply", in: name)
        }
    }

    // MARK: - CodeSystems

    private func codeSystem(_ url: String) throws -> FHIRObject {
        guard let found = try resource("CodeSystem", url) else {
            throw SearchError(.missingTerminology, "the store does not have the CodeSystem that this needs: store it first", in: name)
        }
        return found
    }

    /// A code and those below it, or above it.
    func relatives(of token: SearchToken, areBelow: Bool) throws -> [SearchToken] {
        guard let system = token.system, !system.isEmpty, let code = token.code else {
            throw SearchError(.invalid, ":above and :below take system|code", in: name)
        }
        if let given = try builder.options.relatedCodes?(code, system, areBelow) {
            return given.map { SearchToken(system: system, code: $0) }
        }
        let codeSystem = try codeSystem(system)
        let codes = areBelow ? concepts(codeSystem, below: code) : ancestors(codeSystem, of: code)
        return (codes.isEmpty ? [code] : codes).map { SearchToken(system: system, code: $0) }
    }

    /// The codes of a CodeSystem, or those of one concept and below it.
    private func concepts(_ codeSystem: FHIRObject, below code: String?) -> [String] {
        var found: [String] = []
        func add(_ concept: FHIRObject, _ isInside: Bool) {
            let own = concept.text("code")
            let isInside = isInside || own == code
            if isInside, let own { found.append(own) }
            for child in concept.children("concept") { add(child, isInside) }
        }
        for concept in codeSystem.children("concept") { add(concept, code == nil) }
        guard let code else { return found }
        // Some CodeSystems list a concept's parents as properties.
        let parents = parents(in: codeSystem)
        var known = Set(found + [code])
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for (child, above) in parents where !known.contains(child) && !known.isDisjoint(with: above) {
                known.insert(child)
                isGrowing = true
            }
        }
        return known.sorted()
    }

    private func ancestors(_ codeSystem: FHIRObject, of code: String) -> [String] {
        var known: Set<String> = []
        func walk(_ concept: FHIRObject, _ above: [String]) {
            guard let own = concept.text("code") else { return }
            if own == code { known.formUnion(above + [own]) }
            for child in concept.children("concept") { walk(child, above + [own]) }
        }
        for concept in codeSystem.children("concept") { walk(concept, []) }
        let parents = parents(in: codeSystem)
        var open = [code]
        known.insert(code)
        while let next = open.popLast() { for parent in parents[next] ?? [] where known.insert(parent).inserted { open.append(parent) } }
        return known.sorted()
    }

    private func parents(in codeSystem: FHIRObject) -> [String: Set<String>] {
        var parents: [String: Set<String>] = [:]
        func walk(_ concept: FHIRObject) {
            if let own = concept.text("code") {
                for property in concept.children("property")
                where property.text("code") == "parent" || property.text("code") == "subsumedBy" {
                    if let parent = property.text("valueCode") { parents[own, default: []].insert(parent) }
                }
            }
            for child in concept.children("concept") { walk(child) }
        }
        for concept in codeSystem.children("concept") { walk(concept) }
        return parents
    }

    // MARK: - Resources

    /// The stored resource of a type with a canonical URL or an id.
    private func resource(_ type: String, _ reference: String) throws -> FHIRObject? {
        guard let layout = builder.release.resourceLayout(named: type), builder.transaction.hasTable(of: layout) else { return nil }
        let named = ReferenceParts(reference)
        if named.form == .relative, named.type == type, let id = named.id {
            return try builder.transaction.resource(typeName: type, id: id)
        }
        let parts = reference.split(separator: "|", maxSplits: 1).map(String.init)
        guard let url = layout.element(named: "url")?.slot, let first = parts.first else { return nil }
        var conditions = [Predicate.value(QueryPath([PathStep(slot: url)]), .compare(.equal, .text(first)))]
        if parts.count > 1, let version = layout.element(named: "version")?.slot {
            conditions.append(.value(QueryPath([PathStep(slot: version)]), .compare(.equal, .text(parts[1]))))
        }
        var request = QueryRequest(layout)
        request.predicate = .and(conditions)
        // The latest stored one, if there are several versions.
        guard let key = try builder.transaction.places(request).last?.key else { return nil }
        return try builder.transaction.resources(keys: [key]).first
    }
}
