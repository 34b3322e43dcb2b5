/// Finds the search parameters of a type.
enum SearchParameters {
    /// Those of the type and of the types it derives from, in the order of their names; none for a datatype.
    static func of(_ type: NamedType, in release: NamedRelease) -> [SearchParameterDefinition] {
        guard type.definition.kind == .resource else { return [] }
        let names = Set([type.definition.name] + type.ancestors)
        return release.searchParameters.filter { !names.isDisjoint(with: $0.bases) }.sorted { ($0.name, $0.url) < ($1.name, $1.url) }
    }
}
