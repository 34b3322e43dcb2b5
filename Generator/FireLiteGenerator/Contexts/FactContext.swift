/// Keys of constraints and search parameters.
enum FactContext {
    static func constraint(_ constraint: ConstraintDefinition, _ path: String, _ descriptions: Descriptions) -> TemplateContext {
        [
            "key": .text(constraint.key),
            "severity": .text(constraint.severity.rawValue),
            "isError": .flag(constraint.severity == .error),
            "expression": .text(constraint.rule?.fhirPath ?? ""),
            "xpath": .text(constraint.rule?.xpath ?? ""),
            "literal": .text(SwiftLiteral.string(constraint.rule?.fhirPath ?? "")),
            "short": .text(descriptions["\(path) \(constraint.key)"]),
        ]
    }

    static func searchParameter(_ parameter: SearchParameterDefinition) -> TemplateContext {
        [
            "name": .text(parameter.name),
            "url": .text(parameter.url),
            "kind": .text(parameter.type),
            "bases": names(parameter.bases),
            "targets": names(parameter.targets),
            "expression": .text(parameter.selection?.fhirPath ?? ""),
            "xpath": .text(parameter.selection?.xpath ?? ""),
            "literal": .text(SwiftLiteral.string(parameter.selection?.fhirPath ?? "")),
            "components": .list(
                parameter.components.map { ["definition": .text($0.definition), "expression": .text($0.expression)] }),
        ]
    }

    private static func names(_ names: [String]) -> TemplateValue { .list(names.map { ["name": .text($0)] }) }
}
