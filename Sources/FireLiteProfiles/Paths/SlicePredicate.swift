import FireLite
import FireLiteCore

/// The tests of a slice as a predicate of queries.
struct SlicePredicate {
    /// The layout of the items.
    let layout: Layout

    func predicate(_ tests: [RuleTest]) -> Predicate { .and(tests.map(predicate)) }

    private func predicate(_ test: RuleTest) -> Predicate {
        switch test {
        case .pattern(let path, let pattern): Self.at(path[...], layout) { Self.has(pattern, $0, $1) }
        case .codes(let path, let codes):
            Self.at(path[...], layout) { element, layout in .or(codes.map { Self.has($0, element, layout) }) }
        case .type(let path, let types): Self.type(path, types, layout)
        case .exists(let path, let flag):
            flag
                ? Self.at(path[...], layout) { _, _ in .constant(true) }
                : .not(Self.at(path[...], layout) { _, _ in .constant(true) })
        case .targets(let path, let types):
            Self.at(path[...], layout) { element, layout in
                guard element == nil, let layout else { return .constant(false) }
                return .or(types.map { Self.leads(to: $0, layout) })
            }
        case .resource(let path, let types, let tests): Self.resource(at: path, types: types, tests: tests, layout)
        case .profile(let url): Self.declares(url, layout)
        case .any(let lists): .or(lists.map(predicate))
        case .none(let lists): .not(.or(lists.map(predicate)))
        }
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

    // MARK: - Patterns and codes

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

    private static func has(_ code: RuleTest.Code, _ element: LayoutElement?, _ layout: Layout?) -> Predicate {
        guard let layout else { return .constant(false) }
        if let element {
            let place = QueryPath([PathStep(slot: element.slot)])
            return code.code.map { .value(place, .compare(.equal, .text($0))) } ?? .exists(place)
        }
        if layout.name != "Coding" {
            guard let coding = layout.element(named: "coding"), let inner = coding.layout else { return .constant(false) }
            return .any(QueryPath([PathStep(slot: coding.slot)]), has(code, nil, inner))
        }
        guard let system = layout.element(named: "system"), let own = layout.element(named: "code") else { return .constant(false) }
        return .and([
            .value(QueryPath([PathStep(slot: system.slot)]), .compare(.equal, .text(code.system))), has(code, own, layout),
        ])
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

    // MARK: - References and resources

    /// Whether a Reference says that it leads to a resource of a type.
    private static func leads(to type: String, _ layout: Layout) -> Predicate {
        var parts: [Predicate] = []
        if let stated = layout.element(named: "type") {
            parts.append(.value(QueryPath([PathStep(slot: stated.slot)]), .compare(.equal, .text(type))))
        }
        if let reference = layout.element(named: "reference") {
            let place = QueryPath([PathStep(slot: reference.slot)])
            // Those that may lead to any type do not say it.
            let isOpen = Predicate.value(place, .text(.hasPrefix, of: ReferenceParts.uuidPrefix, []))
            parts.append(.and([.value(place, .referenceType(type)), .not(isOpen)]))
        }
        return .or(parts)
    }

    private static func resource(at path: [String], types: [String], tests: [RuleTest], _ layout: Layout) -> Predicate {
        guard let last = path.last else { return .constant(false) }
        return at(path.dropLast()[...], layout) { element, layout in
            guard element == nil, let layout, let container = layout.element(named: last) else { return .constant(false) }
            return .or(
                types.compactMap { type in
                    layout.release.resourceLayout(named: type).map { resource in
                        .any(
                            QueryPath([PathStep(slot: container.slot, kind: .resource(type))]),
                            SlicePredicate(layout: resource).predicate(tests))
                    }
                })
        }
    }

    private static func declares(_ url: String, _ layout: Layout) -> Predicate {
        guard let meta = layout.element(named: "meta"), let profile = meta.layout?.element(named: "profile") else {
            return .constant(false)
        }
        let place = QueryPath([PathStep(slot: profile.slot)])
        return .any(
            QueryPath([PathStep(slot: meta.slot)]),
            .or([.value(place, .compare(.equal, .text(url))), .value(place, .text(.hasPrefix, of: "\(url)|", []))]))
    }
}
