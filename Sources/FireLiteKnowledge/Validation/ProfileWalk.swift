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
        let facts = Self.facts(of: node)
        if facts.hasValues { checkValues(of: value, facts, node) }
        if facts.strength != nil { BindingCheck(run, structure).check(value, facts) }
        for constraint in node.checks { check(constraint, of: facts, on: value, in: resource) }
        checkChildren(of: value, node, resource)
    }

    /// What is asked of values at a node; a finished structure has it ready.
    static func facts(of node: StructureNode) -> RuleFacts { node.facts ?? RuleFacts(node.rule) }

    private func checkValues(of value: ElementValue, _ facts: RuleFacts, _ node: StructureNode) {
        if let fixed = facts.fixed, !value.matches(fixed, isExact: true) {
            add(.fixedValue, "the value must be exactly the fixed value of \(facts.id)", facts)
        }
        if let pattern = facts.pattern, !value.matches(pattern, isExact: false) {
            add(.pattern, "the value must contain the pattern of \(facts.id)", facts)
        }
        if facts.hasRange { RangeCheck(run, structure).check(value, node.rule) }
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
        let facts = Self.facts(of: node)
        count(values.count, facts, name: node.name)
        if values.isEmpty, facts.isMustSupport, run.options.reportsMustSupport {
            add(.mustSupport, "\(facts.id) is marked mustSupport and is absent", facts, severity: .information)
        }
        if values.isEmpty, node.slices.isEmpty { return }
        for value in values {
            run.at(value) {
                guard checkType(of: value, facts) else { return }
                checkContent(of: value, node, resource)
                checkProfiles(of: value, facts, node)
            }
        }
        if !node.slices.isEmpty { SliceCheck(self, resource).check(values, node) }
    }

    func count(_ number: Int, _ facts: RuleFacts, name: @autoclosure () -> String) {
        if number < facts.min {
            add(
                .minimum,
                "\(name()) needs at least \(facts.min) value\(facts.min == 1 ? "" : "s"), has \(number == 0 ? "none" : "\(number)")",
                facts)
        }
        if let max = facts.limit, number > max {
            add(
                .maximum, "\(name()) may have \(max == 0 ? "no value" : "\(max) value\(max == 1 ? "" : "s")"), has \(number)", facts)
        }
    }

    /// Whether the value has one of the types of the element.
    func checkType(of value: ElementValue, _ facts: RuleFacts) -> Bool {
        if facts.types.isEmpty || facts.types.contains(where: { fits(value, $0) }) { return true }
        let names = Set(facts.types).sorted().joined(separator: ", ")
        add(.type, "a value of the type \(names) is needed, this has the type \(value.type)", facts)
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
    func checkProfiles(of value: ElementValue, _ facts: RuleFacts, _ node: StructureNode) {
        guard let object = value.object else { return }
        // A type without a profile allows everything.
        guard facts.hasProfiles else { return checkTargets(of: object, facts, facts.references, facts.targets) }
        let fitting = (node.rule.types ?? []).filter { fits(value, $0.code) }
        if !fitting.isEmpty, !fitting.contains(where: { $0.profiles.isEmpty }) {
            if conformsToOne(of: fitting.flatMap(\.profiles), object, facts) { return }
        }
        let references = fitting.filter { $0.code == "Reference" }
        checkTargets(of: object, facts, references, RuleFacts.targets(of: references))
    }

    /// Whether an object conforms to one of several profiles. What breaks the only one is reported.
    private func conformsToOne(of profiles: [String], _ object: FHIRObject, _ facts: RuleFacts) -> Bool {
        // Extensions are checked by their own definitions wherever they stand.
        if object.layout.name == "Extension" { return false }
        if profiles.count == 1, let profile = profiles.first {
            run.validate(object, against: profile)
            return false
        }
        let results = profiles.map { profile in run.collectingDoubts { run.conforms(object, to: profile) } }
        if results.contains(where: { $0.value == true && $0.doubts.isEmpty }) { return true }
        if let doubtful = results.first(where: { $0.value == true }) {
            add(
                .missingDefinition, "whether the value conforms to one of the profiles of \(facts.id) could not be decided", facts,
                severity: .warning, undecided: .gravest(of: doubtful.doubts))
            return true
        }
        if results.contains(where: { $0.value == nil }) {
            add(
                .missingDefinition, "not all profiles of \(facts.id) are known: add the packages that define them", facts,
                severity: .warning, undecided: .profile)
        } else {
            add(.noProfile, "the value conforms to none of the profiles of \(facts.id)", facts)
        }
        return false
    }

    private func checkTargets(
        of object: FHIRObject, _ facts: RuleFacts, _ references: [ElementRule.TypeRule], _ targets: [RuleFacts.Target]
    ) {
        guard !references.isEmpty, object.layout.name == "Reference" else { return }
        TargetCheck(run, structure).checkForm(object, references, facts)
        if !targets.isEmpty { TargetCheck(run, structure).check(object, targets, facts) }
    }

    // MARK: - Constraints

    private func check(_ constraint: ConstraintCheck, of facts: RuleFacts, on value: ElementValue, in resource: FHIRResource?) {
        let expression = constraint.expression
        guard !run.isAbandoned(expression) else {
            return addUndecided(constraint, "it took too long before", facts)
        }
        do {
            let compiled = try constraint.compiled.get()
            let (result, doubts) = run.collectingDoubts { Result { try compiled.isBroken(by: value.item, run.context(resource)) } }
            guard try result.get() else {
                if doubts.isEmpty { return }
                return addUndecided(constraint, "it asks about codes or profiles that are not known here", facts, doubts)
            }
            add(
                .constraint, "breaks the constraint \(constraint.key): \(expression)", facts, severity: constraint.severity,
                key: constraint.key)
        } catch {
            run.abandon(expression, after: error)
            addUndecided(constraint, "\(error)", facts)
        }
    }

    private func addUndecided(
        _ constraint: ConstraintCheck, _ reason: String, _ facts: RuleFacts, _ doubts: Set<ValidationIssue.Undecided> = [.rule]
    ) {
        let kind = ValidationIssue.Undecided.gravest(of: doubts)
        add(
            .undecidedConstraint, "the constraint \(constraint.key) could not be evaluated: \(reason)", facts, severity: .warning,
            key: constraint.key, undecided: constraint.severity == .error ? kind : nil)
    }

    // MARK: - Issues

    func add(
        _ messageID: ValidationIssue.MessageID, _ message: String, _ facts: RuleFacts, severity: ValidationIssue.Severity = .error,
        key: String? = nil, undecided: ValidationIssue.Undecided? = nil
    ) {
        run.add(messageID, message, severity, profile: structure, element: facts.id, key: key, undecided: undecided)
    }
}
