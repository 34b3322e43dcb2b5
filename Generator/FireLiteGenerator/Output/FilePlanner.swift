import Foundation

/// Renders every file of a release's module.
struct FilePlanner {
    private let release: NamedRelease
    private let templates: TemplateLibrary
    private let descriptions: Descriptions
    private let settings: Settings

    /// - Parameters:
    ///   - descriptions: FHIR's short descriptions for the doc comments, by default none.
    ///   - settings: Further files, and whether classes have an `upsert` for each element.
    ///   - hasExtensions: Whether there is also a file with the conformances that FireLite's own modules have in hand-written files.
    /// - Returns: Files with paths relative to the module's folder for generated code.
    /// - Throws: `GeneratorError` for a template with a mistake.
    static func plan(
        _ release: NamedRelease, templates: TemplateLibrary, descriptions: Descriptions = Descriptions(), settings: Settings = Settings(),
        hasExtensions: Bool = false
    ) throws -> [PlannedFile] {
        let planner = FilePlanner(release: release, templates: templates, descriptions: descriptions, settings: settings)
        let files = try planner.moduleFiles() + (hasExtensions ? [planner.extensionsFile()] : [])
        return try files + planner.furtherFiles(beside: files)
    }

    /// Paths of the files that are written by hand.
    static func handwrittenPaths(of release: NamedRelease) -> Set<String> {
        Set(release.types.filter(\.isHandwritten).map(path) + release.codes.filter(\.isHandwritten).map(path))
    }

    private static func path(of type: NamedType) -> String {
        (type.definition.kind == .resource ? "Resources" : "Datatypes") + "/\(type.name).swift"
    }

    private static func path(of codes: NamedCodes) -> String { "Codes/\(codes.name).swift" }

    // MARK: - The module

    private func moduleFiles() throws -> [PlannedFile] {
        var files: [PlannedFile] = []
        for type in release.types where !type.isHandwritten {
            let context = ClassContext.context(type, in: release, descriptions)
            let setting = type.template.location.file.isEmpty ? nil : type.template.location
            let file = try file(Self.path(of: type), from: type.template.text, context, setBy: setting)
            try checkReplacements(in: type, file)
            files.append(file)
        }
        for choice in release.sharedChoices {
            files.append(try file("Datatypes/\(choice.name).swift", from: "sharedchoice", ChoiceContext.context(choice)))
        }
        for codes in release.codes where !codes.isHandwritten {
            files.append(try file(Self.path(of: codes), from: "codes", CodesContext.context(codes)))
        }
        files.append(try file("Release.swift", from: "release", ReleaseContext.context(release)))
        return files
    }

    private func extensionsFile() throws -> PlannedFile {
        try file("Extensions.swift", from: "extensions", ReleaseContext.context(release))
    }

    /// The layout and the list of classes must name the class of the instances, or the runtime would make others.
    private func checkReplacements(in type: NamedType, _ file: PlannedFile) throws {
        for named in type.classes where !named.replacement.isEmpty {
            guard file.content.components(separatedBy: "\(named.replacement).self").count > 2 else {
                throw GeneratorError(
                    "a class of this template is replaced: its layout and its group need `{{instances}}.self` instead of `{{name}}.self`",
                    at: SourceLocation(file: templates.path(of: type.template.text)))
            }
        }
    }

    // MARK: - Further files

    private func furtherFiles(beside files: [PlannedFile]) throws -> [PlannedFile] {
        var taken = Set(files.map { $0.path.lowercased() })
        var further: [PlannedFile] = []
        for setting in settings.files {
            for context in contexts(for: setting.subject) {
                let path = try FilePath.render(
                    setting.path, context.merging(ReleaseContext.common(release, template: "", settings: settings)) { own, _ in own })
                guard taken.insert(path.lowercased()).inserted else {
                    throw GeneratorError("two files would have the path `\(path)`", at: setting.path.location)
                }
                further.append(try file(path, from: setting.template.text, context, setBy: setting.template.location))
            }
        }
        return further
    }

    private func contexts(for subject: FileSetting.Subject) -> [TemplateContext] {
        switch subject {
        case .type: release.types.map { ClassContext.context($0, in: release, descriptions) }
        case .codes: release.codes.map(CodesContext.context)
        case .release: [ReleaseContext.context(release)]
        }
    }

    // MARK: - One file

    /// - Parameter place: The setting that names the template, if there is one.
    private func file(
        _ path: String, from template: String, _ context: TemplateContext, setBy place: SourceLocation? = nil
    ) throws -> PlannedFile {
        let common = ReleaseContext.common(release, template: templates.fileName(of: template), settings: settings)
        let content = try TemplateRenderer.render(template, in: templates, common.merging(context) { _, own in own }, setBy: place)
        guard OutputFolder.isMarked(Array(content.utf8), path: path) else {
            throw GeneratorError(
                "the first line of a file should end in `\(OutputFolder.mark)`",
                at: SourceLocation(file: templates.path(of: template), line: 1))
        }
        return PlannedFile(path: path, content: content)
    }
}
