/// An invariant of a type or an element: facts only, without the text that explains it.
struct ConstraintDefinition: Sendable, Equatable {
    enum Severity: String, Sendable, CaseIterable {
        case error, warning
    }

    /// The name it goes by: `pat-1`.
    var key: String
    var severity: Severity
    /// What must hold; `nil` where the definition says so in words only. DSTU2 has XPath.
    var rule: DefinitionExpression?
}
