/// Renders every file of a release's module.
struct FilePlanner {
    private let release: NamedRelease
    private let templates: TemplateLibrary
    private let descriptions: Descriptions

    /// - Parameter descriptions: FHIR's short descriptions for the doc comments, by default none.
    /// - Returns: Files with paths relative to the module's folder for generated code.
    /// - Throws: `GeneratorError` for a template with a mistake.
    static func plan(
        _ release: NamedRelease, templates: TemplateLibrary, descriptions: Descriptions = Descriptions()
    ) throws -> [PlannedFile] {
        try FilePlanner(release: release, templates: templates, descriptions: descriptions).plan()
    }

    private func plan() throws -> [PlannedFile] {
        var files: [PlannedFile] = []
        for type in release.types {
            let folder = type.definition.kind == .resource ? "Resources" : "Datatypes"
            let context = ClassContext.context(type, in: release, descriptions)
            files.append(try file("\(folder)/\(type.name).swift", from: "class", context))
        }
        for choice in release.sharedChoices {
            files.append(try file("Datatypes/\(choice.name).swift", from: "sharedchoice", ChoiceContext.context(choice)))
        }
        for codes in release.codes {
            files.append(try file("Codes/\(codes.name).swift", from: "codes", CodesContext.context(codes)))
        }
        files.append(try file("Release.swift", from: "release", ReleaseContext.context(release)))
        return files
    }

    private func file(_ path: String, from template: String, _ context: TemplateContext) throws -> PlannedFile {
        let common = ReleaseContext.common(release, template: template)
        let content = try TemplateRenderer.render(template, in: templates, common.merging(context) { _, own in own })
        return PlannedFile(path: path, content: content)
    }
}
