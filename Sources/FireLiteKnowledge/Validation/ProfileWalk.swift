import FireLiteCore
import FireLiteFHIRPath

/// Walks through an object along the elements of a profile (FHIR, Profiling Resources; ElementDefinition).
///
/// What FHIR itself says about the object is checked elsewhere; this reports what the profile adds.
struct ProfileWalk {
    let run: ValidationRun
    let structure: Structure

    init(_ run: ValidationRun, _ structure: Structure) { (self.run, self.structure) = (run, structure) }

    /// Checks the object of the profile's root.
    func validate(_ object: FHIRObject) {
        let value = ElementValue(item: .object(object), name: structure.root.rule.path, index: nil, type: object.layout.name)
        checkContent(of: value, structure.root, resource(around: object))
    }

    private func resource(around object: FHIRObject) -> FHIRResource? {
        var current: FHIRObject? = object
        while let found = current {
            if let resource = found as? FHIRResource { return resource }
            current = found.ownerObject
        }
        return nil
    }

    // MARK: - Elements

    /// Checks a value by what the profile says about its element, and the elements below.
    func checkContent(of value: ElementValue, _ node: StructureNode, _ resource: FHIRResource?) {
        guard run.mayContinue() else { return }
        let facts = node.facts ?? RuleFacts(node.rule)
        if facts.hasValues { checkValues(of: value, node.rule) }
        if facts.strength != nil { BindingCheck(run, structure).check(value, facts, node) }
        for constraint in node.ownConstraints { check(constraint, of: node.rule, on: value, in: resource) }
        checkChildren(of: value, node, resource)
    }

    private func checkValues(of value: ElementValue, _ rule: ElementRule) {
        if let fixed = rule.fixed, !value.matches(fixed.json, isExact: true) {
            add(.fixedValue, "the value must be exactly the fixed value of \(rule.id)", rule)
        }
        if let pattern = rule.pattern, !value.matches(pattern.json, isExact: false) {
            add(.pattern, "the value must contain the pattern of \(rule.id)", rule)
        }
        RangeCheck(run, structure).check(value, rule)
    }

    func checkChildren(of value: ElementValue, _ node: StructureNode, _ resource: FHIRResource?) {
        var nodes = node.children
        if let demanding = node.demanding, !run.looksAtPlainElements { nodes = demanding }
        // A profile's reference is to the element as FHIR defines it, which every object is checked by.
        if nodes.isEmpty, !structure.isConstraint, let reference = node.rule.contentReference,
            let target = structure.node(referredAs: reference)
        {
            nodes = target.children
        }
        guard !nodes.isEmpty else { return }
        let object = value.children
        let resource = (value.object as? FHIRResource) ?? resource
        for child in nodes { check(object?.values(of: child) ?? [], child, resource, isPrimitive: value.object == nil) }
    }

    /// Checks the values of one element: their number, their slices, and each of them.
    private func check(_ values: [ElementValue], _ node: StructureNode, _ resource: FHIRResource?, isPrimitive: Bool) {
        guard run.mayContinue() else { return }
        // The value of a primitive is not among its elements.
        if isPrimitive, node.name == "value" { return }
        count(values.count, node, name: node.name)
        if run.options.reportsMustSupport, values.isEmpty, node.rule.mustSupport == true {
            add(.mustSupport, "\(node.rule.id) is marked mustSupport and is absent", node.rule, severity: .information)
        }
        if values.isEmpty, node.slices.isEmpty { return }
        for value in values {
            run.at(value) {
                guard checkType(of: value, node) else { return }
                checkContent(of: value, node, resource)
                checkProfiles(of: value, node)
            }
        }
        if !node.slices.isEmpty { SliceCheck(self, resource).check(values, node) }
    }

    func count(_ number: Int, _ node: StructureNode, name: @autoclosure () -> String) {
        let facts = node.facts ?? RuleFacts(node.rule)
        if number < facts.min {
            add(
                .minimum,
                "\(name()) needs at least \(facts.min) value\(facts.min == 1 ? "" : "s"), has \(number == 0 ? "none" : "\(number)")",
                node.rule)
        }
        if let max = facts.limit, number > max {
            add(
                .maximum, "\(name()) may have \(max == 0 ? "no value" : "\(max) value\(max == 1 ? "" : "s")"), has \(number)",
                node.rule)
        }
    }

