/// Writes the neutral model as a digest: lines of facts that a person can read and a diff can show.
///
/// `DigestReader` describes the format.
enum DigestWriter {
    static let firstLine = "FireLite digest 2"

    static func text(of definition: ReleaseDefinition) -> String {
        let definition = definition.sorted()
        var lines = [firstLine, "release \(definition.release)", ""]
        lines += definition.types.filter { $0.kind == .primitive }.flatMap(typeLines)
        for type in definition.types where type.kind != .primitive { lines += [""] + typeLines(type) }
        for valueSet in definition.valueSets {
            lines += ["", "valueset \(valueSet.url) \(valueSet.name)"] + valueSet.codes.map { "  " + $0 }
        }
        for parameter in definition.searchParameters { lines += [""] + searchLines(parameter) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func typeLines(_ type: TypeDefinition) -> [String] {
        let abstract = type.isAbstract ? "abstract " : ""
        var lines = ["\(abstract)\(type.kind.rawValue) \(type.name) \(type.base ?? "-") \(type.url)"]
        lines += type.elements.map(elementLine)
        lines += type.constraints.map { constraintLine($0, type.name) } + factLines(type.elements, of: type.name)
        for backbone in type.backbones {
            lines.append("backbone \(backbone.path) \(backbone.base)")
            lines += backbone.elements.map(elementLine) + factLines(backbone.elements, of: backbone.path)
        }
        return lines
    }

    /// What is known of a class's elements beside their lines.
    private static func factLines(_ elements: [ElementDefinition], of path: String) -> [String] {
        var lines: [String] = []
        for element in elements { lines += element.constraints.map { constraintLine($0, path + "." + element.definedName) } }
        let modifiers = elements.filter(\.isModifier).map { " " + $0.definedName }
        if !modifiers.isEmpty { lines.append("modifier \(path)" + modifiers.joined()) }
        let summary = elements.filter(\.isSummary).map { " " + $0.definedName }
        if !summary.isEmpty { lines.append("summary \(path)" + summary.joined()) }
        return lines
    }

    private static func constraintLine(_ constraint: ConstraintDefinition, _ path: String) -> String {
        let rule = constraint.rule.map { " " + $0.digestText } ?? ""
        return "constraint \(path) \(constraint.key) \(constraint.severity.rawValue)\(rule)"
    }

    private static func elementLine(_ element: ElementDefinition) -> String {
        var line = "  \(element.definedName) \(element.cardinality) \(text(of: element.types))"
        if let binding = element.binding {
            line += " \(binding.strength.rawValue) \(binding.valueSet ?? "-")"
            if let name = binding.name { line += " \(name)" }
        }
        return line
    }

    private static func text(of types: ElementTypes) -> String {
        switch types {
        case .backbone(let path): return path
        case .content(let path): return "@" + path
        case .named(let references):
            return references.map { reference in
                reference.targets.isEmpty ? reference.name : reference.name + ">" + reference.targets.joined(separator: ",")
            }.joined(separator: "|")
        }
    }

    private static func searchLines(_ parameter: SearchParameterDefinition) -> [String] {
        let bases = parameter.bases.isEmpty ? "-" : parameter.bases.joined(separator: ",")
        var lines = ["search \(parameter.url) \(parameter.name) \(parameter.type) \(bases)"]
        if let selection = parameter.selection { lines.append("  " + selection.digestText) }
        if !parameter.targets.isEmpty { lines.append("  target \(parameter.targets.joined(separator: ","))") }
        lines += parameter.components.map { "  component \($0.definition) \($0.expression)" }
        return lines
    }
}
