import FireLiteCore
import FireLiteFHIRPath

/// Checks values by the minimum, the maximum and the length that a profile gives.
struct RangeCheck {
    private let run: ValidationRun
    private let structure: Structure

    init(_ run: ValidationRun, _ structure: Structure) { (self.run, self.structure) = (run, structure) }

    func check(_ value: ElementValue, _ rule: ElementRule) {
        if let limit = rule.minimum { check(value, limit, .below, "the value is less than the minimum of \(rule.id)", rule) }
        if let limit = rule.maximum { check(value, limit, .above, "the value is more than the maximum of \(rule.id)", rule) }
        if let length = rule.maxLength, let text = value.text, text.unicodeScalars.count > length {
            run.add(.length, "the text may have \(length) characters, and has more", profile: structure, element: rule.id)
        }
    }

    private func check(_ value: ElementValue, _ limit: ElementRule.Value, _ breach: Order, _ message: String, _ rule: ElementRule) {
        switch Self.order(value.item, limit, run.release) {
        case breach?: run.add(.range, message, profile: structure, element: rule.id)
        case nil where Self.isComparable(value):
            run.add(
                .undecidedConstraint, "the value cannot be compared with a limit of \(rule.id): its precision or its unit differs",
                .warning,
                profile: structure, element: rule.id, undecided: .rule)
        default: break
        }
    }

    /// Whether there is something to compare: an extension may say instead why a value is absent.
    private static func isComparable(_ value: ElementValue) -> Bool {
        guard let object = value.object else { return value.text != nil }
        return !object.layout.isKind(of: "Quantity") || !object.values(named: "value").isEmpty
    }

    enum Order { case below, equal, above }

    /// How a value compares with a limit; nil if that cannot be said: other types, units that do not convert, partial dates.
    static func order(_ item: Item, _ limit: ElementRule.Value, _ release: FHIRRelease) -> Order? {
        let other: FHIRPathValue
        if let object = release.layout(named: limit.type)?.makeObject(), limit.json.isObject {
            guard (try? FHIRJSON.read(.init(limit.json.json.utf8), into: object)) != nil else { return nil }
            other = FHIRPathValue(object)
        } else {
            let text = limit.json.text ?? limit.json.json
            let name = limit.type.prefix(1).lowercased() + limit.type.dropFirst()
            guard let type = PrimitiveType(name: name), let slot = SlotValue(literal: text, type) else { return nil }
            var items: [Item] = []
            slot.append(to: &items, type)
            guard let item = items.first else { return nil }
            other = FHIRPathValue(item)
        }
        return order(item, other)
    }

    static func order(_ item: Item, _ other: FHIRPathValue) -> Order? {
        var context = FHIRPathContext()
        context.variables["limit"] = [other]
        func truth(_ expression: String) -> Bool? {
            let results = try? FHIRPath(expression, options: .definitions).evaluate(on: [FHIRPathValue(item)], context: context)
            return results?.first?.bool
        }
        if truth("$this < %limit") == true { return .below }
        if truth("$this > %limit") == true { return .above }
        if truth("$this <= %limit") == true { return .equal }
        return nil
    }
}

/// Checks codes by the binding that a profile gives.
struct BindingCheck {
    private let run: ValidationRun
    private let structure: Structure

    init(_ run: ValidationRun, _ structure: Structure) { (self.run, self.structure) = (run, structure) }

    func check(_ value: ElementValue, _ facts: RuleFacts) {
        guard let valueSet = facts.valueSet else { return }
        switch facts.strength {
        case "required":
            switch Self.membership(of: value, in: valueSet, run) {
            case .member: break
            case .notMember:
                run.add(.code, "needs a code of \(valueSet), has a different one or none", profile: structure, element: facts.id)
            case .unknown: unknown(valueSet, value, facts)
            }
        case "extensible":
            if Self.membership(of: value, in: valueSet, run) == .notMember {
                run.add(
                    .code, "has no code of \(valueSet), which should be used if it has a suitable one", .warning, profile: structure,
                    element: facts.id)
            }
        default: break
        }
        guard let maximum = facts.maximum else { return }
        // A preferred binding asks for no code; one that is there is of the maximum.
        let hasCode = value.object.map { !CodeQuestion.all(in: $0).isEmpty } ?? true
        guard hasCode || facts.strength != "preferred" else { return }
        switch Self.membership(of: value, in: maximum, run) {
        case .member: break
        case .notMember: run.add(.code, "needs a code of \(maximum), has a different one", profile: structure, element: facts.id)
        case .unknown: if hasCode { unknown(maximum, value, facts) }
        }
    }

    private func unknown(_ valueSet: Canonical, _ value: ElementValue, _ facts: RuleFacts) {
        // A value that is only extended says why it has no code.
        let isAbsent = value.object == nil ? value.text == nil : value.object?.layout.name == "CodeableReference"
        run.add(
            .unknownValueSet, "whether the code is in \(valueSet) is not known: add the package with the value set and its code systems",
            .warning, profile: structure, element: facts.id, undecided: isAbsent ? nil : .code)
    }

