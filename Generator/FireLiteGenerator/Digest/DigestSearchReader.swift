/// Reads the lines of a search parameter in a digest.
enum DigestSearchReader {
    /// - Parameter line: The first line, read up to the URL.
    static func read(_ line: inout DigestLine, details: ArraySlice<DigestLine>) throws -> SearchParameterDefinition {
        let url = try line.url("the search parameter's URL")
        let name = try line.plainWord("the search parameter's name")
        let type = try line.plainWord("the search parameter's type")
        let bases = try line.wordOrDash("the resources it applies to")
        try line.end()
        var parameter = SearchParameterDefinition(url: url, name: name, type: type, bases: names(bases))
        for var detail in details {
            let place = detail.location
            switch try detail.word("a detail of the search parameter") {
            case "expression": parameter.selection = .expression(try detail.lineRemainder("an expression"))
            case "xpath": parameter.selection = .xpath(try detail.lineRemainder("an XPath"))
            case "target": parameter.targets = names(try detail.remainder("a list of types"))
            case "component":
                let definition = try detail.url("the URL of the component's definition")
                let expression = try detail.lineRemainder("the component's expression")
                parameter.components.append(.init(definition: definition, expression: expression))
            case let word: throw GeneratorError("unknown detail `\(word)` of a search parameter", at: place)
            }
        }
        return parameter
    }

    private static func names(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map(String.init)
    }
}
