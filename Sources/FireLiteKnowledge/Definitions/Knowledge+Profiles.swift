extension Knowledge {
    /// The canonical URLs of the profiles of resources that packages and files brought, by resource type, in order: what a server may list as supported.
    public var profilesByType: [String: [String]] {
        var found: [String: [String]] = [:]
        for definition in definitions(ofType: "StructureDefinition") {
            guard let url = definition.url, let type = definition.subject, !url.hasPrefix(Self.base),
                definition.json["kind"]?.text == "resource", definition.json["derivation"]?.text == "constraint"
            else { continue }
            found[type, default: []].append(url)
        }
        return found
    }
}
