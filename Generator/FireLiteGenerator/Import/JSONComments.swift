/// Comments in DSTU2's JSON, which no StructureDefinition describes.
///
/// From the page "JSON Representation of Resources" of FHIR 1.0.2: what is a comment in XML is a list of strings named `fhir_comments`, which any JSON
/// object may have. Later releases removed it.
enum JSONComments {
    static let elementName = "fhir_comments"

    /// The root types, from which every JSON object inherits.
    private static let owners: Set<String> = ["Element", "Resource"]

    /// The types with the element, if the JSON of the release has it.
    static func added(to types: [TypeDefinition], of release: FHIRReleaseName) -> [TypeDefinition] {
        guard release.version.hasPrefix("1.0.") else { return types }
        return types.map { type in
            guard owners.contains(type.name), type.isAbstract else { return type }
            var type = type
            type.elements.append(
                ElementDefinition(
                    name: elementName, isChoice: false, cardinality: Cardinality(minimum: 0, maximum: nil),
                    types: .named([TypeReference(name: "string")]), binding: nil, location: type.location))
            return type
        }
    }
}
