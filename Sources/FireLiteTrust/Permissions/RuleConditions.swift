import FireLite
import FireLiteSearch

/// The conditions on resources that follow from the permissions for a request.
///
/// Each Consent has a condition under which it permits and one under which it denies. A resource is visible if some Consent permits it and
/// none denies it, and if the same applies to contained resources and those of a Bundle.
struct RuleConditions {
    private let transaction: ReadTransaction
    private let request: PermissionRequest
    /// The permissions that count.
    private let consents: [StoredPermission]
    /// Those whose permits count, too.
    private let permitting: [StoredPermission]

    init(_ transaction: ReadTransaction, _ permissions: [StoredPermission], _ request: PermissionRequest) {
        self.transaction = transaction
        self.request = request
        consents = permissions.filter { $0.standing == .valid || $0.standing == .denialsOnly }
        permitting = permissions.filter { $0.standing == .valid }
    }

    /// The resource whose labels and types are tested.
    private enum Subject {
        /// A resource on its own.
        case resource
        /// A contained resource; its compartments are those of the container.
        case contained
    }

    // MARK: - Resources

    /// The condition that a resource of a type is seen.
    func condition(on layout: Layout) throws -> Predicate {
        let permits = try permitting.map {
            Predicate.all([try area(of: $0, .permit, layout), try permit($0.permission.rule, layout, .resource)])
        }
        let denials = try consents.map {
            Predicate.all([try area(of: $0, .deny, layout), try deny($0.permission.rule, layout, .resource)])
        }
        let own = Predicate.all([.some(permits), .some(denials).negated])
        if own.isConstant(false) { return own }
        return .all([own, try contentCondition(on: layout)])
    }

    /// The condition that a resource's contained resources are visible.
    private func contentCondition(on layout: Layout) throws -> Predicate {
        let types = transaction.containedTypes
        if types.isEmpty { return .constant(true) }
        // A contained resource has no compartment of its own, so the Consents for one compartment are combined with those for all.
        var alternatives: [Predicate] = []
        for compartments in Set(permitting.map(\.compartments)) {
            guard let one = permitting.first(where: { $0.compartments == compartments }) else { continue }
            let counting = permitting.filter { $0.compartments == compartments || $0.compartments.isEmpty }
            let hidden = try types.map { type -> Predicate in
                let isPermitted = Predicate.some(try counting.map { try permit($0.permission.rule, type, .contained) })
                return isPermitted.isConstant(true) ? .constant(false) : .contains(type, isPermitted.negated)
            }
            alternatives.append(.all([try scope(one, .permit, layout), .some(hidden).negated]))
        }
        let denials = try consents.map { consent -> Predicate in
            let denied = try types.map { type -> Predicate in
                let isDenied = try deny(consent.permission.rule, type, .contained)
                return isDenied.isConstant(false) ? isDenied : .contains(type, isDenied)
            }
            return .all([try scope(consent, .deny, layout), .some(denied)])
        }
        return .all([.some(alternatives), .some(denials).negated])
    }

    /// The condition that a resource is in a Consent's compartments.
    private func scope(_ consent: StoredPermission, _ kind: AccessPermission.Kind, _ layout: Layout) throws -> Predicate {
        .all([try area(of: consent, kind, layout), try compartments(consent.permission.rule.compartments, kind, layout)])
    }

    /// The condition that a Consent counts for a resource: by the authority of those who have signed, and by its patient.
    private func area(of consent: StoredPermission, _ kind: AccessPermission.Kind, _ layout: Layout) throws -> Predicate {
        let authorities = try consent.authorities.map { authority -> Predicate in
            switch authority {
            case .none: .constant(false)
            case .everything: .constant(true)
            case .compartment(let compartment): try compartments([compartment], kind, layout)
            }
        }
        return .all([
            kind == .permit ? .all(authorities) : .some(authorities),
            try compartments(consent.permission.patient.map { [$0] } ?? [], kind, layout),
        ])
    }

    // MARK: - Rules

