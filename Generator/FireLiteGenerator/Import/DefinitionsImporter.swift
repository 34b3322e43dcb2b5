/// Turns the resources of a definitions package into the neutral model.
struct DefinitionsImporter {
    private let resources: [DefinitionResource]
    private let folder: String

    init(_ resources: [DefinitionResource], folder: String) {
        self.resources = resources
        self.folder = folder
    }

    /// Reads and imports a definitions package.
    ///
    /// - Parameters:
    ///   - name: The release's name, needed only for a version the Generator does not know.
    ///   - logicalModels: `datatype` or `resource` by URL, for logical models that become types.
    /// - Throws: `GeneratorError` for a package that cannot be read, is not a FHIR package or contradicts itself.
    static func importRelease(
        from folder: String, named name: String?, logicalModels: [String: SettingText] = [:]
    ) throws -> ImportedRelease {
        try DefinitionsImporter(try DefinitionsFolder.read(folder), folder: folder).importRelease(named: name, logicalModels: logicalModels)
    }

    /// - Parameter logicalModels: `datatype` or `resource` by URL, for logical models that become types.
    func importRelease(named name: String?, logicalModels: [String: SettingText] = [:]) throws -> ImportedRelease {
        let structureDefinitions = resources.filter { $0.type == "StructureDefinition" }
        let selection = try StructureImporter.selectTypes(structureDefinitions, logicalModels: logicalModels)
        let structures = selection.structures
        guard !structures.isEmpty else {
            throw GeneratorError("no StructureDefinition of a type in this folder", at: SourceLocation(file: folder))
        }
        var release = ReleaseDefinition(release: try releaseName(of: structures, named: name))
        release.types = JSONComments.added(to: try StructureImporter(structures).importTypes(), of: release.release)
        let terminology = TerminologyImporter(resources)
        release.valueSets = try terminology.importValueSets(boundBy: release.types)
        release.searchParameters = try SearchParameterImporter.importParameters(resources)
        release = release.sorted()
        try DefinitionValidator.validate(release)
        let notes = [selection.note, terminology.note(on: release.types, in: folder)].compactMap { $0 }
        return ImportedRelease(definition: release, notes: notes)
    }

    /// The release the structures say they belong to.
    private func releaseName(of structures: [StructureImporter.Structure], named name: String?) throws -> FHIRReleaseName {
        var version: String?
        for structure in structures {
            guard let found = structure.resource.node["fhirVersion"] else { continue }
            guard let text = found.string, FHIRReleaseName.isVersion(text) else {
                throw GeneratorError("`fhirVersion` is not a version", at: structure.resource.location(of: found))
            }
            if let version, version != text {
                throw GeneratorError(
                    "definitions of FHIR \(text) among those of FHIR \(version)", at: structure.resource.location(of: found))
            }
            version = text
        }
        guard let version else {
            throw GeneratorError("no definition in this folder says its `fhirVersion`", at: SourceLocation(file: folder))
        }
        let known = FHIRReleaseName(version: version)
        if let known, let name, known.name != name {
            throw GeneratorError("these are definitions of \(known), not of \(name)", at: SourceLocation(file: folder))
        }
        if let known { return known }
        guard let name else {
            throw GeneratorError(
                "FHIR \(version) is not a known release: name it with --release", at: SourceLocation(file: folder))
        }
        return FHIRReleaseName(name: name, version: version)
    }
}
