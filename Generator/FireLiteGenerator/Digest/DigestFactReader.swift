/// Reads the lines of a digest that say more about a type or backbone element and its elements.
enum DigestFactReader {
    enum Fact: String {
        case constraint, modifier, summary
    }

    /// - Parameters:
    ///   - line: The line, read up to the keyword.
    ///   - type: The type above the line. If it has backbone elements, the line is about the last one.
    static func read(_ fact: Fact, _ line: inout DigestLine, into type: inout TypeDefinition) throws {
        let place = line.location
        let path = String(try line.word("the path of the type or backbone element above it"))
        switch fact {
        case .constraint: try readConstraint(&line, path, at: place, into: &type)
        case .modifier: try readNames(&line, path, at: place, of: &type, \.isModifier)
        case .summary: try readNames(&line, path, at: place, of: &type, \.isSummary)
        }
    }

    // MARK: - Constraints

    private static func readConstraint(
        _ line: inout DigestLine, _ path: String, at place: SourceLocation, into type: inout TypeDefinition
    ) throws {
        let constraint = try constraint(&line)
        func add(to constraints: inout [ConstraintDefinition]) throws {
            guard !constraints.contains(where: { $0.key == constraint.key }) else {
                throw GeneratorError("constraint `\(constraint.key)` of `\(path)` occurs twice", at: place)
            }
            constraints.append(constraint)
        }
        let owner = owner(in: type)
        if path == type.name, owner == path { return try add(to: &type.constraints) }
        guard path.hasPrefix(owner + ".") else {
            throw GeneratorError("`\(path)` is not in `\(owner)`, which is above it", at: place)
        }
        try change(String(path.dropFirst(owner.count + 1)), of: &type, at: place) { try add(to: &$0.constraints) }
    }

    private static func constraint(_ line: inout DigestLine) throws -> ConstraintDefinition {
        let key = try line.plainWord("the constraint's key")
        let severityPlace = line.location
        let word = try line.word("the constraint's severity")
        guard let severity = ConstraintDefinition.Severity(rawValue: String(word)) else {
            throw GeneratorError("`\(word)` is not a severity", at: severityPlace)
        }
        let rulePlace = line.location
        var rule: DefinitionExpression?
        switch line.optionalWord() {
        case nil: break
        case "expression": rule = .expression(try line.lineRemainder("an expression"))
        case "xpath": rule = .xpath(try line.lineRemainder("an XPath"))
        case let word?: throw GeneratorError("expected `expression` or `xpath`, not `\(word)`", at: rulePlace)
        }
        return ConstraintDefinition(key: key, severity: severity, rule: rule)
    }

    // MARK: - Names of elements

    private static func readNames(
        _ line: inout DigestLine, _ path: String, at place: SourceLocation, of type: inout TypeDefinition,
        _ flag: WritableKeyPath<ElementDefinition, Bool>
    ) throws {
        let owner = owner(in: type)
        guard path == owner else { throw GeneratorError("`\(path)` is not `\(owner)`, which is above it", at: place) }
        var place = line.location
        var next: Substring? = try line.word("an element's name")
        while let name = next {
            try change(String(name), of: &type, at: place) { element in
                guard !element[keyPath: flag] else { throw GeneratorError("`\(name)` occurs twice", at: place) }
                element[keyPath: flag] = true
            }
            place = line.location
            next = line.optionalWord()
        }
    }

    // MARK: - The class above the line

    private static func owner(in type: TypeDefinition) -> String { type.backbones.last?.path ?? type.name }

    private static func change(
        _ name: String, of type: inout TypeDefinition, at place: SourceLocation, _ change: (inout ElementDefinition) throws -> Void
    ) throws {
        let elements = type.backbones.last?.elements ?? type.elements
        guard let index = elements.firstIndex(where: { $0.definedName == name }) else {
            throw GeneratorError("`\(owner(in: type))`, which is above it, has no element `\(name)`", at: place)
        }
        if let last = type.backbones.indices.last {
            try change(&type.backbones[last].elements[index])
        } else {
            try change(&type.elements[index])
        }
    }
}
