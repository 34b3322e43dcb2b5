import Foundation

/// Reads the resources of an official FHIR definitions package from disk.
///
/// A package is a folder of JSON files, one resource each or Bundles of them (`profiles-resources.json`), flat or in
/// sub-folders such as an npm package's `package/`.
struct DefinitionsFolder {
    /// The resource types the Generator has a use for.
    static let wantedTypes: Set<String> = ["StructureDefinition", "ValueSet", "CodeSystem", "SearchParameter"]

    /// Members that contain prose or describe other formats.
    private static let ignoredMembers: Set<String> = [
        "text", "mapping", "definition", "comment", "comments", "requirements", "alias", "contact",
        "meaningWhenMissing", "description", "purpose", "copyright", "differential", "designation", "publisher",
    ]

    /// `SearchParameter.component.definition` is no prose, so these files keep the member of that name.
    private static let ignoredOfSearchParameters = ignoredMembers.subtracting(["definition"])

    /// Every wanted resource under a folder, in the order of the files' names; an npm package's hidden index is none.
    ///
    /// - Throws: `GeneratorError` when the folder or a file cannot be read, or a file is not JSON.
    static func read(_ path: String) throws -> [DefinitionResource] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw GeneratorError("no such definitions folder", at: SourceLocation(file: path))
        }
        guard isDirectory.boolValue else {
            throw GeneratorError("not a folder, expected a folder of FHIR definitions", at: SourceLocation(file: path))
        }
        let names = try FileTree.files(in: path).map(\.path).filter { $0.lowercased().hasSuffix(".json") }
        return try names.flatMap { try resources(in: SourceFile(path: path + "/" + $0)) }
    }

    /// The wanted resources of one file.
    static func resources(in file: SourceFile) throws -> [DefinitionResource] {
        let mayHoldSearchParameters = file.bytes.contains("SearchParameter")
        let node = try JSONParser.parse(
            file, ignoring: mayHoldSearchParameters ? ignoredOfSearchParameters : ignoredMembers)
        let resource = DefinitionResource(file: file, node: node)
        if resource.type == "Bundle" {
            return node.list("entry").compactMap { entry in
                entry["resource"].map { DefinitionResource(file: file, node: $0) }
            }.filter { wantedTypes.contains($0.type) }
        }
        return wantedTypes.contains(resource.type) ? [resource] : []
    }
}

extension [UInt8] {
    /// Whether a text occurs in these bytes.
    fileprivate func contains(_ text: String) -> Bool {
        Data(self).range(of: Data(text.utf8)) != nil
    }
}
