/// Imports SearchParameters of any release.
enum SearchParameterImporter {
    static func importParameters(_ resources: [DefinitionResource]) throws -> [SearchParameterDefinition] {
        var seen: Set<String> = []
        return try resources.filter { $0.type == "SearchParameter" }.map(importParameter)
            .filter { seen.insert($0.url).inserted }
    }

    private static func importParameter(_ resource: DefinitionResource) throws -> SearchParameterDefinition {
        let node = resource.node
        var parameter = SearchParameterDefinition(
            url: try resource.word("url", of: node, "SearchParameter"),
            name: try resource.word("code", of: node, "SearchParameter"),
            type: try resource.word("type", of: node, "SearchParameter"),
            bases: try resource.words("base", of: node))
        if let expression = node["expression"]?.string {
            parameter.selection = .expression(DefinitionResource.oneLine(expression))
        } else if let xpath = node["xpath"]?.string {
            parameter.selection = .xpath(DefinitionResource.oneLine(xpath))
        }
        parameter.targets = try resource.words("target", of: node)
        parameter.components = try node.list("component").map { component in
            // STU3 has a reference where later releases have a URL.
            guard let definition = component["definition"]?["reference"]?.string ?? component["definition"]?.string,
                Identifier.isWord(definition)
            else {
                throw GeneratorError("component without `definition`", at: resource.location(of: component))
            }
            let expression = try resource.text("expression", of: component, "component")
            return SearchParameterDefinition.Component(definition: definition, expression: DefinitionResource.oneLine(expression))
        }
        return parameter
    }
}
