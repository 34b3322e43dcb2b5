import FireLiteCore

/// A constraint of FHIR's definitions: a rule, written as an expression, that an element must satisfy.
public struct FHIRPathConstraint: Sendable, Hashable {
    /// The type or element that the rule is about: `Patient`, `Patient.contact`, `Element`, `Organization.address`.
    public let path: String
    /// The key of the rule, `pat-1`.
    public let key: String
    /// Whether an object that breaks the rule is not valid, or only unusual.
    public let severity: FHIRIssue.Severity
    /// The rule, an expression that is evaluated on each such element.
    public let expression: String

    /// A constraint.
    ///
    /// - Parameters:
    ///   - path: the type or element that the rule is about.
    ///   - key: the key of the rule.
    ///   - severity: what breaking the rule means.
    ///   - expression: the rule.
    public init(path: String, key: String, severity: FHIRIssue.Severity, expression: String) {
        self.path = path
        self.key = key
        self.severity = severity
        self.expression = expression
    }
}
