import FireLite
import FireLiteCore

/// The way from a resource to elements that slices narrow: filters on the way, and a path after the last of them.
struct PathScope: Sendable {
    /// The elements at a path, and the condition that those of a slice meet.
    struct Filter: Sendable {
        let path: QueryPath
        let predicate: Predicate
    }

    private var filters: [Filter] = []
    private(set) var path: QueryPath
    private(set) var fhirPath: String

    init(path: QueryPath, fhirPath: String = "") { (self.path, self.fhirPath) = (path, fhirPath) }

    /// Whether the scope ends in elements of a slice, and so its path is empty.
    var isFiltered: Bool { !filters.isEmpty && path.steps.isEmpty }

    /// The condition that some value at the end of the way meets a predicate.
    func condition(_ predicate: Predicate) -> QueryCondition {
        QueryCondition(filters.reversed().reduce(predicate) { inner, filter in .any(filter.path, .and([filter.predicate, inner])) })
    }

    /// The condition that there is a value at the end of the way.
    var exists: QueryCondition { condition(path.steps.isEmpty ? .constant(true) : .exists(path)) }

    /// The way to an element.
    func step(_ path: QueryPath, _ element: LayoutElement) -> PathScope {
        var scope = self
        scope.path = QueryPath(self.path.steps + path.steps)
        scope.append(element)
        return scope
    }

    /// The way to the items of a slice.
    func slice(_ rule: RuleElement, of layout: Layout) -> PathScope {
        guard let element = layout.element(named: rule.name), let items = element.layout else { return self }
        var scope = self
        let filter = SliceFilter(layout: items)
        let path = QueryPath(self.path.steps + [PathStep(slot: element.slot)])
        scope.filters.append(Filter(path: path, predicate: filter.predicate(rule)))
        scope.path = QueryPath()
        scope.append(element)
        scope.fhirPath += ".where(\(filter.fhirPath(rule)))"
        return scope
    }

    private mutating func append(_ element: LayoutElement) {
        var name = element.name
        if let choice = element.choice { name = "\(choice.name.dropLast(3)).ofType(\(element.typeName))" }
        fhirPath += fhirPath.isEmpty ? name : ".\(name)"
    }
}

/// The tests of a slice as a predicate of queries, and as FHIRPath.
struct SliceFilter {
    /// The layout of the items.
    let layout: Layout

    // MARK: - Predicates

    func predicate(_ rule: RuleElement) -> Predicate {
        .and(
            rule.tests.map { test in
                switch test {
                case .pattern(let path, let pattern): Self.at(path[...], layout) { Self.has(pattern, $0, $1) }
                case .codes(let path, let codes):
                    Self.at(path[...], layout) { element, layout in
                        .or(codes.map { Self.has(Self.code($0, element, layout), element, layout) })
                    }
                case .type(let path, let types): Self.type(path, types, layout)
                case .exists(let path, let flag):
                    flag
                        ? Self.at(path[...], layout) { _, _ in .constant(true) }
                        : .not(Self.at(path[...], layout) { _, _ in .constant(true) })
                }
            })
    }

