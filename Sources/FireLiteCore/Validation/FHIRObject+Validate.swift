extension FHIRObject {
    /// Checks the object against FHIR's definitions and returns the issues in the order of the elements.
    ///
    /// Checks cardinalities, codes of required bindings, formats of primitives, choice elements, target types of references and empty
    /// elements, of the object and everything in it. It does not check constraints, which are FHIRPath expressions, or profiles. Validation
    /// never blocks saving.
    public final func validate() -> [FHIRIssue] {
        var validator = Validator(release: layout.release)
        validator.validate(self, path: layout.name)
        return validator.issues
    }
}

/// Walks through an object and collects issues.
struct Validator {
    let release: FHIRRelease
    private(set) var issues: [FHIRIssue] = []
    private var codes: [String: Set<Substring>] = [:]

    init(release: FHIRRelease) { self.release = release }

    // MARK: - Objects

    mutating func validate(_ object: FHIRObject, path: String) {
        let layout = object.layout
        if !layout.isResource, isWithoutContent(object) {
            add(path, code: .empty, message: "needs a value, an extension or a child element, has none")
        }
        var slot = 0
        while slot < layout.elements.count {
            let element = layout.elements[slot]
            if let choice = element.choice {
                validate(choice, of: object, path: path)
                slot = choice.slots.upperBound
            } else {
                validate(element, object.value(slot), of: object, path: "\(path).\(element.name)")
                slot += 1
            }
        }
    }

    /// Whether there is only an id, which is not content (constraint ele-1 of the specification).
    private func isWithoutContent(_ object: FHIRObject) -> Bool {
        var isEmpty = true
        object.forEachSlot { slot in
            if slot.index > 0 || object.layout.elements[Int(slot.index)].name != "id" { isEmpty = false }
        }
        return isEmpty
    }

    private mutating func validate(_ choice: LayoutElement.Choice, of object: FHIRObject, path: String) {
        let elements = object.layout.elements[choice.slots].filter { object.position(of: $0.slot) != nil }
        if elements.isEmpty, choice.min > 0 {
            add("\(path).\(choice.name)", code: .missing, message: "needs a value of one of its types, has none")
        }
        for element in elements { validate(element, object.value(element.slot), of: object, path: "\(path).\(element.name)") }
        if elements.count > 1 {
            add("\(path).\(choice.name)", code: .secondChoice, message: "may have a value of one type, has \(elements.count)")
        }
    }

    private mutating func validate(_ element: LayoutElement, _ value: SlotValue?, of object: FHIRObject, path: String) {
        guard let value else {
            if element.min > 0 {
                add(path, code: .missing, message: "needs at least \(element.min) value\(element.min == 1 ? "" : "s"), has none")
            }
            return
        }
        switch value {
        case .word, .text:
            validate(primitive: value, element, path: path)
        case .object(let child):
            validate(child: child, element, path: path)
        case .objects(let children):
            validateCount(children.count, element, path: path)
            for (index, child) in children.enumerated() { validate(child: child, element, path: "\(path)[\(index)]") }
        case .texts(let texts):
            validateCount(texts.count, element, path: path)
            for (index, text) in texts.enumerated() { validate(primitive: .text(text), element, path: "\(path)[\(index)]") }
        case .annotated(let primitive):
            validate(primitive.value, primitive.element, element, path: path)
        case .annotatedTexts(let list):
            validateCount(list.texts.count, element, path: path)
            for index in list.texts.indices {
                validate(list.texts[index].map { .text($0) }, list.elements[index], element, path: "\(path)[\(index)]")
            }
        }
    }

    private mutating func validateCount(_ count: Int, _ element: LayoutElement, path: String) {
        if count < element.min { add(path, code: .missing, message: "needs at least \(element.min) values, has \(count)") }
        if let max = element.max, count > max {
            add(path, code: .tooMany, message: "may have \(max) value\(max == 1 ? "" : "s"), has \(count)")
        }
    }

    private mutating func validate(child: FHIRObject, _ element: LayoutElement, path: String) {
        validate(child, path: path)
        if let reference = child as? any FHIRReference { return validate(reference, element, path: path) }
        if child.layout.name == "CodeableReference" { return validate(codeableReference: child, element, path: path) }
        if let binding = element.binding { validate(concept: child, binding, path: path) }
    }

    /// The binding of a CodeableReference is that of its concept, and its targets those of its reference, whose own definitions allow any.
    private mutating func validate(codeableReference object: FHIRObject, _ element: LayoutElement, path: String) {
        for part in object.layout.elements where part.kind == .object && !part.isList {
            guard let child: FHIRObject = object._object(part.slot) else { continue }
            let path = "\(path).\(part.name)"
            if let binding = element.binding { validate(concept: child, binding, path: path) }
            if let reference = child as? any FHIRReference { validate(targetOf: reference, element, path: path) }
        }
    }

