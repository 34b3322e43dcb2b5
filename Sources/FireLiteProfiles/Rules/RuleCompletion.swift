import FireLiteCore

/// Sets what a profile fixes and requires in a new object. What is there stays as it is.
enum RuleCompletion {
    static func complete(_ object: FHIRObject, _ rule: RuleElement) {
        if let value = rule.fixed ?? rule.pattern { apply(value, to: object) }
        for test in rule.tests { complete(object, test) }
        for child in rule.children {
            if child.isAutomatic { complete(child, of: object) }
            for slice in child.slices where slice.isAutomatic { complete(slice, of: object) }
        }
    }

    /// Sets what makes an object an item of a slice, as far as it can be set.
    private static func complete(_ object: FHIRObject, _ test: RuleTest) {
        switch test {
        case .pattern(let path, let pattern): apply(pattern, at: path[...], to: object)
        case .targets(let path, let types):
            // A Reference whose address does not say where it leads says it by its type.
            guard path.isEmpty, types.count == 1, test.passes(.object(object)) == nil, let type = object.layout.element(named: "type")
            else { return }
            object._setString(type.slot, types[0])
        case .resource(let path, let types, let tests):
            guard let name = path.last, path.count == 1 else { return }
            for case .object(let resource) in object.ruleValues(named: name) where types.contains(resource.layout.name) {
                guard RuleTest.all(tests, .object(resource)) != true, let url = declaration(in: tests) else { continue }
                declare(url, in: resource)
            }
        case .type, .codes, .exists, .profile, .any, .none: return
        }
    }

    /// The profile whose name in `meta.profile` is enough.
    private static func declaration(in tests: [RuleTest]) -> String? {
        for test in tests {
            if case .profile(let url) = test { return url }
            if case .any(let lists) = test, let first = lists.first, first.count == 1, case .profile(let url) = first[0] { return url }
        }
        return nil
    }

    /// Adds a profile to `meta.profile`, unless it is there.
    static func declare(_ url: String, in resource: FHIRObject) {
        guard !RuleTest.declares(resource, url), let meta = resource.layout.element(named: "meta") else { return }
        if resource.child("meta") == nil { resource._setObject(meta.slot, meta.makeObject()) }
        guard let target = resource.child("meta"), let profile = target.layout.element(named: "profile") else { return }
        target._setStrings(profile.slot, target._strings(profile.slot) + [url])
    }

    /// Makes an element, or the item of a slice, unless it is there.
    private static func complete(_ rule: RuleElement, of object: FHIRObject) {
        let elements = object.ruleElements(named: rule.name).filter { rule.types.isEmpty || rule.types.contains($0.typeName) }
        guard let element = elements.first else { return }
        let values = object.ruleValues(named: rule.name)
        if rule.key != rule.name {
            // A slice: any item of it is enough.
            guard !values.contains(where: { rule.selection(of: $0) == true }) else { return }
        } else if let present = values.first {
            if case .object(let child) = present { complete(child, rule) }
            return
        }
        if let child = element.makeObject() {
            complete(child, rule)
            add(child, to: element, of: object, rule)
        } else if let literal = (rule.fixed ?? rule.pattern)?.literalText {
            set(literal, element, of: object)
        }
    }

    private static func add(_ child: FHIRObject, to element: LayoutElement, of object: FHIRObject, _ rule: RuleElement) {
        if element.isList {
            let list: [FHIRObject] = object._objects(element.slot)
            object._setObjects(element.slot, list + [child])
        } else {
            object._setObject(element.slot, child)
        }
    }

    // MARK: - Patterns

    private static func apply(_ pattern: JSONItem, at path: ArraySlice<String>, to object: FHIRObject) {
        guard let name = path.first else { return apply(pattern, to: object) }
        guard let element = object.ruleElements(named: name).first else { return }
        if path.count == 1 { return apply(JSONItem.object([JSONItem.Member(name: element.name, value: pattern)]), to: object) }
        let present = object.children(element.name).first
        guard let child = present ?? element.makeObject() else { return }
        apply(pattern, at: path.dropFirst(), to: child)
        guard present == nil else { return }
        if element.isList { object._setObjects(element.slot, [child]) } else { object._setObject(element.slot, child) }
    }

    /// Sets the members of a pattern that an object lacks.
    static func apply(_ pattern: JSONItem, to object: FHIRObject) {
        for member in pattern.members {
            guard let element = object.layout.element(named: member.name) else { continue }
            let items = member.value.isArray ? member.value.items : [member.value]
            for item in items {
                let values = object.ruleValues(named: element.name)
                if values.contains(where: { PatternMatch.holds(item, in: $0) }) { continue }
                if let literal = item.literalText {
                    if element.isList || values.isEmpty { set(literal, element, of: object) }
                } else if !element.isList, case .object(let child)? = values.first {
                    apply(item, to: child)
                } else if let child = element.makeObject() {
                    apply(item, to: child)
                    if element.isList {
                        let list: [FHIRObject] = object._objects(element.slot)
                        object._setObjects(element.slot, list + [child])
                    } else {
                        object._setObject(element.slot, child)
                    }
                }
            }
        }
    }

    /// Sets a primitive from its literal, or adds it to a list.
    private static func set(_ literal: String, _ element: LayoutElement, of object: FHIRObject) {
        if element.isList { return object._setStrings(element.slot, object._strings(element.slot) + [literal]) }
        switch element.primitive {
        case .boolean: object._setBool(element.slot, literal == "true")
        case .integer, .positiveInt, .unsignedInt, .integer64: object._setInt(element.slot, Int(literal))
        case .decimal: object._setDecimal(element.slot, FHIRDecimal(literal))
        case .date: object._setDate(element.slot, FHIRDate(literal))
        case .dateTime: object._setDateTime(element.slot, FHIRDateTime(literal))
        case .instant: object._setInstant(element.slot, FHIRInstant(literal))
        case .time: object._setTime(element.slot, FHIRTime(literal))
        default: object._setString(element.slot, literal)
        }
    }
}

extension JSONItem {
    /// The literal of a primitive; nil for other values.
    fileprivate var literalText: String? {
        switch content {
        case .string(let text): text
        case .number(let literal): literal
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }
}
