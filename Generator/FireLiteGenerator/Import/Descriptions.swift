/// FHIR's short descriptions of types and elements, by path, as a line of a comment each.
///
/// They are FHIR's own text, so they are read from a definitions package on request and are no part of a digest.
struct Descriptions: Sendable {
    private var texts: [String: String] = [:]

    /// None.
    init() {}

    /// Reads the descriptions of a definitions package.
    ///
    /// - Throws: `GeneratorError` for a package that cannot be read, or that is of another release.
    init(folder: String, of release: FHIRReleaseName) throws {
        let resources = try DefinitionsFolder.read(folder)
        let found = try DefinitionsImporter(resources, folder: folder).importRelease(named: release.name).definition.release
        guard found.version == release.version else {
            throw GeneratorError("these are descriptions of \(found), the classes are of \(release)", at: SourceLocation(file: folder))
        }
        for structure in try StructureImporter.selectTypes(resources.filter { $0.type == "StructureDefinition" }).structures {
            for element in structure.resource.node["snapshot"]?.list("element") ?? [] {
                guard let path = element["path"]?.string, texts[path] == nil, let text = element["short"]?.string else { continue }
                texts[path] = CommentText.line(text)
            }
            for element in structure.resource.node["snapshot"]?.list("element") ?? [] {
                for constraint in element.list("constraint") {
                    guard let path = element["path"]?.string, let key = constraint["key"]?.string, let text = constraint["human"]?.string
                    else { continue }
                    texts["\(path) \(key)"] = CommentText.line(text)
                }
            }
        }
    }

    /// The description of a type or element, empty if there is none.
    subscript(path: String) -> String { texts[path] ?? "" }
}
