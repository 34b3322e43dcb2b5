import FireLite

/// Conditions on the security labels of resources of a type, in `meta.security`.
struct LabelConditions {
    /// The labels; nil if the type has none.
    private let path: QueryPath?
    private let system: QueryPath
    private let code: QueryPath
    /// Whether it is about resources within others, which have the labels of their container unless they say more.
    private let isContained: Bool

    init(_ layout: Layout, isContained: Bool) {
        self.isContained = isContained
        guard let meta = layout.element(named: "meta"), let security = meta.layout?.element(named: "security"),
            let system = security.layout?.element(named: "system"), let code = security.layout?.element(named: "code")
        else {
            (path, system, code) = (nil, QueryPath(), QueryPath())
            return
        }
        path = QueryPath([PathStep(slot: meta.slot), PathStep(slot: security.slot)])
        self.system = QueryPath([PathStep(slot: system.slot)])
        self.code = QueryPath([PathStep(slot: code.slot)])
    }

    /// A label of a system whose code meets a condition.
    private func label(_ name: String, _ condition: Predicate = .constant(true)) -> Predicate {
        guard let path else { return .constant(false) }
        return .any(path, .all([.value(system, .compare(.equal, .text(name))), condition]))
    }

    private func isOne(of codes: [String]) -> Predicate {
        codes.isEmpty ? .constant(false) : .value(code, .oneOf(codes.map { .text($0) }))
    }

    private func isUnlabelled() -> Predicate {
        isContained ? .constant(false) : label(ConsentCoding.labelSystems.confidentiality).negated
    }

    /// The condition that a permit covers a resource: its level is not above the rule's, and all of its sensitivities are among the rule's.
    func permit(_ rule: AccessRule) -> Predicate {
        if rule.confidentiality == nil, rule.sensitivities.isEmpty { return .constant(true) }
        var parts: [Predicate] = []
        if let highest = rule.confidentiality {
            let allowed = Confidentiality.allCases.filter { $0 <= highest }.map(\.rawValue)
            // An unknown code counts as the highest level.
            if highest < .veryRestricted {
                parts.append(label(ConsentCoding.labelSystems.confidentiality, isOne(of: allowed).negated).negated)
            }
            if highest < .normal { parts.append(isUnlabelled().negated) }
        }
        parts.append(label(ConsentCoding.labelSystems.sensitivity, isOne(of: rule.sensitivities).negated).negated)
        return .all(parts)
    }

    /// The condition that a denial covers a resource: its level is not below the rule's, and it has one of the rule's sensitivities.
    func deny(_ rule: AccessRule) -> Predicate {
        var parts: [Predicate] = []
        if let lowest = rule.confidentiality {
            let below = Confidentiality.allCases.filter { $0 < lowest }.map(\.rawValue)
            let isHigh = label(ConsentCoding.labelSystems.confidentiality, isOne(of: below).negated)
            parts.append(.some([isHigh, lowest <= .normal ? isUnlabelled() : .constant(false)]))
        }
        if !rule.sensitivities.isEmpty { parts.append(label(ConsentCoding.labelSystems.sensitivity, isOne(of: rule.sensitivities))) }
        return .all(parts)
    }
}