    // MARK: - Primitives

    private mutating func validate(_ value: SlotValue?, _ annotation: FHIRObject?, _ element: LayoutElement, path: String) {
        if let value { validate(primitive: value, element, path: path) }
        guard let annotation else {
            if value == nil { add(path, code: .empty, message: "needs a value or an extension, has none") }
            return
        }
        // A primitive with a value needs no more than an id.
        if value == nil || annotation.isEmpty {
            validate(annotation, path: path)
        } else if let slot = annotation.layout.element(named: "extension")?.slot {
            validate(annotation.layout.elements[slot], annotation.value(slot), of: annotation, path: "\(path).extension")
        }
    }

    private mutating func validate(primitive value: SlotValue, _ element: LayoutElement, path: String) {
        guard let type = element.primitive else { return }
        let isValid: Bool
        switch value {
        case .text(let text): isValid = PrimitiveFormat.isValid(text, as: type)
        case .word(let word): isValid = type.storage != .integer || type.integerRange.contains(word)
        default: isValid = false
        }
        if !isValid { return add(path, code: .format, message: "needs \(type.format), has \(Self.fault(value, type))") }
        if let binding = element.binding, case .text(let code) = value, !isKnown(code, binding) {
            add(path, code: .unknownCode, message: "needs a code of \(binding), has a different one")
        }
    }

    /// The fault of a primitive, without its value.
    private static func fault(_ value: SlotValue, _ type: PrimitiveType) -> String {
        guard case .text(let text) = value else { return "a number out of range" }
        if text.isEmpty { return "an empty string" }
        return type.storage == .temporal ? PrimitiveType.temporalFault(text, type) : "a value in another notation"
    }

    // MARK: - Codes

    private mutating func isKnown(_ code: String, _ binding: String) -> Bool {
        if let known = codes[binding] { return known.isEmpty || known.contains(code[...]) }
        codes[binding] = Set(release.codes(ofBinding: binding) ?? [])
        return isKnown(code, binding)
    }

    private mutating func validate(concept object: FHIRObject, _ binding: String, path: String) {
        let layout = object.layout
        if layout.name == "Coding", let slot = layout.element(named: "code")?.slot {
            guard let code = object._string(slot) else {
                return add(path, code: .unknownCode, message: "needs a code of \(binding), has none", severity: .warning)
            }
            if !isKnown(code, binding) {
                add("\(path).code", code: .unknownCode, message: "needs a code of \(binding), has a different one")
            }
        }
        guard layout.name == "CodeableConcept", let codings = layout.element(named: "coding"),
            let codeSlot = codings.layout?.element(named: "code")?.slot
        else { return }
        let list: [FHIRObject] = object._objects(codings.slot)
        let codes = list.compactMap { $0._string(codeSlot) }
        if codes.isEmpty {
            add(path, code: .unknownCode, message: "needs a code of \(binding), has none", severity: .warning)
        } else if !codes.contains(where: { isKnown($0, binding) }) {
            add("\(path).coding", code: .unknownCode, message: "needs a code of \(binding), has different ones")
        }
    }

    // MARK: - References

    private mutating func validate(_ reference: some FHIRReference, _ element: LayoutElement, path: String) {
        if let parts = reference.parts {
            if parts.form == .contained, reference.containedTarget() == nil {
                return add("\(path).reference", code: .reference, message: "needs a contained resource, which is missing")
            }
            if parts.form == .relative, parts.type.map({ release.hasResourceType(named: $0) }) != true {
                return add(
                    "\(path).reference", code: .reference, message: "needs a resource type of FHIR \(release.name), has an unknown name")
            }
        }
        validate(targetOf: reference, element, path: path)
    }

    /// Checks the type of the resource that a reference points to, as far as the reference tells.
    private mutating func validate(targetOf reference: some FHIRReference, _ element: LayoutElement, path: String) {
        guard let parts = reference.parts else { return validate(type: reference.statedType, element, path: "\(path).type") }
        switch parts.form {
        case .contained: validate(type: reference.containedTarget()?.resourceType, element, path: "\(path).reference")
        // The URL of a server that is not FHIR may end in any name.
        case .relative, .absolute: validate(type: parts.type, element, path: "\(path).reference")
        case .uuid, .oid, .other: validate(type: reference.statedType, element, path: "\(path).type")
        }
    }

    private mutating func validate(type: String?, _ element: LayoutElement, path: String) {
        guard let type, !element.targets.isEmpty, release.hasResourceType(named: type), !element.targets.contains(type) else { return }
        add(path, code: .reference, message: "may point to \(element.targets.joined(separator: ", ")), points to \(type)")
    }

    // MARK: - Issues

    private mutating func add(_ path: String, code: FHIRIssue.Code, message: String, severity: FHIRIssue.Severity = .error) {
        issues.append(FHIRIssue(path: path, severity: severity, code: code, message: message))
    }
}
