extension FHIRObject {
    /// Checks the object against FHIR's definitions and returns the issues in the order of the elements.
    ///
    /// Checks cardinalities, codes of required bindings, formats of primitives, choice elements, target types of references and empty
    /// elements, of the object and everything in it. It does not check constraints, which are FHIRPath expressions, or profiles. Validation
    /// never blocks saving.
    public final func validate() -> [FHIRIssue] {
        var validator = Validator(layout)
        validator.validate(self)
        return validator.issues
    }
}

/// Walks through an object and collects issues.
struct Validator {
    private let release: FHIRRelease
    private let root: String
    private(set) var issues: [FHIRIssue] = []
    /// The elements between the root and the current one. A path is only written for an issue.
    private var steps: [Step] = []

    /// An element on the way: its class and slot, which are looked at only for an issue, and its index in a list.
    private struct Step {
        // Layouts live as long as the process.
        let layout: Unmanaged<Layout>
        let slot: Int
        var index = -1

        var name: String { layout._withUnsafeGuaranteedRef { $0.elements[slot].name } }
    }

    init(_ layout: Layout) { (release, root) = (layout.release, layout.name) }

    private mutating func enter(_ layout: Layout, _ slot: Int) { steps.append(Step(layout: .passUnretained(layout), slot: slot)) }

    // MARK: - Objects

    mutating func validate(_ object: FHIRObject) {
        let layout = object.layout
        let entries = object.layoutTable.pointee.entries
        if !layout.isResource, isWithoutContent(object) {
            add(code: .empty, message: "needs a value, an extension or a child element, has none")
        }
        let run = object.slotRun
        let required = layout.requiredSlots
        var (position, next) = (0, 0)
        while position < run.count || next < required.count {
            let slot = position < run.count ? Int(run[position].index) : Int.max
            if next < required.count, required[next] < slot {
                let missing = required[next]
                next += 1
                // A choice that has a value stands at the slot of that value.
                if let choice = layout.elements[missing].choice, choice.slots.contains(slot) { continue }
                addMissing(layout.elements[missing])
                continue
            }
            if next < required.count, required[next] == slot { next += 1 }
            let first = position
            position += 1
            validate(layout, slot, run[first].value)
            let (choice, count) = (Int(entries[slot].choiceFirst), Int(entries[slot].choiceCount))
            guard count > 0 else { continue }
            while position < run.count, (choice..<choice + count).contains(Int(run[position].index)) {
                validate(layout, Int(run[position].index), run[position].value)
                position += 1
            }
            if position - first > 1, let choice = layout.elements[slot].choice {
                add(child: choice.name, code: .secondChoice, message: "may have a value of one type, has \(position - first)")
            }
        }
    }

    private mutating func addMissing(_ element: LayoutElement) {
        if let choice = element.choice {
            add(child: choice.name, code: .missing, message: "needs a value of one of its types, has none")
        } else {
            let number = element.min
            add(child: element.name, code: .missing, message: "needs at least \(number) value\(number == 1 ? "" : "s"), has none")
        }
    }

    /// Whether there is only an id, which is not content (constraint ele-1 of the specification).
    private func isWithoutContent(_ object: FHIRObject) -> Bool {
        for slot in object.slotRun where slot.index > 0 || object.layout.elements[Int(slot.index)].name != "id" { return false }
        return true
    }

    /// - Parameters:
    ///   - layout: the class of the element.
    ///   - slot: its slot there.
    private mutating func validate(_ layout: Layout, _ slot: Int, _ value: SlotValue) {
        enter(layout, slot)
        switch value {
        case .word, .text:
            validate(primitive: value, layout, slot)
        case .object(let child):
            validate(child: child, layout, slot)
        case .objects(let children):
            validateCount(children.count, layout, slot)
            for (index, child) in children.enumerated() {
                steps[steps.count - 1].index = index
                validate(child: child, layout, slot)
            }
        case .texts(let texts):
            validateCount(texts.count, layout, slot)
            for (index, text) in texts.enumerated() {
                steps[steps.count - 1].index = index
                validate(primitive: .text(text), layout, slot)
            }
        case .annotated(let primitive):
            validate(primitive.value, primitive.element, layout, slot)
        case .annotatedTexts(let list):
            validateCount(list.texts.count, layout, slot)
            for index in list.texts.indices {
                steps[steps.count - 1].index = index
                validate(list.texts[index].map { .text($0) }, list.elements[index], layout, slot)
            }
        }
        steps.removeLast()
    }

    private mutating func validateCount(_ count: Int, _ layout: Layout, _ slot: Int) {
        let min = layout.elements[slot].min
        if count < min { add(code: .missing, message: "needs at least \(min) values, has \(count)") }
        if let max = layout.elements[slot].max, count > max {
            add(code: .tooMany, message: "may have \(max) value\(max == 1 ? "" : "s"), has \(count)")
        }
    }

    private mutating func validate(child: FHIRObject, _ layout: Layout, _ slot: Int) {
        validate(child)
        let name = child.layout.name
        if name == "Reference", let reference = child as? any FHIRReference {
            return validate(reference, layout.elements[slot].targets)
        }
        if name == "CodeableReference" { return validate(codeableReference: child, layout.elements[slot]) }
        if let binding = layout.elements[slot].binding { validate(concept: child, binding) }
    }

