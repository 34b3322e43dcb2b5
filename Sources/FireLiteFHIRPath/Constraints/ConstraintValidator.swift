import FireLiteCore

/// Walks through an object and checks its constraints.
struct ConstraintValidator {
    private let constraints: FHIRPathConstraints
    private var context: FHIRPathContext
    private let requiresTruth: Bool
    private(set) var issues: [FHIRIssue] = []
    /// The constraints that could not be evaluated, with the reason and the place.
    private(set) var undecided: [FHIRIssue] = []
    /// The elements on the way to the current one; a path is made of them only for an issue.
    private var steps: [(name: String, index: Int?)]

    init(_ constraints: FHIRPathConstraints, _ context: FHIRPathContext, _ object: FHIRObject, requiresTruth: Bool = false) {
        self.constraints = constraints
        self.context = context
        self.requiresTruth = requiresTruth
        steps = [(object.layout.name, nil)]
    }

    mutating func validate(_ object: FHIRObject) {
        let outer = context.resource
        if let resource = object as? FHIRResource {
            context.resource = constraints.resourceIsContainer ? resource.containerResource ?? resource : resource
        }
        defer { context.resource = outer }
        let layout = object.layout
        guard let plan = constraints.plan(of: layout) else { return }
        for constraint in plan.own { check(constraint, .object(object)) }
        for slot in object.slotRun {
            let index = Int(slot.index)
            let own = plan.elements[index]
            switch slot.value {
            case .word, .text, .texts: if own.isEmpty { continue }
            default: break
            }
            // Read in place: the description of an element is large.
            let entry = object.layoutTable.pointee.entries + index
            var items: [Item] = []
            slot.value.append(to: &items, entry.pointee.primitive)
            for (place, item) in items.enumerated() {
                steps.append((layout.elements[index].name, entry.pointee.isList ? place : nil))
                defer { steps.removeLast() }
                for constraint in own { check(constraint, item) }
                switch item {
                case .object(let child): validate(child)
                case .annotated(let primitive, _):
                    for constraint in plan.ofPrimitives { check(constraint, item) }
                    validateExtensions(of: primitive.element)
                default: continue
                }
            }
        }
    }

    /// The id and extensions of a primitive are no object of their own to constraints, but each extension is.
    private mutating func validateExtensions(of element: FHIRObject) {
        guard let slot = element.layout.element(named: "extension")?.slot, case .objects(let extensions)? = element.value(slot) else {
            return
        }
        for (place, child) in extensions.enumerated() {
            steps.append(("extension", place))
            defer { steps.removeLast() }
            validate(child)
        }
    }

    private mutating func check(_ constraint: CompiledConstraint, _ item: Item) {
        if constraint.isAboutNarrative, case .object(let object) = item, (object as? FHIRResource)?.isContained ?? false { return }
        let fact = constraint.constraint
        do {
            guard try constraint.isBroken(by: item, context, requiresTruth: requiresTruth) else { return }
        } catch {
            // A rule that cannot be evaluated says nothing of the object.
            undecided.append(issue(fact, "the constraint \(fact.key) could not be evaluated: \(error)"))
            return
        }
        issues.append(issue(fact, "breaks the constraint \(fact.key): \(fact.expression)"))
    }

    private func issue(_ fact: FHIRPathConstraint, _ message: String) -> FHIRIssue {
        let path = steps.map { step in step.index.map { "\(step.name)[\($0)]" } ?? step.name }.joined(separator: ".")
        return FHIRIssue(path: path, severity: fact.severity, code: .constraint, message: message, key: fact.key)
    }
}