    /// Whether the value has one of the types of the element.
    func checkType(of value: ElementValue, _ node: StructureNode) -> Bool {
        guard let types = node.rule.types, !types.isEmpty, node.rule.contentReference == nil else { return true }
        if types.contains(where: { fits(value, $0.code) }) { return true }
        let names = Set(types.map(\.code)).sorted().joined(separator: ", ")
        add(.type, "a value of the type \(names) is needed, this has the type \(value.type)", node.rule)
        return false
    }

    func fits(_ value: ElementValue, _ code: String) -> Bool {
        if code == value.type || code == "Element" || code == "BackboneElement" || code == "Base" { return true }
        // A type of a logical model.
        if code.utf8.contains(UInt8(ascii: "/")) { return true }
        guard let object = value.object else {
            // `System.String` stands for ids and URLs; a primitive may be narrowed.
            return code.first?.isUppercase ?? true ? code == "String" || code == "Resource" : isKind(value.type, of: code)
        }
        if object.layout.isKind(of: code) || object.layout.kind == .backbone { return true }
        // Profiles that earlier releases count among the types.
        return code == "SimpleQuantity" && object.layout.isKind(of: "Quantity")
    }

    private func isKind(_ type: String, of code: String) -> Bool {
        switch code {
        case "string": ["code", "id", "markdown"].contains(type)
        case "uri": ["url", "canonical", "oid", "uuid"].contains(type)
        case "integer": ["positiveInt", "unsignedInt"].contains(type)
        default: false
        }
    }

    /// Checks a value by the profiles of its type: one of them must fit.
    func checkProfiles(of value: ElementValue, _ node: StructureNode) {
        guard let object = value.object else { return }
        if let facts = node.facts, !facts.hasProfiles, !facts.hasReferences { return }
        let rule = node.rule
        let fitting = (rule.types ?? []).filter { fits(value, $0.code) }
        // A type without a profile allows everything.
        guard !fitting.isEmpty, !fitting.contains(where: { $0.profiles.isEmpty }) else { return checkTargets(of: value, fitting, rule) }
        let profiles = fitting.flatMap(\.profiles)
        if object.layout.name == "Extension" {
            // Extensions are checked by their own definitions wherever they stand.
        } else if profiles.count == 1, let profile = profiles.first {
            run.validate(object, against: profile)
        } else {
            let results = profiles.map { run.conforms(object, to: $0) }
            if results.contains(true) { return }
            if results.contains(where: { $0 == nil }) {
                add(
                    .missingDefinition, "not all profiles of \(rule.id) are known: add the packages that define them", rule,
                    severity: .warning)
            } else {
                add(.noProfile, "the value conforms to none of the profiles of \(rule.id)", rule)
            }
        }
        checkTargets(of: value, fitting, rule)
    }

    private func checkTargets(of value: ElementValue, _ types: [ElementRule.TypeRule], _ rule: ElementRule) {
        guard let object = value.object, object.layout.name == "Reference" else { return }
        let references = types.filter { $0.code == "Reference" }
        TargetCheck(run, structure).checkForm(object, references, rule)
        guard !references.isEmpty, !references.contains(where: { $0.targets.isEmpty }) else { return }
        TargetCheck(run, structure).check(object, references, rule)
    }

    // MARK: - Constraints

    private func check(
        _ constraint: ElementRule.Constraint, of rule: ElementRule, on value: ElementValue, in resource: FHIRResource?
    ) {
        guard let expression = constraint.expression, !run.isAbandoned(expression) else { return }
        let severity: ValidationIssue.Severity = constraint.severity == "error" ? .error : .warning
        do {
            let path = try FHIRPath(expression, options: .definitions)
            let results = try path.evaluate(on: [FHIRPathValue(value.item)], context: run.context(resource))
            // What must be in an order is not if nothing orders it.
            let isBroken = results.isEmpty ? FHIRPathConstraint.isAboutOrder(expression) : results.count == 1 && results[0].bool == false
            guard isBroken else { return }
            add(.constraint, "breaks the constraint \(constraint.key): \(expression)", rule, severity: severity, key: constraint.key)
        } catch {
            run.abandon(expression, after: error)
            add(
                .undecidedConstraint, "the constraint \(constraint.key) could not be evaluated: \(error)", rule, severity: .warning,
                key: constraint.key)
        }
    }

    // MARK: - Issues

    func add(
        _ messageID: ValidationIssue.MessageID, _ message: String, _ rule: ElementRule, severity: ValidationIssue.Severity = .error,
        key: String? = nil
    ) {
        run.add(messageID, message, severity, profile: structure, element: rule.id, key: key)
    }
}
