extension Knowledge {
    /// The canonical URLs of the profiles of resources that packages and files brought, by resource type, in order: what a server may list as supported.
    ///
    /// - Throws: `KnowledgeError` with code `file` if a file of packages cannot be read.
    public var profilesByType: [String: [String]] {
        get throws {
            var found: [String: [String]] = [:]
            for definition in definitions(ofType: "StructureDefinition") {
                guard let url = definition.url, let type = definition.subject, !url.hasPrefix(Self.base) else { continue }
                let json = try definition.json
                guard json["kind"]?.text == "resource", json["derivation"]?.text == "constraint" else { continue }
                found[type, default: []].append(url)
            }
            return found
        }
    }
}