    /// Whether something at a path meets a predicate that is made for its element; nil stands for the item itself.
    private static func at(_ path: ArraySlice<String>, _ layout: Layout, _ make: (LayoutElement?, Layout?) -> Predicate) -> Predicate {
        guard let name = path.first else { return make(nil, layout) }
        let parts: [Predicate] = layout.ruleElements(named: name).map { element in
            let place = QueryPath([PathStep(slot: element.slot)])
            guard path.count > 1 else {
                if let inner = element.layout { return .any(place, make(nil, inner)) }
                let made = make(element, layout)
                if case .constant(true) = made { return .exists(place) }
                return made
            }
            return element.layout.map { .any(place, at(path.dropFirst(), $0, make)) } ?? .constant(false)
        }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Whether an object has what a pattern has, or a primitive its value.
    private static func has(_ pattern: JSONItem, _ element: LayoutElement?, _ layout: Layout?) -> Predicate {
        guard let layout else { return .constant(false) }
        if let element {
            return operand(pattern).map { .value(QueryPath([PathStep(slot: element.slot)]), .compare(.equal, $0)) } ?? .constant(false)
        }
        return .and(
            pattern.members.flatMap { member -> [Predicate] in
                guard let element = layout.element(named: member.name) else { return [.constant(false)] }
                let items = member.value.isArray ? member.value.items : [member.value]
                return items.map { item in
                    if let inner = element.layout { return .any(QueryPath([PathStep(slot: element.slot)]), has(item, nil, inner)) }
                    return has(item, element, layout)
                }
            })
    }

    private static func operand(_ item: JSONItem) -> SQLValue? {
        switch item.content {
        case .string(let text): .text(text)
        case .bool(let flag): .integer(flag ? 1 : 0)
        case .number(let literal): Double(literal).map { .real($0) }
        default: nil
        }
    }

    private static func code(_ code: (system: String, code: String), _ element: LayoutElement?, _ layout: Layout?) -> JSONItem {
        if element != nil { return .string(code.code) }
        let coding = JSONItem.object(["system": .string(code.system), "code": .string(code.code)])
        return layout?.name == "Coding" ? coding : .object(["coding": .array([coding])])
    }

    private static func type(_ path: [String], _ types: [String], _ layout: Layout) -> Predicate {
        guard let last = path.last else { return .constant(types.contains(layout.name)) }
        return at(path.dropLast()[...], layout) { element, layout in
            guard element == nil, let layout else { return .constant(false) }
            let parts: [Predicate] = layout.ruleElements(named: last).flatMap { element -> [Predicate] in
                if element.kind == .resource {
                    return types.map { .exists(QueryPath([PathStep(slot: element.slot, kind: .resource($0))])) }
                }
                return types.contains(element.typeName) ? [.exists(QueryPath([PathStep(slot: element.slot)]))] : []
            }
            return .or(parts)
        }
    }

    // MARK: - FHIRPath

    func fhirPath(_ rule: RuleElement) -> String {
        let parts = rule.tests.map { test in
            switch test {
            case .pattern(let path, let pattern): Self.text(pattern, path.joined(separator: "."), single: path.count == 1)
            case .codes(let path, let codes):
                Self.codes(
                    codes, path.joined(separator: "."), isText: path.last.map { layout.element(named: $0)?.primitive != nil } ?? false)
            case .type(let path, let types):
                types.map { type in "\(path.isEmpty ? "$this" : path.joined(separator: ".")) is \(type)" }.joined(separator: " or ")
            case .exists(let path, let flag): "\(path.joined(separator: ".")).\(flag ? "exists" : "empty")()"
            }
        }
        return parts.joined(separator: " and ")
    }

    private static func text(_ pattern: JSONItem, _ path: String, single: Bool) -> String {
        switch pattern.content {
        case .object(let members):
            let inner = members.flatMap { member -> [String] in
                let items = member.value.isArray ? member.value.items : [member.value]
                return items.map { text($0, member.name, single: true) }
            }.joined(separator: " and ")
            return path.isEmpty ? inner : "\(path).where(\(inner)).exists()"
        case .string(let text): return compare(path, quoted(text), single)
        case .bool(let flag): return compare(path, flag ? "true" : "false", single)
        case .number(let literal): return compare(path, literal, single)
        default: return "false"
        }
    }

    private static func compare(_ path: String, _ literal: String, _ single: Bool) -> String {
        single ? "\(path) = \(literal)" : "\(path).where($this = \(literal)).exists()"
    }

    private static func codes(_ codes: [(system: String, code: String)], _ path: String, isText: Bool) -> String {
        if isText { return "(" + codes.map { "\(path) = \(quoted($0.code))" }.joined(separator: " or ") + ")" }
        let coding = path.isEmpty ? "coding" : "\(path).coding"
        let alternatives = codes.map { "(system = \(quoted($0.system)) and code = \(quoted($0.code)))" }.joined(separator: " or ")
        return "\(coding).where(\(alternatives)).exists()"
    }

    private static func quoted(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return "'\(result)'"
    }
}
