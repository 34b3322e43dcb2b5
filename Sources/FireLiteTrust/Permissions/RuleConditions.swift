import FireLite
import FireLiteSearch

/// The conditions on resources that the permissions make for a request.
///
/// Each Consent has a condition under which it permits and one under which it denies. A resource is seen if some Consent permits it and none
/// denies it, and if the same holds for what it contains: contained resources, and those of a Bundle.
struct RuleConditions {
    private let transaction: ReadTransaction
    private let request: PermissionRequest
    /// The permissions that count.
    private let consents: [StoredPermission]

    init(_ transaction: ReadTransaction, _ permissions: [StoredPermission], _ request: PermissionRequest) {
        self.transaction = transaction
        self.request = request
        consents = permissions.filter { $0.standing == .valid }
    }

    /// Whose labels and types are judged.
    private enum Subject {
        /// A resource on its own.
        case resource
        /// What a resource contains; its compartments are those of the container.
        case contained
    }

    // MARK: - Resources

    /// The condition that a resource of a type is seen.
    func condition(on layout: Layout) throws -> Predicate {
        let permits = try consents.map { Predicate.all([try authority($0, layout), try permit($0.permission.rule, layout, .resource)]) }
        let denials = try consents.map { Predicate.all([try authority($0, layout), try deny($0.permission.rule, layout, .resource)]) }
        let own = Predicate.all([.some(permits), .some(denials).negated])
        if own.isConstant(false) { return own }
        return .all([own, try contentCondition(on: layout)])
    }

    /// The condition that what a resource contains is seen.
    private func contentCondition(on layout: Layout) throws -> Predicate {
        let types = transaction.containedTypes
        if types.isEmpty { return .constant(true) }
        // What is contained has no compartment of its own, so the Consents for one compartment are taken together with those for all.
        let scopes = try consents.map { try scope($0, layout) }
        var alternatives: [Predicate] = []
        for compartments in Set(consents.map(\.compartments)) {
            guard let index = consents.firstIndex(where: { $0.compartments == compartments }) else { continue }
            let counting = consents.filter { $0.compartments == compartments || $0.compartments.isEmpty }
            let hidden = try types.map { type -> Predicate in
                let isPermitted = Predicate.some(try counting.map { try permit($0.permission.rule, type, .contained) })
                return isPermitted.isConstant(true) ? .constant(false) : .contains(type, isPermitted.negated)
            }
            alternatives.append(.all([scopes[index], .some(hidden).negated]))
        }
        let denials = try zip(consents, scopes).map { consent, scope -> Predicate in
            let denied = try types.map { type -> Predicate in
                let isDenied = try deny(consent.permission.rule, type, .contained)
                return isDenied.isConstant(false) ? isDenied : .contains(type, isDenied)
            }
            return .all([scope, .some(denied)])
        }
        return .all([.some(alternatives), .some(denials).negated])
    }

    /// The condition that a resource is in a Consent's compartments.
    private func scope(_ consent: StoredPermission, _ layout: Layout) throws -> Predicate {
        .all([try authority(consent, layout), try compartments(consent.permission.rule.compartments, layout)])
    }

    /// The condition that the grantor's permissions count for a resource.
    private func authority(_ consent: StoredPermission, _ layout: Layout) throws -> Predicate {
        switch consent.authority {
        case .none: .constant(false)
        case .everything: .constant(true)
        case .compartment(let compartment): try compartments([compartment], layout)
        }
    }

    // MARK: - Rules

    /// The condition that a rule, or an exception of it, permits.
    private func permit(_ rule: AccessRule, _ layout: Layout, _ subject: Subject, isInner: Bool = false) throws -> Predicate {
        let matches = try match(rule, layout, subject, isInner: isInner)
        if matches.isConstant(false) { return matches }
        let denials = Predicate.some(try rule.exceptions.map { try deny($0, layout, subject, isInner: true) })
        let permits =
            rule.kind == .permit
            ? .constant(true) : Predicate.some(try rule.exceptions.map { try permit($0, layout, subject, isInner: true) })
        return .all([matches, denials.negated, permits])
    }

    /// The condition that a rule, or an exception of it, denies.
    private func deny(_ rule: AccessRule, _ layout: Layout, _ subject: Subject, isInner: Bool = false) throws -> Predicate {
        let matches = try match(rule, layout, subject, isInner: isInner)
        if matches.isConstant(false) { return matches }
        let denials = Predicate.some(try rule.exceptions.map { try deny($0, layout, subject, isInner: true) })
        guard rule.kind == .deny else { return .all([matches, denials]) }
        let permits = Predicate.some(try rule.exceptions.map { try permit($0, layout, subject, isInner: true) })
        return .all([matches, .some([denials, permits.negated])])
    }

    /// The condition that a rule applies, apart from its exceptions.
    private func match(_ rule: AccessRule, _ layout: Layout, _ subject: Subject, isInner: Bool) throws -> Predicate {
        guard rule.covers(request), rule.types.isEmpty || rule.types.contains(layout.name) else { return .constant(false) }
        if rule.kind == .permit, rule.isPartlyUnderstood { return .constant(false) }
        let place: Predicate
        switch subject {
        case .resource: place = try compartments(rule.compartments, layout)
        // The outermost rule's compartments are the container's. For those of exceptions, what hides more is assumed.
        case .contained: place = .constant(!isInner || rule.compartments.isEmpty || rule.kind == .deny)
        }
        let labels = LabelConditions(layout, isContained: subject == .contained)
        return .all([place, rule.kind == .permit ? labels.permit(rule) : labels.deny(rule)])
    }

    private func compartments(_ compartments: [String], _ layout: Layout) throws -> Predicate {
        if compartments.isEmpty { return .constant(true) }
        return .some(
            try compartments.compactMap { Compartment($0) }.map { try transaction.compartmentCondition($0.type, $0.id, on: layout) })
    }

    // MARK: - Which rule

    /// The rules that decide about a resource, one for each Consent that applies to it.
    func deciding(on layout: Layout, _ holds: (Predicate) throws -> Bool) throws -> [DecidingRule] {
        try consents.compactMap { consent in
            guard try holds(authority(consent, layout)) else { return nil }
            return try deciding(consent.permission.rule, [0], consent.permission.id, layout, holds)
        }
    }

    private func deciding(
        _ rule: AccessRule, _ place: [Int], _ id: String, _ layout: Layout, _ holds: (Predicate) throws -> Bool
    ) throws -> DecidingRule? {
        let matches = try match(rule, layout, .resource, isInner: place.count > 1)
        guard try !matches.isConstant(false) && holds(matches) else { return nil }
        let inner = try rule.exceptions.enumerated().compactMap { try deciding($1, place + [$0], id, layout, holds) }
        return inner.first { $0.kind == .deny } ?? inner.first
            ?? DecidingRule(consentID: id, kind: rule.kind, provision: place, specificity: rule.specificity)
    }
}

extension StoredPermission {
    /// The compartments that a permission is limited to, by itself and by the authority of its grantor.
    fileprivate var compartments: [Set<String>] {
        var sets: [Set<String>] = []
        if case .compartment(let compartment) = authority { sets.append([compartment]) }
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
