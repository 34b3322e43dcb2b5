import FireLiteCore

extension Function {
    /// FHIR's own functions (FHIR, FHIRPath, Additional functions; SQL on FHIR's keys).
    static let fhir: [String: Function] = [
        "hasValue": Function(0, .boolean) { _, focus, _ in
            guard focus.count == 1, let item = focus.first else { return .no }
            if case .object = item { return .no }
            return item.system == nil ? .no : .yes
        },
        "getValue": Function(0, .unknown) { _, focus, _ in
            guard focus.count == 1, let item = focus.first, item.isPrimitive else { return [] }
            return .optional(item.system)
        },
        "extension": Function(1, .fhir("Extension"), sql: .extensions) { call, focus, evaluator in
            guard let url = try call.text(0, evaluator) else { return [] }
            return focus.flatMap { $0.extensions(url) }
        },
        "hasExtension": Function(1, .boolean) { call, focus, evaluator in
            guard let url = try call.text(0, evaluator) else { return [] }
            return .truth(focus.contains { !$0.extensions(url).isEmpty })
        },
        "resolve": Function(0, .unknown) { _, focus, evaluator in
            try focus.compactMap { item in
                guard let reference = item.referenceText else { return nil }
                return try evaluator.resolve(reference, from: item).map { .object($0) }
            }
        },
        "conformsTo": Function(1, .boolean) { call, focus, evaluator in
            guard let item = try call.single(focus), let url = try call.text(0, evaluator) else { return [] }
            guard case .object(let object) = item else { return .no }
            if let isConformant = try evaluator.context.conforms?(object, url) { return .truth(isConformant) }
            let base = "http://hl7.org/fhir/StructureDefinition/"
            if url.hasPrefix(base) {
                let name = String(url.dropFirst(base.count))
                if object.layout.isKind(of: name) { return .yes }
                if object.layout.release.layout(named: name) != nil { return .no }
            }
            throw call.error("the profile is unknown")
        },
        "htmlChecks": Function(0, .boolean) { call, focus, _ in
            guard let text = try call.single(focus)?.textValue else { return [] }
            return .truth(NarrativeCheck.isValid(text))
        },
        "checkModifiers": Function(0...Int(Int32.max), .input) { call, focus, evaluator in
            var known: Set<String> = []
            for number in call.arguments.indices { if let url = try call.text(number, evaluator) { known.insert(url) } }
            for item in focus {
                guard case .object(let object) = item, let element = object.layout.element(named: "modifierExtension"),
                    case .objects(let list)? = object.value(element.slot)
                else { continue }
                for modifier in list where !(modifier.string("url").map { known.contains($0) } ?? false) {
                    throw call.error("a modifier extension is not among those allowed")
                }
            }
            return focus
        },
        "elementDefinition": Function(0, .unknown) { call, focus, evaluator in
            try focus.compactMap { try evaluator.context.elementDefinition?(FHIRPathValue($0)).map { .object($0) } }
        },
        "slice": Function(2, .input) { call, focus, evaluator in
            guard let profile = try call.text(0, evaluator), let name = try call.text(1, evaluator) else { return [] }
            guard let isInSlice = evaluator.context.isInSlice else { throw call.error("'slice' needs profiles, which nobody gave") }
            return try focus.filter { try isInSlice(FHIRPathValue($0), profile, name) }
        },
        "getResourceKey": Function(0, .string, sql: .resourceKey) { _, focus, _ in
            focus.compactMap { item in
                guard case .object(let object) = item, let resource = object as? FHIRResource, let id = resource.id else { return nil }
                return .string("\(resource.resourceType)/\(id)")
            }
        },
        "getReferenceKey": Function(0...1, .string, arguments: .optionalType, sql: .referenceKey) { call, focus, evaluator in
            focus.compactMap { item in
                guard let text = item.referenceText else { return nil }
                let parts = ReferenceParts(text)
                guard parts.base.map({ evaluator.context.bases.contains($0) }) ?? true else { return nil }
                guard let type = parts.type, let id = parts.id, call.type.map({ $0.name == type }) ?? true else { return nil }
                return .string("\(type)/\(id)")
            }
        },
    ]
}

extension Item {
    /// The extensions with a URL.
    fileprivate func extensions(_ url: String) -> [Item] {
        guard let object = children, let slot = object.layout.element(named: "extension")?.slot,
            case .objects(let list)? = object.value(slot)
        else { return [] }
        return list.filter { $0.string("url") == url }.map { .object($0) }
    }

    /// The text of a `Reference`, `canonical`, `uri` or string.
    fileprivate var referenceText: String? {
        if case .object(let object) = self { return object.string("reference") }
        guard case .string(let text)? = system else { return nil }
        return text
    }
}

extension Evaluator {
    /// The resource that a reference points to: a contained one, one in the same Bundle, or what the context finds.
    fileprivate func resolve(_ reference: String, from item: Item) throws -> FHIRResource? {
        let root = container(of: item)
        if reference.hasPrefix("#") {
            guard let root else { return nil }
            if reference == "#" { return root }
            let id = String(reference.dropFirst())
            return root.containedResources.first { $0.id == id }
        }
        if let entry = entry(reference, from: item) { return entry }
        return try context.resolve?(reference)
    }

    private func container(of item: Item) -> FHIRResource? {
        if case .object(let object) = item, let container = object.containerResource { return container }
        return resource(ofRoot: true)
    }

    /// The resource of the Bundle around an object with a full URL. A relative reference is one to the server that the object's own entry is from
    /// (FHIR, Bundle, Resolving references in Bundles).
    private func entry(_ reference: String, from item: Item) -> FHIRResource? {
        var current: FHIRObject? = item.children ?? input.first?.children
        var ownURL: String?
        while let object = current {
            if object.layout.name == "Bundle", let slot = object.layout.element(named: "entry")?.slot,
                case .objects(let entries)? = object.value(slot)
            {
                let isRelative = ReferenceParts(reference).form == .relative
                let base = ownURL.flatMap { ReferenceParts($0).base }
                let wanted = isRelative ? base.map { "\($0)/\(reference)" } : reference
                for entry in entries {
                    guard let url = entry.string("fullUrl"), wanted.map({ url == $0 }) ?? url.hasSuffix("/" + reference) else { continue }
                    guard let slot = entry.layout.element(named: "resource")?.slot, case .object(let found)? = entry.value(slot) else {
                        continue
                    }
                    return found as? FHIRResource
                }
                return nil
            }
            if let url = object.string("fullUrl") { ownURL = url }
            current = object.ownerObject
        }
        return nil
    }
}
