/// The templates of a folder, parsed.
struct TemplateLibrary: Sendable {
    static let fileExtension = ".swift.tmpl"

    private let folder: String
    private let templates: [String: [TemplateNode]]

    /// Reads and parses every template of a folder.
    ///
    /// - Throws: `GeneratorError` for a folder that cannot be read or a template with a mistake.
    init(folder: String) throws {
        let names = try FileTree.names(in: folder, "folder of templates")
        let files = try names.filter { $0.hasSuffix(Self.fileExtension) }.sorted().map { try SourceFile(path: folder + "/" + $0) }
        try self.init(folder: folder, files: files)
    }

    /// - Parameter files: Templates, named by their path.
    init(folder: String, files: [SourceFile]) throws {
        self.folder = folder
        var templates: [String: [TemplateNode]] = [:]
        for file in files {
            let fileName = file.name.split(separator: "/").last.map(String.init) ?? file.name
            templates[String(fileName.dropLast(Self.fileExtension.count))] = try TemplateParser.parse(file)
        }
        self.templates = templates
    }

    /// A template by its name without extension.
    func template(_ name: String, includedAt location: SourceLocation? = nil) throws -> [TemplateNode] {
        guard let template = templates[name] else {
            throw GeneratorError("no template `\(name)\(Self.fileExtension)`", at: location ?? SourceLocation(file: folder))
        }
        return template
    }
}
