/// Writes the search parameters and summaries of a release as text, which `FireLiteSearch` reads.
enum SearchWriter {
    /// The beginning of most URLs, abbreviated as `~`.
    private static let prefix = "http://hl7.org/fhir/SearchParameter/"

    /// The text of a release: `url code type base,base`, and indented `e` expression, `t` targets and `c` components.
    static func text(of definition: ReleaseDefinition) -> String {
        let definition = definition.sorted()
        var lines: [String] = []
        for parameter in definition.searchParameters where !parameter.bases.isEmpty { lines += self.lines(of: parameter) }
        for type in definition.types where type.kind != .primitive {
            lines += summary(type.elements, type.name)
            for backbone in type.backbones { lines += summary(backbone.elements, backbone.path) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func summary(_ elements: [ElementDefinition], _ path: String) -> [String] {
        let names = elements.filter(\.isSummary).map(\.definedName)
        return names.isEmpty ? [] : ["summary \(path) \(names.joined(separator: " "))"]
    }

    private static func url(_ url: String) -> String { url.hasPrefix(prefix) ? "~" + url.dropFirst(prefix.count) : url }

    private static func lines(of parameter: SearchParameterDefinition) -> [String] {
        var lines = ["\(url(parameter.url)) \(parameter.name) \(parameter.type) \(parameter.bases.joined(separator: ","))"]
        switch parameter.selection {
        case .expression(let text): lines.append(" e \(text)")
        case .xpath(let text): if let expression = XPathConversion.expression(text) { lines.append(" e \(expression)") }
        case nil: break
        }
        if parameter.type == "reference", !parameter.targets.isEmpty { lines.append(" t \(parameter.targets.joined(separator: ","))") }
        return lines + parameter.components.map { " c \(url($0.definition)) \($0.expression)" }
    }

    /// A Swift file with the text.
    static func file(of definition: ReleaseDefinition, memberName: String) -> PlannedFile {
        PlannedFile(
            path: "\(definition.release.name).swift",
            content: """
                // FHIR \(definition.release). \(OutputFolder.mark)
                // swift-format-ignore-file

                extension SearchDefinitions {
                    static let \(memberName) = SearchDefinitions(name: "\(definition.release.name)", text: ##\"\"\"
                \(text(of: definition))\"\"\"##)
                }

                """)
    }
}
