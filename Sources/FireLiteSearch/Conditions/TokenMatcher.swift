import FireLite
import FireLiteCore

/// The conditions of token parameters.
struct TokenMatcher {
    let builder: ConditionBuilder
    let name: String
    let modifier: SearchModifier?

    /// - Throws: `SearchError` for a ValueSet or CodeSystem that the store lacks.
    func condition(_ compiled: CompiledExpression, _ values: [String]) throws -> Predicate {
        let tokens = values.map { SearchToken($0) }
        switch modifier {
        case .not?: return .not(matching(compiled, tokens))
        case .text?: return text(compiled.paths, values.map(SearchText.plain))
        case .ofType?: return .or(try values.flatMap { value in try compiled.paths.compactMap { try ofType(value, $0) } })
        case .isIn?, .notIn?:
            let terminology = SearchTerminology(builder, name)
            let codes = try values.flatMap { try terminology.codes(inValueSet: SearchText.plain($0)) }
            let condition = matching(compiled, codes)
            return modifier == .isIn ? condition : .not(condition)
        case .above?, .below?:
            let terminology = SearchTerminology(builder, name)
            let codes = try tokens.flatMap { try terminology.relatives(of: $0, areBelow: modifier == .below) }
            return matching(compiled, codes)
        default: return matching(compiled, tokens)
        }
    }

    // MARK: - Values

    func matching(_ compiled: CompiledExpression, _ tokens: [SearchToken]) -> Predicate {
        var parts = compiled.conditions.flatMap { condition in truth(condition, tokens) }
        for path in compiled.paths { parts.append(matching(path, tokens)) }
        return .or(parts)
    }

    /// The condition on a truth value that an expression computes.
    private func truth(_ condition: Predicate, _ tokens: [SearchToken]) -> [Predicate] {
        tokens.compactMap { token in
            switch token.code {
            case "true": condition
            case "false": .not(condition)
            default: nil
            }
        }
    }

    private func matching(_ path: SearchPath, _ tokens: [SearchToken]) -> Predicate {
        if path.isPresence { return .or(truth(path.exists, tokens)) }
        switch path.end {
        case .primitive(let type): return primitive(path, type, tokens)
        case .object(let layout):
            switch layout.name {
            case "CodeableConcept":
                guard let coding = path.child("coding") else { return .constant(false) }
                return matching(coding, tokens)
            case "CodeableReference":
                guard let concept = path.child("concept") else { return .constant(false) }
                return matching(concept, tokens)
            case "Coding": return pairs(path, layout: layout, first: "system", second: "code", tokens: tokens)
            case "Identifier": return pairs(path, layout: layout, first: "system", second: "value", tokens: tokens)
            case "ContactPoint": return pairs(path, layout: layout, first: "system", second: "value", tokens: tokens)
            case "Quantity", "Money": return pairs(path, layout: layout, first: "system", second: "code", tokens: tokens)
            default: return .constant(false)
            }
        case .resource: return .constant(false)
        }
    }

    private func primitive(_ path: SearchPath, _ type: PrimitiveType, _ tokens: [SearchToken]) -> Predicate {
        // The system of a bound code is not in the resource; it follows from the element.
        let codes = tokens.compactMap(\.code)
        switch type.storage {
        case .boolean:
            let flags = codes.compactMap { $0 == "true" ? 1 : $0 == "false" ? 0 : nil }.map { SQLValue.integer($0) }
            return path.value(.oneOf(flags))
        case .integer: return path.value(.oneOf(codes.compactMap { Int64($0) }.map { .integer($0) }))
        case .text: return path.value(.oneOf(codes.map { .text($0) }))
        case .decimal, .temporal: return .constant(false)
        }
    }

