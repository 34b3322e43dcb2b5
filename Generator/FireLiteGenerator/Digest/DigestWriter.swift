/// Writes the neutral model as a digest: lines of facts that a person can read and a diff can show.
///
/// `DigestReader` describes the format.
enum DigestWriter {
    static let firstLine = "FireLite digest 1"

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
        for backbone in type.backbones {
            lines.append("backbone \(backbone.path) \(backbone.base)")
            lines += backbone.elements.map(elementLine)
        }
        return lines
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
        switch parameter.selection {
        case .expression(let text): lines.append("  expression \(text)")
        case .xpath(let text): lines.append("  xpath \(text)")
        case nil: break
        }
        if !parameter.targets.isEmpty { lines.append("  target \(parameter.targets.joined(separator: ","))") }
        lines += parameter.components.map { "  component \($0.definition) \($0.expression)" }
        return lines
    }
}
