import FireLite
import Foundation

/// Turns parameters and their values into conditions of the store.
struct ConditionBuilder {
    let transaction: ReadTransaction
    let catalog: ParameterCatalog
    let options: SearchOptions
    let now: Date
    /// Whether the search has the parameter `near`.
    let hasNear: Bool
    /// The value of the parameter `near-distance`.
    let nearDistance: String?
    /// Whether references under whatever base address count as the store's own, as what hides something assumes.
    var countsAnyBase = false
    /// Collects the codes that the search asks for, if that is wanted.
    var codes: SearchedCodes?
    /// What becomes of more conditions than one statement takes.
    var grouping = Grouping.none

    var release: FHIRRelease { transaction.store.release }

    init(
        _ transaction: ReadTransaction, catalog: ParameterCatalog, options: SearchOptions, parameters: [SearchRequest.Parameter] = []
    ) {
        self.transaction = transaction
        self.catalog = catalog
        self.options = options
        now = options.now ?? transaction.store.clock.now()
        hasNear = parameters.contains { $0.name == "near" }
        nearDistance = parameters.first { $0.name == "near-distance" }?.value
    }

    /// The maximum number of references that a chain follows, as each is a level of the statement.
    private static let deepest = 12

    // MARK: - One parameter

    /// The condition of a parameter on resources of a type; nil if the type has no such parameter.
    ///
    /// - Parameters:
    ///   - name: the name with modifier and chain.
    ///   - value: the value, with commas between alternatives.
    ///   - layout: the type.
    ///   - operation: the comparison of a filter; nil for a parameter of a search.
    /// - Throws: `SearchError`.
    func condition(
        _ name: String, _ value: String, on layout: Layout, depth: Int = 0, by operation: SearchFilter.Operation? = nil
    ) throws -> Predicate? {
        guard depth < Self.deepest else { throw SearchError(.notSupported, "a chain of more than \(Self.deepest) references", in: name) }
        if name.hasPrefix("_has:") { return try reverse(name, value, on: layout, depth) }
        let parts = SearchParameterName(name)
        switch parts.code {
        case "_text", "_content":
            guard parts.modifier == nil, parts.chain == nil else {
                throw SearchError(.notSupported, "\(parts.code) has no modifiers and no chains", in: name)
            }
            return try words(parts.code, value, on: layout)
        case "_list": return try list(value, on: layout, depth)
        case "_filter": return try filter(value, on: layout, depth)
        case "_query": throw SearchError(.notSupported, "no query of this name is known: use parameters, or _filter", in: name)
        default: break
        }
        guard let definition = try catalog.parameter(parts.code, on: layout) else { return nil }
        if let chain = parts.chain {
            let type = try SearchModifier.target(parts.modifier, release, in: name)
            return try self.chain(definition, type, on: layout, name) { builder, target in
                try builder.condition(chain, value, on: target, depth: depth + 1, by: operation)
            }
        }
        if let operation {
            guard parts.modifier == nil else { throw SearchError(.invalid, "a filter has comparisons instead of modifiers", in: name) }
            return try condition(definition, operation: operation, value: value, on: layout, name)
        }
        let modifier = try parts.modifier.map { try SearchModifier($0, for: definition.kind, release, in: name) }
        return try condition(definition, modifier: modifier, value: value, on: layout, name)
    }

    func condition(
        _ definition: SearchDefinition, modifier: SearchModifier?, value: String, on layout: Layout, _ name: String
    ) throws -> Predicate {
        if modifier == .missing { return try missing(definition, value, on: layout, name) }
        let alternatives = SearchText.alternatives(value)
        guard !alternatives.isEmpty else { throw SearchError(.invalid, "the value is missing", in: name) }
        if definition.kind == .special { return try special(definition, alternatives, on: layout, name) }
        if modifier == nil, let condition = try nearWithDistance(definition, alternatives, on: layout, name) { return condition }
        let compiled = try catalog.compiled(definition, on: layout)
        if definition.kind == .composite {
            return try any(alternatives.map { try composite(definition, compiled: compiled, value: $0, name: name) }, on: layout)
        }
        note(definition, compiled: compiled, modifier: modifier, alternatives: alternatives, layout: layout, name: name)
        let condition = try condition(definition, compiled, modifier: modifier, alternatives: alternatives, name)
        switch (definition.kind, condition) {
        case (.date, .or(let parts)), (.number, .or(let parts)), (.quantity, .or(let parts)): return try any(parts, on: layout)
        default: return try anyOfMany(condition, on: layout)
        }
    }