    /// Tokens of an element that has a system and a code: one condition for all codes of a system.
    private func pairs(_ path: SearchPath, layout: Layout, first: String, second: String, tokens: [SearchToken]) -> Predicate {
        guard let system = layout.element(named: first), let code = layout.element(named: second) else { return .constant(false) }
        var anySystem: [SQLValue] = []
        var wholeSystems: [SQLValue] = []
        /// The codes of each system, in the order of the systems.
        var codes: [ExactText: [SQLValue]] = [:]
        var systems: [String] = []
        for token in tokens {
            switch (token.system, token.code) {
            case (nil, let code?): anySystem.append(.text(code))
            case (let name?, let code?):
                if codes[name] == nil { systems.append(name) }
                codes[name, default: []].append(.text(code))
            // `system|` is any code of the system, and `|` nothing.
            case (let name?, nil): if !name.isEmpty { wholeSystems.append(.text(name)) }
            case (nil, nil): continue
            }
        }
        var parts: [Predicate] = []
        if !anySystem.isEmpty { parts.append(path.appending(code).value(.oneOf(anySystem))) }
        if !wholeSystems.isEmpty { parts.append(path.appending(system).value(.oneOf(wholeSystems))) }
        func pair(_ name: String, _ start: QueryPath) -> Predicate {
            let (systemPath, codePath) = (start.appending(PathStep(slot: system.slot)), start.appending(PathStep(slot: code.slot)))
            let isSystem: Predicate = name.isEmpty ? .not(.exists(systemPath)) : .value(systemPath, .compare(.equal, .text(name)))
            return .and([.value(codePath, .oneOf(codes[name] ?? [])), isSystem])
        }
        guard systems.count > Self.fewSystems else { return .or(parts + systems.map { name in path.some { pair(name, $0) } }) }
        // Most elements have none of the codes, so the pairs are compared for few.
        parts.append(
            path.some { start in
                let all = Predicate.value(
                    start.appending(PathStep(slot: code.slot)), .oneOf(systems.flatMap { codes[$0] ?? [] }))
                return .and([all, .or(systems.map { pair($0, start) })])
            })
        return .or(parts)
    }

    /// Up to this number of systems, the codes of each are looked for.
    private static let fewSystems = 16

    // MARK: - Modifiers

    /// `:text`: the beginning of a display or text.
    private func text(_ paths: [SearchPath], _ values: [String]) -> Predicate {
        let texts = paths.flatMap { path -> [SearchPath] in
            guard case .object(let layout) = path.end else { return [] }
            switch layout.name {
            case "CodeableConcept": return [path.child("text"), path.child("coding")?.child("display")].compactMap { $0 }
            case "CodeableReference":
                let concept = path.child("concept")
                return [concept?.child("text"), concept?.child("coding")?.child("display")].compactMap { $0 }
            case "Coding": return [path.child("display")].compactMap { $0 }
            case "Identifier": return [path.child("type")?.child("text")].compactMap { $0 }
            case "ContactPoint": return []
            default: return []
            }
        }
        return .or(values.flatMap { value in texts.map { $0.value(.text(.hasPrefix, of: value, .all)) } })
    }

    /// `:of-type`: `system|code|value` of an identifier with a type.
    private func ofType(_ value: String, _ path: SearchPath) throws -> Predicate? {
        let parts = SearchText.split(value, "|").map(SearchText.plain)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty else {
            throw SearchError(.invalid, ":of-type takes system|code|value", in: name)
        }
        guard case .object(let layout) = path.end, layout.name == "Identifier", let type = layout.element(named: "type"),
            let concept = type.layout, let coding = concept.element(named: "coding"), let codingLayout = coding.layout,
            let value = layout.element(named: "value"), let system = codingLayout.element(named: "system"),
            let code = codingLayout.element(named: "code")
        else { return nil }
        return path.some { start in
            let codings = start.appending(PathStep(slot: type.slot)).appending(PathStep(slot: coding.slot))
            var conditions = [Predicate.value(QueryPath([PathStep(slot: code.slot)]), .compare(.equal, .text(parts[1])))]
            if !parts[0].isEmpty { conditions.append(.value(QueryPath([PathStep(slot: system.slot)]), .compare(.equal, .text(parts[0])))) }
            return .and([
                .value(start.appending(PathStep(slot: value.slot)), .compare(.equal, .text(parts[2]))), .any(codings, .and(conditions)),
            ])
        }
    }
}