    /// The binding of a CodeableReference is that of its concept, and its targets those of its reference, whose own definitions allow any.
    private mutating func validate(codeableReference object: FHIRObject, _ element: LayoutElement) {
        let layout = object.layout
        for part in layout.elements where part.kind == .object && !part.isList {
            guard let child: FHIRObject = object._object(part.slot) else { continue }
            enter(layout, part.slot)
            if let binding = element.binding { validate(concept: child, binding) }
            if let reference = child as? any FHIRReference { validate(targetOf: reference, reference.parts, element.targets) }
            steps.removeLast()
        }
    }

    // MARK: - Primitives

    private mutating func validate(_ value: SlotValue?, _ annotation: FHIRObject?, _ layout: Layout, _ slot: Int) {
        if let value { validate(primitive: value, layout, slot) }
        guard let annotation else {
            if value == nil { add(code: .empty, message: "needs a value or an extension, has none") }
            return
        }
        // A primitive with a value needs no more than an id.
        if value == nil || annotation.isEmpty {
            validate(annotation)
        } else if let slot = annotation.layout.element(named: "extension")?.slot, let extensions = annotation.value(slot) {
            validate(annotation.layout, slot, extensions)
        }
    }

    private mutating func validate(primitive value: SlotValue, _ layout: Layout, _ slot: Int) {
        let entry = layout.table.pointee.entries + slot
        guard entry.pointee.kind == .primitive else { return }
        let type = entry.pointee.primitive
        let isValid: Bool
        switch value {
        case .text(let text): isValid = PrimitiveFormat.isValid(text, as: type)
        case .word(let word): isValid = type.storage != .integer || type.integerRange.contains(word)
        default: isValid = false
        }
        if !isValid { return add(code: .format, message: "needs \(type.format), has \(Self.fault(value, type))") }
        if let binding = layout.elements[slot].binding, case .text(let code) = value, !isKnown(code, binding) {
            add(code: .unknownCode, message: "needs a code of \(binding), has a different one")
        }
    }

    /// The fault of a primitive, without its value.
    private static func fault(_ value: SlotValue, _ type: PrimitiveType) -> String {
        guard case .text(let text) = value else { return "a number out of range" }
        if text.isEmpty { return "an empty string" }
        return type.storage == .temporal ? PrimitiveType.temporalFault(text, type) : "a value in another notation"
    }

    // MARK: - Codes

    private func isKnown(_ code: String, _ binding: String) -> Bool {
        let known = release.codeSet(ofBinding: binding)
        return known.isEmpty || known.contains(code[...])
    }

    private mutating func validate(concept object: FHIRObject, _ binding: String) {
        let layout = object.layout
        if layout.name == "Coding", let slot = layout.element(named: "code")?.slot {
            guard let code = object._string(slot) else {
                return add(code: .unknownCode, message: "needs a code of \(binding), has none", severity: .warning)
            }
            if !isKnown(code, binding) {
                add(child: "code", code: .unknownCode, message: "needs a code of \(binding), has a different one")
            }
        }
        guard layout.name == "CodeableConcept", let codings = layout.element(named: "coding"),
            let codeSlot = codings.layout?.element(named: "code")?.slot
        else { return }
        let list: [FHIRObject] = object._objects(codings.slot)
        let codes = list.compactMap { $0._string(codeSlot) }
        if codes.isEmpty {
            add(code: .unknownCode, message: "needs a code of \(binding), has none", severity: .warning)
        } else if !codes.contains(where: { isKnown($0, binding) }) {
            add(child: "coding", code: .unknownCode, message: "needs a code of \(binding), has different ones")
        }
    }

    // MARK: - References

    /// - Parameter targets: the types that it may point to; none for any.
    private mutating func validate(_ reference: some FHIRReference, _ targets: [String]) {
        let parts = reference.parts
        if let parts {
            if parts.form == .contained, reference.containedTarget() == nil {
                return add(child: "reference", code: .reference, message: "needs a contained resource, which is missing")
            }
            if parts.form == .relative, parts.type.map({ release.hasResourceType(named: $0) }) != true {
                return add(
                    child: "reference", code: .reference,
                    message: "needs a resource type of FHIR \(release.name), has an unknown name")
            }
        }
        validate(targetOf: reference, parts, targets)
    }

    /// Checks the type of the resource that a reference points to, as far as the reference tells.
    private mutating func validate(targetOf reference: some FHIRReference, _ parts: ReferenceParts?, _ targets: [String]) {
        guard let parts else { return validate(type: reference.statedType, targets, member: "type") }
        switch parts.form {
        case .contained: validate(type: reference.containedTarget()?.resourceType, targets, member: "reference")
        // The URL of a server that is not FHIR may end in any name.
        case .relative, .absolute: validate(type: parts.type, targets, member: "reference")
        case .uuid, .oid, .other: validate(type: reference.statedType, targets, member: "type")
        }
    }

    private mutating func validate(type: String?, _ targets: [String], member: String) {
        guard let type, !targets.isEmpty, !targets.contains(type), release.hasResourceType(named: type) else { return }
        add(child: member, code: .reference, message: "may point to \(targets.joined(separator: ", ")), points to \(type)")
    }

    // MARK: - Issues

    /// Adds an issue about the current element, or about a child of it.
    private mutating func add(child: String? = nil, code: FHIRIssue.Code, message: String, severity: FHIRIssue.Severity = .error) {
        var path = root
        for step in steps {
            path += ".\(step.name)"
            if step.index >= 0 { path += "[\(step.index)]" }
        }
        if let child { path += ".\(child)" }
        issues.append(FHIRIssue(path: path, severity: severity, code: code, message: message))
    }
}