    /// The condition that a rule, or an exception of it, permits.
    private func permit(_ rule: AccessRule, _ layout: Layout, _ subject: Subject, isInner: Bool = false) throws -> Predicate {
        // Within a rule that is not understood whole, nothing is sure to be permitted.
        if rule.isPartlyUnderstood { return .constant(false) }
        let matches = try match(rule, kind: .permit, layout: layout, subject: subject, isSure: !isInner)
        if matches.isConstant(false) { return matches }
        let denials = Predicate.some(try rule.exceptions.map { try deny($0, layout, subject, isInner: true) })
        let permits =
            rule.kind == .permit && !rule.isContainer
            ? .constant(true) : Predicate.some(try rule.exceptions.map { try permit($0, layout, subject, isInner: true) })
        return .all([matches, denials.negated, permits])
    }

    /// The condition that a rule, or an exception of it, denies.
    private func deny(_ rule: AccessRule, _ layout: Layout, _ subject: Subject, isInner: Bool = false) throws -> Predicate {
        let matches = try match(rule, kind: .deny, layout: layout, subject: subject, isSure: true)
        if matches.isConstant(false) { return matches }
        let denials = Predicate.some(try rule.exceptions.map { try deny($0, layout, subject, isInner: true) })
        guard rule.kind == .deny, !rule.isContainer else { return .all([matches, denials]) }
        // Within a rule that is not understood whole, nothing is sure to be permitted.
        let permits = rule.isPartlyUnderstood ? [] : try rule.exceptions.map { try permit($0, layout, subject, isInner: true) }
        return .all([matches, .some([denials, Predicate.some(permits).negated])])
    }

    /// The condition that the understood part of a rule applies, without its exceptions.
    ///
    /// - Parameters:
    ///   - kind: whether the condition is used to permit or to deny.
    ///   - isSure: whether contained resources count as in the rule's compartments. The outermost rule's compartments are the container's.
    ///     For exceptions, the choice that hides more is assumed.
    private func match(
        _ rule: AccessRule, kind: AccessPermission.Kind, layout: Layout, subject: Subject, isSure: Bool
    ) throws -> Predicate {
        guard rule.covers(request, to: kind), rule.types.isEmpty || rule.types.contains(layout.name) else { return .constant(false) }
        let place: Predicate =
            switch subject {
            case .resource: try compartments(rule.compartments, kind, layout)
            case .contained: .constant(isSure || rule.compartments.isEmpty)
            }
        let labels = LabelConditions(layout, isContained: subject == .contained)
        return .all([place, rule.kind == .permit ? labels.permit(rule) : labels.deny(rule)])
    }

    /// The condition that a resource is in one of some compartments.
    ///
    /// - Parameter kind: a permit matches references that are certainly the store's own: relative ones, and those under its bases. A denial
    ///   matches references under any address.
    private func compartments(_ compartments: [String], _ kind: AccessPermission.Kind, _ layout: Layout) throws -> Predicate {
        if compartments.isEmpty { return .constant(true) }
        return .some(
            try compartments.map { text in
                // What is no compartment may have been any: nothing is permitted in it, and everything is denied.
                guard let compartment = Compartment(text), transaction.store.release.hasResourceType(named: compartment.type) else {
                    return .constant(kind == .deny)
                }
                return try transaction.remembered("compartment \(kind) \(compartment.reference) \(layout.name)") {
                    try transaction.compartmentCondition(compartment.type, compartment.id, on: layout, underAnyBase: kind == .deny)
                }
            })
    }

    // MARK: - Which rule

    /// Which rules cover the request: the only way in which conditions depend on it.
    var covering: [Bool] {
        func covering(_ rule: AccessRule) -> [Bool] {
            AccessPermission.Kind.allCases.map { rule.covers(request, to: $0) } + rule.exceptions.flatMap(covering)
        }
        return consents.flatMap { covering($0.permission.rule) }
    }