    /// The condition on what an expression selects.
    func condition(
        _ definition: SearchDefinition, _ compiled: CompiledExpression, modifier: SearchModifier?, alternatives: [String], _ name: String
    ) throws -> Predicate {
        switch definition.kind {
        case .string: return StringMatcher(modifier: modifier).condition(compiled.paths, alternatives)
        case .token: return try TokenMatcher(builder: self, name: name, modifier: modifier).condition(compiled, alternatives)
        case .date: return .or(try alternatives.map { try date($0, compiled.paths, name) })
        case .number: return .or(try alternatives.map { try number($0, compiled.paths, name) })
        case .quantity: return .or(try alternatives.map { try quantity($0, compiled.paths, name) })
        case .uri: return URIMatcher(modifier: modifier).condition(compiled.paths, alternatives)
        case .reference:
            return ReferenceMatcher(builder: self, name: name, modifier: modifier, targets: definition.targets)
                .condition(compiled.paths, alternatives)
        case .composite, .special: throw SearchError(.notSupported, "this parameter cannot be a part of another", in: name)
        }
    }

    // MARK: - Missing

    private func missing(_ definition: SearchDefinition, _ value: String, on layout: Layout, _ name: String) throws -> Predicate {
        guard value == "true" || value == "false" else { throw SearchError(.invalid, ":missing takes true or false", in: name) }
        let compiled = try catalog.compiled(definition, on: layout)
        // A truth value that an expression computes is never missing.
        let isComputed = Predicate.constant(!compiled.conditions.isEmpty)
        let present = Predicate.or([isComputed] + compiled.paths.map(ReferenceMatcher.presence))
        return value == "true" ? .not(present) : present
    }

    // MARK: - Dates and numbers

    private func date(_ value: String, _ paths: [SearchPath], _ name: String) throws -> Predicate {
        let (prefix, rest) = SearchPrefix.split(value)
        guard var date = SearchDate(rest, in: options.timeZone) else {
            throw SearchError(.invalid, "the value is not a date: write 2020, 2020-06, 2020-06-30 or 2020-06-30T12:00:00Z", in: name)
        }
        if prefix == .ap { date = date.approximate(now) }
        return dates(date, prefix, paths)
    }

    /// The condition that a date at one of the paths compares so.
    func dates(_ date: SearchDate, _ prefix: SearchPrefix, _ paths: [SearchPath]) -> Predicate {
        .or(
            paths.compactMap { path -> Predicate? in
                switch path.end {
                case .object(let layout) where layout.name == "Timing":
                    return path.some { TimingLimits($0, layout).map { date.condition(prefix, $0) } ?? .constant(false) }
                case .primitive(let type) where type.storage == .temporal && type != .time:
                    return path.some { date.condition(prefix, $0, type) }
                case .object(let layout) where layout.name == "Period":
                    return path.some { start in
                        guard let first = start.element("start", of: layout), let last = start.element("end", of: layout) else {
                            return .constant(false)
                        }
                        return date.condition(prefix, start: first, end: last)
                    }
                default: return nil
                }
            })
    }

    /// The dates of a path's end to sort by: those of a Timing are its events and the bounds of its repetition.
    static func dates(_ path: SearchPath) -> [SearchPath] {
        guard path.typeName == "Timing" else { return [path] }
        let bounds = path.child("repeat").map { $0.elements(named: "bounds").filter { $0.typeName == "Period" } } ?? []
        return [path.child("event")].compactMap { $0 } + bounds
    }

    private func number(_ value: String, _ paths: [SearchPath], _ name: String) throws -> Predicate {
        let (prefix, rest) = SearchPrefix.split(value)
        guard let number = SearchNumber(rest) else { throw SearchError(.invalid, "the value is not a number", in: name) }
        return .or(
            paths.compactMap { path -> Predicate? in
                switch path.end {
                case .primitive(let type) where type.storage == .integer || type.storage == .decimal:
                    return path.some { path in
                        let condition = number.condition(prefix, path)
                        return prefix == .ne ? .and([.exists(path), condition]) : condition
                    }
                case .object(let layout) where layout.name == "Range":
                    return Self.range(path, layout: layout, unit: nil) { number.condition(prefix, low: $0, high: $1) }
                default: return nil
                }
            })
    }

    private func quantity(_ value: String, _ paths: [SearchPath], _ name: String) throws -> Predicate {
        let (prefix, rest) = SearchPrefix.split(value)
        let parts = SearchText.split(rest, "|").map(SearchText.plain)
        guard let number = SearchNumber(parts[0]), parts.count <= 3 else {
            throw SearchError(.invalid, "the value is not a quantity: write 5.4, 5.4|http://unitsofmeasure.org|mg or 5.4||mg", in: name)
        }
        let unit: Unit? = parts.count == 3 && !parts[2].isEmpty ? Unit(system: parts[1].isEmpty ? nil : parts[1], code: parts[2]) : nil
        guard paths.isEmpty || paths.contains(where: Self.hasQuantity) else {
            throw SearchError(.notSupported, "this library compares no \(paths[0].typeName)", in: name)
        }
        let others = unit.map { $0.system == CommonUnits.system ? CommonUnits.alternatives(to: $0.code, of: number) : [] } ?? []
        return .or(
            paths.compactMap { path -> Predicate? in
                guard case .object(let layout) = path.end else { return nil }
                if layout.name == "Range" {
                    return Self.range(path, layout: layout, unit: unit) { number.condition(prefix, low: $0, high: $1) }
                }
                if layout.name == "SampledData" {
                    return Self.sampled(path, layout: layout, unit: unit, prefix: prefix, number: number, others: others)
                }
                guard layout.element(named: "value")?.primitive?.storage == .decimal else { return nil }
                return path.some { start in
                    guard let value = start.element("value", of: layout) else { return .constant(false) }
                    let comparator = start.element("comparator", of: layout)
                    let condition = number.condition(prefix, value: value, comparator: comparator)
                    guard let unit else { return condition }
                    let converted = others.map { other in
                        Predicate.and([
                            other.number.condition(prefix, value: value, comparator: comparator),
                            Unit(system: unit.system, code: other.code).condition(start, layout),
                        ])
                    }
                    return .or([.and([condition, unit.condition(start, layout)])] + converted)
                }
            })
    }

