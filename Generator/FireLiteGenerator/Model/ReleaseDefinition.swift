/// Everything the Generator knows about one FHIR release: the neutral model between the definitions and the Swift code.
///
/// It holds facts only and nothing particular to a release, so that a release is data.
struct ReleaseDefinition: Sendable {
    var release: FHIRReleaseName
    /// Types by name, in the order of their names.
    var types: [TypeDefinition] = []
    /// Value sets behind required bindings, in the order of their URLs.
    var valueSets: [ValueSetDefinition] = []
    /// Search parameters in the order of their URLs.
    var searchParameters: [SearchParameterDefinition] = []

    /// A copy in the one order a digest has, so that the order of files changes nothing.
    func sorted() -> ReleaseDefinition {
        var copy = self
        copy.types.sort { $0.name < $1.name }
        copy.valueSets.sort { $0.url < $1.url }
        copy.searchParameters.sort { ($0.url, $0.name) < ($1.url, $1.name) }
        return copy
    }
}