    /// What decides about resources of a type.
    func plan(on layout: Layout) throws -> DecisionPlan {
        var predicates: [Predicate] = []
        func number(_ predicate: Predicate) -> Int {
            predicates.append(predicate)
            return predicates.count - 1
        }
        func step(_ rule: AccessRule, place: [Int], kind: AccessPermission.Kind, id: String) throws -> DecisionPlan.Step? {
            let isInner = place.count > 1
            let decides =
                try kind == .deny
                ? deny(rule, layout, .resource, isInner: isInner) : permit(rule, layout, .resource, isInner: isInner)
            if decides.isConstant(false) { return nil }
            return DecisionPlan.Step(
                condition: number(decides),
                rule: DecidingRule(consentID: id, kind: kind, provision: place, specificity: rule.specificity),
                exceptions: try rule.exceptions.enumerated().compactMap { try step($1, place: place + [$0], kind: kind, id: id) })
        }
        let ways = try consents.map { consent in
            try [AccessPermission.Kind.deny, .permit].compactMap { kind -> DecisionPlan.Way? in
                guard kind == .deny || consent.standing == .valid else { return nil }
                let area = try area(of: consent, kind, layout)
                if area.isConstant(false) { return nil }
                let place = number(area)
                return try step(consent.permission.rule, place: [0], kind: kind, id: consent.permission.id).map {
                    DecisionPlan.Way(area: place, step: $0)
                }
            }
        }
        let whole = number(try condition(on: layout))
        return DecisionPlan(ways: ways, whole: whole, conditions: try transaction.rowConditions(predicates, on: layout))
    }
}

/// What decides about resources of a type, with its conditions compiled.
struct DecisionPlan: Sendable {
    /// A rule, and its exceptions that may decide in the same way.
    struct Step: Sendable {
        let condition: Int
        let rule: DecidingRule
        let exceptions: [Step]
    }

    /// How a Consent may permit, or deny.
    struct Way: Sendable {
        /// The condition that the Consent counts for a resource.
        let area: Int
        let step: Step
    }

    /// The ways of each Consent.
    let ways: [[Way]]
    /// The condition that a resource is seen.
    let whole: Int
    let conditions: RowConditions

    /// The rules that decide about a resource, one for each Consent that applies to it.
    func deciding(_ met: inout MetConditions) throws -> [DecidingRule] {
        try ways.compactMap { ways in
            for way in ways where try met.isMet(way.area) { if let rule = try Self.innermost(way.step, &met) { return rule } }
            return nil
        }
    }

    /// The innermost of a rule and its exceptions that decides; nil if none does.
    private static func innermost(_ step: Step, _ met: inout MetConditions) throws -> DecidingRule? {
        guard try met.isMet(step.condition) else { return nil }
        for exception in step.exceptions { if let inner = try innermost(exception, &met) { return inner } }
        return step.rule
    }
}

extension StoredPermission {
    /// The compartments that a permission is limited to, by itself and by the authority of its grantors.
    fileprivate var compartments: [Set<String>] {
        var sets: [Set<String>] = []
        for authority in authorities { if case .compartment(let compartment) = authority { sets.append([compartment]) } }
        if let patient = permission.patient { sets.append([patient]) }
        if !permission.rule.compartments.isEmpty { sets.append(Set(permission.rule.compartments)) }
        return sets
    }
}

extension Predicate {
    func isConstant(_ value: Bool) -> Bool { if case .constant(value) = self { true } else { false } }

    /// The conjunction, without parts that are always true.
    static func all(_ parts: [Predicate]) -> Predicate {
        if parts.contains(where: { $0.isConstant(false) }) { return .constant(false) }
        let rest = parts.filter { !$0.isConstant(true) }
        return rest.isEmpty ? .constant(true) : rest.count == 1 ? rest[0] : .and(rest)
    }

    /// The disjunction, without parts that are always false.
    static func some(_ parts: [Predicate]) -> Predicate {
        if parts.contains(where: { $0.isConstant(true) }) { return .constant(true) }
        let rest = parts.filter { !$0.isConstant(false) }
        return rest.isEmpty ? .constant(false) : rest.count == 1 ? rest[0] : .or(rest)
    }

    var negated: Predicate {
        if isConstant(true) { return .constant(false) }
        return isConstant(false) ? .constant(true) : .not(self)
    }
}