    /// Whether a path ends in an amount, or in two.
    private static func hasQuantity(_ path: SearchPath) -> Bool {
        guard case .object(let layout) = path.end else { return false }
        return layout.name == "Range" || layout.name == "SampledData" || layout.element(named: "value")?.primitive?.storage == .decimal
    }

    /// The condition on SampledData, whose unit is that of its origin.
    private static func sampled(
        _ path: SearchPath, layout: Layout, unit: Unit?, prefix: SearchPrefix, number: SearchNumber,
        others: [(number: SearchNumber, code: String)]
    ) -> Predicate {
        path.some { start in
            let condition = number.condition(prefix, sampled: start)
            guard let unit else { return condition }
            guard let origin = start.element("origin", of: layout), let quantity = layout.element(named: "origin")?.layout else {
                return .constant(false)
            }
            let converted = others.map { other in
                Predicate.and([
                    Unit(system: unit.system, code: other.code).condition(origin, quantity), other.number.condition(prefix, sampled: start),
                ])
            }
            return .or([.and([unit.condition(origin, quantity), condition])] + converted)
        }
    }

    /// The condition on a Range.
    private static func range(_ path: SearchPath, layout: Layout, unit: Unit?, body: (QueryPath, QueryPath) -> Predicate)
        -> Predicate?
    {
        guard let element = layout.element(named: "low"), let quantity = element.layout else { return nil }
        return path.some { start in
            guard let low = start.element("low", of: layout), let high = start.element("high", of: layout),
                let lowest = low.element("value", of: quantity), let highest = high.element("value", of: quantity)
            else { return .constant(false) }
            let condition = body(lowest, highest)
            return unit.map { .and([condition, .or([$0.condition(low, quantity), $0.condition(high, quantity)])]) } ?? condition
        }
    }

    /// The unit of a quantity.
    private struct Unit {
        let system: String?
        let code: String

        func condition(_ start: QueryPath, _ layout: Layout) -> Predicate {
            func equals(_ element: String, _ text: String) -> Predicate {
                start.element(element, of: layout).map { .value($0, .compare(.equal, .text(text))) } ?? .constant(false)
            }
            // Money has a currency.
            if layout.element(named: "currency") != nil { return equals("currency", code) }
            if let system { return .and([equals("system", system), equals("code", code)]) }
            return .or([equals("code", code), equals("unit", code)])
        }
    }

    // MARK: - Composites

    /// The parameter that a URL names as `Observation-code`: STU3 has no parameter with some URLs that it uses.
    private func named(_ url: String) throws -> SearchDefinition? {
        let parts = url.split(separator: "/").last?.split(separator: "-", maxSplits: 1) ?? []
        guard parts.count == 2, let layout = release.resourceLayout(named: String(parts[0])) else { return nil }
        return try catalog.parameter(String(parts[1]), on: layout)
    }

    private func composite(
        _ definition: SearchDefinition, compiled: CompiledExpression, value: String, name: String
    ) throws -> Predicate {
        let values = SearchText.split(value, "$")
        guard !definition.components.isEmpty else {
            throw SearchError(.notSupported, "FHIR \(release.name) does not say what this parameter consists of", in: name)
        }
        guard values.count == definition.components.count else {
            throw SearchError(.invalid, "the value has \(definition.components.count) parts with $ between them", in: name)
        }
        let parts = try definition.components.map { component in
            guard let part = try catalog.parameter(url: component.definition) ?? named(component.definition) else {
                throw SearchError(.notSupported, "the parameter \(component.definition) is unknown", in: name)
            }
            return (definition: part, expression: component.expression)
        }
        return .or(
            try compiled.paths.compactMap { path -> Predicate? in
                guard case .object(let layout) = path.end else { return nil }
                let conditions = try zip(parts, values).map { part, value in
                    let inner = try catalog.compiled(part.expression, on: layout, code: name)
                    note(part.definition, compiled: inner, modifier: nil, alternatives: [value], layout: layout, name: name)
                    return try condition(part.definition, inner, modifier: nil, alternatives: [value], name)
                }
                return path.isStart ? .and(conditions) : path.single { .any($0, .and(conditions)) }
            })
    }
}
