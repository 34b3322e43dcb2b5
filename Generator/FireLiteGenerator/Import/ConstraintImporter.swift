/// Imports the constraints of an element, the root of a type included.
enum ConstraintImporter {
    /// - Parameter known: Keys that apply anyway and are left out.
    static func constraints(
        of node: JSONNode, in resource: DefinitionResource, without known: Set<String>
    ) throws -> [ConstraintDefinition] {
        var seen = known
        return try node.list("constraint").compactMap { constraint in
            let key = try resource.word("key", of: constraint, "constraint")
            guard seen.insert(key).inserted else { return nil }
            let text = try resource.text("severity", of: constraint, "constraint")
            guard let severity = ConstraintDefinition.Severity(rawValue: text) else {
                throw GeneratorError("unknown severity `\(text)` of a constraint", at: resource.location(of: constraint))
            }
            return ConstraintDefinition(key: key, severity: severity, rule: rule(of: constraint))
        }
    }

    private static func rule(of constraint: JSONNode) -> DefinitionExpression? {
        if let text = line(constraint["expression"]) { return .expression(text) }
        return line(constraint["xpath"]).map { .xpath($0) }
    }

    private static func line(_ node: JSONNode?) -> String? {
        guard let text = node?.string.map(DefinitionResource.oneLine), !text.isEmpty else { return nil }
        return text
    }
}
