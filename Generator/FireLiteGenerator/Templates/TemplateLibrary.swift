/// The templates of a folder, parsed.
struct TemplateLibrary: Sendable {
    static let fileExtension = ".swift.tmpl"
    /// The ending of templates that do not make Swift code, whose names keep what comes before it: `notes.md`.
    static let otherFileExtension = ".tmpl"

    private let folder: String
    private let templates: [String: (path: String, nodes: [TemplateNode])]

    /// Reads and parses every template of a folder.
    ///
    /// - Parameter defaults: A folder with the templates that this one lacks.
    /// - Throws: `GeneratorError` for a folder that cannot be read or a template with a mistake.
    init(folder: String, defaults: String? = nil) throws {
        var files: [SourceFile] = []
        for folder in [defaults, folder].compactMap({ $0 }) {
            let names = try FileTree.names(in: folder, "folder of templates").filter { $0.hasSuffix(Self.otherFileExtension) }
            files += try names.sorted().filter { !$0.hasPrefix(".") }.map { try SourceFile(path: folder + "/" + $0) }
        }
        try self.init(folder: folder, files: files)
    }

    /// - Parameter files: Templates, named by their path. Of two with the same name the later one counts.
    init(folder: String, files: [SourceFile]) throws {
        self.folder = folder
        var sources: [String: SourceFile] = [:]
        for file in files {
            let fileName = file.name.split(separator: "/").last.map(String.init) ?? file.name
            let ending = fileName.hasSuffix(Self.fileExtension) ? Self.fileExtension : Self.otherFileExtension
            sources[String(fileName.dropLast(ending.count))] = file
        }
        templates = try Dictionary(
            uniqueKeysWithValues: sources.sorted { $0.key < $1.key }.map { name, file in
                (name, (path: file.name, nodes: try TemplateParser.parse(file)))
            })
    }

    /// A template by its name without extension.
    func template(_ name: String, includedAt location: SourceLocation? = nil) throws -> [TemplateNode] {
        guard let template = templates[name] else {
            throw GeneratorError("no template `\(name)\(Self.fileExtension)`", at: location ?? SourceLocation(file: folder))
        }
        return template.nodes
    }

    /// The file that a template is in.
    func path(of name: String) -> String { templates[name]?.path ?? folder + "/" + name + Self.fileExtension }

    /// The name of that file.
    func fileName(of name: String) -> String { path(of: name).split(separator: "/").last.map(String.init) ?? name }
}