    /// Whether one of the value's codes is in a value set. A code of a Coding or Quantity means nothing without its system.
    static func membership(of value: ElementValue, in valueSet: Canonical, _ run: ValidationRun) -> CodeMembership {
        let questions = value.object.map { CodeQuestion.all(in: $0) } ?? value.text.map { [CodeQuestion(code: $0)] } ?? []
        if let object = value.object, questions.isEmpty {
            // Text alone is no code; a value that is only extended says why it has none.
            return object.layout.name == "CodeableConcept" || object.layout.name == "Coding" || object.layout.name == "Quantity"
                ? object.layout.name == "Quantity" ? .unknown : .notMember : .unknown
        }
        // An absent value with extensions.
        if questions.isEmpty { return .unknown }
        var result = CodeMembership.notMember
        for question in questions where question.system != nil || value.object == nil {
            switch run.codes.membership(of: question, in: valueSet) {
            case .member: return .member
            case .unknown: result = .unknown
            case .notMember: continue
            }
        }
        return result
    }
}

/// Checks the targets of references by the profiles that a profile asks for, where they are at hand.
struct TargetCheck {
    private let run: ValidationRun
    private let structure: Structure

    init(_ run: ValidationRun, _ structure: Structure) { (self.run, self.structure) = (run, structure) }

    func check(_ reference: FHIRObject, _ targets: [RuleFacts.Target], _ facts: RuleFacts) {
        let resolved = run.references.target(of: reference)
        let name =
            resolved?.resource.layout.name ?? reference.text(of: "reference").flatMap { ReferenceParts($0).type }
            ?? reference.text(of: "type")
        let structures = targets.compactMap { try? run.knowledge.structure($0.canonical) }
        let isComplete = structures.count == targets.count
        if let name, isComplete, !structures.contains(where: { fits(name, $0) }), run.release.hasResourceType(named: name) {
            let names = Set(structures.map(\.type)).sorted().joined(separator: ", ")
            return run.add(.referenceType, "must refer to \(names), refers to \(name)", profile: structure, element: facts.id)
        }
        if !isComplete, resolved != nil || name != nil && !structures.contains(where: { fits(name ?? "", $0) }) {
            // Another of the profiles may be that of the target.
            if let resolved, structures.contains(where: { !$0.isConstraint || conformance(of: resolved.resource, to: $0) == true }) {
                return
            }
            return run.add(
                .missingDefinition, "not all profiles of the targets of \(facts.id) are known: add the packages that define them", .warning,
                profile: structure, element: facts.id, undecided: .profile)
        }
        // A target that is not at hand is checked where it is stored.
        guard let resolved else { return }
        if structures.contains(where: { !$0.isConstraint }) { return }
        let (conforms, doubts) = run.collectingDoubts { structures.contains { run.conforms(resolved.resource, to: $0) } }
        if conforms {
            guard let kind = ValidationIssue.Undecided.gravest(of: doubts),
                !structures.contains(where: { conformance(of: resolved.resource, to: $0) == true })
            else { return }
            run.add(
                .undecidedConstraint, "whether the resource that it refers to conforms to its profile could not be decided", .warning,
                profile: structure, element: facts.id, undecided: kind)
        } else {
            run.add(
                .noProfile, "the resource that it refers to conforms to none of \(targets.map(\.url).joined(separator: ", "))",
                profile: structure, element: facts.id)
        }
    }

    /// Whether a resource conforms to a profile; nil if that could not be decided.
    private func conformance(of resource: FHIRResource, to target: Structure) -> Bool? {
        let (result, doubts) = run.collectingDoubts { run.conforms(resource, to: target) }
        return result && !doubts.isEmpty ? nil : result
    }

    /// Checks where the target of a reference may be, and whether the reference names a version (FHIR, ElementDefinition, type.aggregation and
    /// type.versioning).
    func checkForm(_ reference: FHIRObject, _ types: [ElementRule.TypeRule], _ facts: RuleFacts) {
        guard types.contains(where: { !$0.aggregation.isEmpty || $0.versioning != nil }), let text = reference.text(of: "reference") else {
            return
        }
        if types.allSatisfy({ !$0.aggregation.isEmpty }) {
            let place = text.hasPrefix("#") ? "contained" : run.references.target(of: reference)?.entry != nil ? "bundled" : "referenced"
            // What is in the same Bundle is also referenced.
            let places: Set<String> = place == "bundled" ? ["bundled", "referenced"] : [place]
            let allowed = Set(types.flatMap(\.aggregation))
            if allowed.isDisjoint(with: places) {
                run.add(
                    .reference, "the resource that it refers to must be \(allowed.sorted().joined(separator: " or ")), and is \(place)",
                    profile: structure, element: facts.id)
            }
        }
        let versioning = Set(types.compactMap(\.versioning))
        guard versioning.count == 1, types.allSatisfy({ $0.versioning != nil }), !text.hasPrefix("#") else { return }
        let isVersioned = ReferenceParts(text).version != nil
        if versioning == ["specific"], !isVersioned {
            run.add(.reference, "the reference must name a version", profile: structure, element: facts.id)
        } else if versioning == ["independent"], isVersioned {
            run.add(.reference, "the reference must not name a version", profile: structure, element: facts.id)
        }
    }

    private func fits(_ name: String, _ structure: Structure) -> Bool {
        structure.type == name || run.release.layout(named: name)?.isKind(of: structure.type) ?? true
    }
}
