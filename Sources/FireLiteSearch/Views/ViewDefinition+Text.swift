import FireLiteCore

extension ViewDefinition {
    /// The definition as JSON: what `init(json:)` reads.
    public var json: String {
        var members = [("resourceType", JSONText.string("ViewDefinition"))]
        if let name { members.append(("name", JSONText.string(name))) }
        members.append(("resource", JSONText.string(resource)))
        if !constants.isEmpty { members.append(("constant", JSONText.array(constants.map(\.json)))) }
        members.append(("select", JSONText.array(selects.map(\.json))))
        if !conditions.isEmpty {
            members.append(("where", JSONText.array(conditions.map { JSONText.object([("path", JSONText.string($0))]) })))
        }
        return JSONText.object(members)
    }
}

extension ViewDefinition.Constant {
    fileprivate var json: String {
        let value: String
        switch type.storage {
        case .boolean, .integer, .decimal: value = literal
        case .text, .temporal: value = JSONText.string(literal)
        }
        let member = "value" + type.name.prefix(1).uppercased() + type.name.dropFirst()
        return JSONText.object([("name", JSONText.string(name)), (member, value)])
    }
}

extension ViewDefinition.Select {
    fileprivate var json: String {
        var members: [(String, String)] = []
        switch iteration {
        case .once: break
        case .forEach(let path): members.append(("forEach", JSONText.string(path)))
        case .forEachOrNull(let path): members.append(("forEachOrNull", JSONText.string(path)))
        case .repeating(let paths): members.append(("repeat", JSONText.array(paths.map { JSONText.string($0) })))
        }
        if !columns.isEmpty { members.append(("column", JSONText.array(columns.map(\.json)))) }
        if !selects.isEmpty { members.append(("select", JSONText.array(selects.map(\.json)))) }
        if !unionAll.isEmpty { members.append(("unionAll", JSONText.array(unionAll.map(\.json)))) }
        return JSONText.object(members)
    }
}

extension ViewDefinition.Column {
    fileprivate var json: String {
        var members = [("name", JSONText.string(name)), ("path", JSONText.string(path))]
        if let type { members.append(("type", JSONText.string(type))) }
        if isCollection { members.append(("collection", "true")) }
        return JSONText.object(members)
    }
}
