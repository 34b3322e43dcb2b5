import FireLiteCore
import FireLiteFHIRPath

/// What a validation asks of a rule for each value, found once.
final class RuleFacts: Sendable {
    /// A type of resources that a reference may lead to.
    struct Target: Sendable {
        let url: String
        let canonical: Canonical

        init(_ url: String) { (self.url, canonical) = (url, Canonical(url)) }
    }

    /// The id of the element, for messages.
    let id: String
    let min: Int
    /// The number of values at most; nil for no limit.
    let limit: Int?
    /// The names of the types; empty if values of every type are allowed.
    let types: [String]
    /// Whether a type has a profile.
    let hasProfiles: Bool
    /// The types that are references.
    let references: [ElementRule.TypeRule]
    /// What references lead to; empty for anything.
    let targets: [Target]
    /// Whether there is a fixed value, a pattern, or a bound of values.
    let hasValues: Bool
    let fixed: JSONItem?
    let pattern: JSONItem?
    /// Whether there is a minimum, a maximum or a maximum of the length.
    let hasRange: Bool
    let strength: String?
    let valueSet: Canonical?
    /// The maximum of the binding.
    let maximum: Canonical?
    let isMustSupport: Bool

    init(_ rule: ElementRule) {
        let types = rule.types ?? []
        (id, min, limit) = (rule.id, rule.min ?? 0, rule.limit)
        self.types = rule.contentReference == nil ? types.map(\.code) : []
        hasProfiles = types.contains { !$0.profiles.isEmpty }
        references = types.filter { $0.code == "Reference" }
        targets = Self.targets(of: references)
        (fixed, pattern) = (rule.fixed?.json, rule.pattern?.json)
        hasRange = rule.minimum != nil || rule.maximum != nil || rule.maxLength != nil
        hasValues = fixed != nil || pattern != nil || hasRange
        strength = rule.binding?.strength
        valueSet = rule.binding?.valueSet.map { Canonical($0) }
        maximum = rule.binding?.maximum.map { Canonical($0) }
        isMustSupport = rule.mustSupport ?? false
    }

    /// The targets of references; none if one of them may lead to anything.
    static func targets(of references: [ElementRule.TypeRule]) -> [Target] {
        references.contains { $0.targets.isEmpty } ? [] : references.flatMap(\.targets).map(Target.init)
    }
}

/// A constraint of a profile, compiled.
struct ConstraintCheck: Sendable {
    let key: String
    let expression: String
    let severity: ValidationIssue.Severity
    /// The expression, or why it is none.
    let compiled: Result<CompiledConstraint, any Error>

    /// - Parameter layout: the layout of most values; nil if that is not known.
    init(_ constraint: ElementRule.Constraint, expression: String, on layout: Layout?) {
        (key, self.expression) = (constraint.key, expression)
        severity = constraint.severity == "error" ? .error : .warning
        let rule = FHIRPathConstraint(path: "", key: constraint.key, severity: .error, expression: expression)
        compiled = Result { try CompiledConstraint(rule, on: layout) }
    }
}
