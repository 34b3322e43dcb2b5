/// The path of a further file, from its template in a settings file.
enum FilePath {
    static let mostCharacters = 200

    /// - Throws: `GeneratorError` at the setting for a path with a mistake, or one that could lead out of the output folder.
    static func render(_ setting: SettingText, _ context: TemplateContext) throws -> String {
        let path: String
        do {
            let source = SourceFile(name: "path.swift.tmpl", bytes: Array(setting.text.utf8))
            path = try TemplateRenderer.render("path", in: TemplateLibrary(folder: "", files: [source]), context)
        } catch let error as GeneratorError {
            throw GeneratorError("the path `\(setting.text)`: \(error.message)", at: setting.location)
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isSound = parts.allSatisfy { part in
            part.first != "." && !part.isEmpty && part.utf8.allSatisfy { $0 > 0x1F && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
        }
        guard isSound, path.count <= mostCharacters else {
            throw GeneratorError(
                "`\(path)` is not a path below the output folder: names separated by `/`, none empty or beginning with a dot",
                at: setting.location)
        }
        return path
    }
}
