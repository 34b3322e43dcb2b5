/// A release with a Swift name for everything: the model the contexts of the templates are made from.
struct NamedRelease: Sendable {
    var release: FHIRReleaseName
    /// Types with a class, in the order of their names.
    var types: [NamedType]
    /// Choice enums that several elements share.
    var sharedChoices: [NamedChoice]
    /// Code structs in the order of their names.
    var codes: [NamedCodes]
    /// Search parameters of its types, and those for all.
    var searchParameters: [SearchParameterDefinition] = []

    /// The release as a static member: `r4`.
    var memberName: String {
        var scope = NameScope(reserved: ReservedWords.cases)
        return SwiftName.escaped(scope.take(release.name.lowercased(), suffix: "_"))
    }

    /// Just some types, and the shared choices and codes those use.
    ///
    /// Names are given before, so that a slim module has the names of the whole one.
    func limited(to names: Set<String>) -> NamedRelease {
        var copy = self
        copy.types = types.filter { names.contains($0.definition.name) }
        let elements = copy.types.flatMap(\.classes).flatMap(\.elements)
        let usedChoices = Set(elements.compactMap { $0.choice?.enumName })
        let usedCodes = Set(elements.compactMap(\.codesName))
        copy.sharedChoices = sharedChoices.filter { usedChoices.contains($0.name) }
        copy.codes = codes.filter { usedCodes.contains($0.name) }
        copy.searchParameters = searchParameters.filter { $0.bases.isEmpty || !names.isDisjoint(with: $0.bases) }
        return copy
    }
}

/// A FHIR type with its classes.
struct NamedType: Sendable {
    var definition: TypeDefinition
    /// The type's own class, then those of its backbone elements.
    var classes: [NamedClass]
    /// Whether its file is written by hand.
    var isHandwritten = false
    /// The template that makes its file.
    var template = SettingText(text: "class", location: SourceLocation(file: ""))
    /// Types it derives from, nearest first.
    var ancestors: [String] = []
    /// The type's class name, which its file is called by.
    var name: String { classes[0].name }
    /// The variable that lists the classes.
    var groupName: String { NamedClass.variable(name, "Types") }
}
