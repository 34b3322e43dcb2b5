/// Reads the line of an element in a digest.
enum DigestElementReader {
    static func read(_ line: DigestLine) throws -> ElementDefinition {
        var line = line
        let place = line.location
        let definedName = try line.word("an element's name")
        let isChoice = definedName.hasSuffix("[x]")
        let name = isChoice ? definedName.dropLast(3) : definedName
        guard Identifier.isElementName(name) else {
            throw GeneratorError("`\(definedName)` is not an element name", at: place)
        }
        let cardinality = try cardinality(&line)
        let types = try types(&line)
        let binding = try binding(&line)
        try line.end()
        return ElementDefinition(
            name: String(name), isChoice: isChoice, cardinality: cardinality, types: types, binding: binding, location: place)
    }

    private static func cardinality(_ line: inout DigestLine) throws -> Cardinality {
        let place = line.location
        let text = try line.word("a cardinality")
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty, let minimum = Int(parts[0]), minimum >= 0,
            parts[2] == "*" || (Int(parts[2]) ?? 0) > 0
        else {
            throw GeneratorError("`\(text)` is not a cardinality", at: place)
        }
        return Cardinality(minimum: minimum, maximum: Int(parts[2]))
    }

    private static func types(_ line: inout DigestLine) throws -> ElementTypes {
        let place = line.location
        let text = try line.word("the element's types")
        if text.first == "@" {
            let path = text.dropFirst()
            guard Identifier.isPath(path) else { throw GeneratorError("`\(path)` is not a path", at: place) }
            return .content(path: String(path))
        }
        if Identifier.isPath(text) { return .backbone(path: String(text)) }
        let references = try text.split(separator: "|", omittingEmptySubsequences: false).map { part in
            let nameAndTargets = part.split(separator: ">", omittingEmptySubsequences: false)
            let targets = nameAndTargets.count > 1 ? nameAndTargets[1].split(separator: ",", omittingEmptySubsequences: false) : []
            guard nameAndTargets.count <= 2, Identifier.isTypeName(nameAndTargets[0]), targets.allSatisfy(Identifier.isTypeName)
            else {
                throw GeneratorError("`\(part)` is not a type", at: place)
            }
            return TypeReference(name: String(nameAndTargets[0]), targets: targets.map(String.init))
        }
        guard Set(references.map(\.name)).count == references.count else {
            throw GeneratorError("a type occurs twice in `\(text)`", at: place)
        }
        return .named(references)
    }

    private static func binding(_ line: inout DigestLine) throws -> BindingDefinition? {
        let place = line.location
        guard let word = line.optionalWord() else { return nil }
        guard let strength = BindingDefinition.Strength(rawValue: String(word)) else {
            throw GeneratorError("`\(word)` is not a binding strength", at: place)
        }
        let url = try line.url("the value set's URL")
        let valueSet = url == "-" ? nil : url
        var name: String?
        let namePlace = line.location
        if let first = line.optionalWord() {
            var words = String(first)
            while let more = line.optionalWord() { words.append(" " + more) }
            guard Identifier.isLine(words) else { throw GeneratorError("this is not a binding's name", at: namePlace) }
            name = words
        }
        return BindingDefinition(strength: strength, valueSet: valueSet, name: name)
    }
}
