import Foundation

/// Reads a settings file: a JSON object, in which every key must be known.
struct SettingsReader {
    private let file: SourceFile
    /// The folder of the file, which paths in it are relative to.
    private let folder: String
    private var settings = Settings()

    static let keys = [
        "release", "resources", "templates", "definitions", "descriptions", "digest", "classes", "properties", "choices", "codes", "bases",
        "types", "ignoredCodes", "handwritten", "skipped", "classTemplates", "files", "profiles", "profileDefinitions", "logicalModels",
        "upsertMethods", "guides", "models",
    ]

    /// - Throws: `GeneratorError` with line and column of the first key or value that is wrong.
    static func read(_ file: SourceFile) throws -> Settings {
        var reader = SettingsReader(file: file)
        let node = try JSONParser.parse(file)
        for (key, value) in try reader.members(of: node, "the settings") { try reader.read(key, value) }
        return reader.settings
    }

    private init(file: SourceFile) {
        self.file = file
        folder = file.name.contains("/") ? String(file.name[..<(file.name.lastIndex(of: "/") ?? file.name.startIndex)]) : ""
    }

    private mutating func read(_ key: String, _ value: JSONNode) throws {
        switch key {
        case "release": settings.release = try name(value, "the name of a release")
        case "resources": settings.resources = try list(value).map { try name($0, "the name of a resource") }
        case "templates": settings.templates = try path(value)
        case "definitions": settings.definitions = try path(value)
        case "descriptions": settings.descriptions = try path(value)
        case "digest": settings.digest = try path(value)
        case "profileDefinitions": settings.profileDefinitions = try path(value)
        case "classes": settings.classes = try map(value, typeName)
        case "properties": settings.properties = try map(value, swiftName)
        case "choices": settings.choices = try map(value, typeName)
        case "codes": settings.codes = try map(value, typeName)
        case "bases": settings.bases = try map(value, typeName)
        case "types": settings.types = try map(value, typeName)
        case "ignoredCodes": settings.ignoredCodes = try places(value)
        case "handwritten": settings.handwritten = try places(value)
        case "skipped": settings.skipped = try places(value)
        case "classTemplates": settings.classTemplates = try map(value) { try self.text($0, "the name of a template") }
        case "files": settings.files = try list(value).map(fileSetting)
        case "profiles": settings.profiles = try list(value).map { try self.text($0, "the URL of a profile") }
        case "logicalModels": settings.logicalModels = try map(value, kind)
        case "guides": settings.guides = try list(value).map(guide)
        case "models": settings.models = try name(value, "the name of a module")
        case "upsertMethods": settings.hasUpsertMethods = try condition(value)
        default:
            throw error("unknown setting `\(key)`; the settings are \(Self.keys.joined(separator: ", "))", atKeyOf: value)
        }
    }

    // MARK: - Files

    private func fileSetting(_ node: JSONNode) throws -> FileSetting {
        var template: SettingText?
        var subject: FileSetting.Subject?
        var path: SettingText?
        for (key, value) in try members(of: node, "a file") {
            switch key {
            case "template": template = try text(value, "the name of a template")
            case "each":
                let word = try text(value, "what there is a file for").text
                subject = FileSetting.Subject(rawValue: word)
                if subject == nil { throw error("`each` is `type`, `codes` or `release`, not `\(word)`", at: value) }
            case "path": path = try text(value, "a path")
            default: throw error("unknown key `\(key)` of a file; the keys are template, each, path", atKeyOf: value)
            }
        }
        guard let template, let subject, let path else { throw error("a file needs `template`, `each` and `path`", at: node) }
        return FileSetting(template: template, subject: subject, path: path)
    }

    // MARK: - Collections

    /// The members of an object in the order of the file.
    func members(of node: JSONNode, _ what: String) throws -> [(key: String, value: JSONNode)] {
        guard case .object(let members) = node.content else { throw error("\(what) should be an object, `{…}`", at: node) }
        return members.sorted { $0.value.keyOffset < $1.value.keyOffset }.map { (key: $0.key, value: $0.value) }
    }

    func map(_ node: JSONNode, _ read: (JSONNode) throws -> SettingText) throws -> [String: SettingText] {
        var result: [String: SettingText] = [:]
        for (key, value) in try members(of: node, "this") {
            guard Identifier.isWord(key) else { throw error("`\(key)` is not a name or URL of FHIR's", atKeyOf: value) }
            result[key] = try read(value)
        }
        return result
    }

    func list(_ node: JSONNode) throws -> [JSONNode] {
        guard case .array(let items) = node.content else { throw error("this should be a list, `[…]`", at: node) }
        return items
    }

    func places(_ node: JSONNode) throws -> [String: SourceLocation] {
        var result: [String: SourceLocation] = [:]
        for item in try list(node) {
            let text = try text(item, "a name or URL of FHIR's")
            guard result.updateValue(text.location, forKey: text.text) == nil else { throw error("`\(text.text)` occurs twice", at: item) }
        }
        return result
    }

    // MARK: - Texts and conditions

    private func condition(_ node: JSONNode) throws -> Bool {
        guard let condition = node.bool else { throw error("this should be `true` or `false`", at: node) }
        return condition
    }

    func text(_ node: JSONNode, _ what: String) throws -> SettingText {
        guard let text = node.string, Identifier.isLine(text) else { throw error("this should be \(what) in quotes", at: node) }
        return SettingText(text: text, location: file.location(of: node.offset))
    }

    func path(_ node: JSONNode) throws -> SettingText {
        var path = try text(node, "a path")
        if !path.text.hasPrefix("/"), !folder.isEmpty { path.text = folder + "/" + path.text }
        return path
    }

    func name(_ node: JSONNode, _ what: String) throws -> SettingText {
        let name = try text(node, what)
        guard Identifier.isTypeName(name.text) else { throw error("`\(name.text)` is not \(what)", at: node) }
        return name
    }

    private func kind(_ node: JSONNode) throws -> SettingText {
        let kind = try text(node, "`datatype` or `resource`")
        guard ["datatype", "resource"].contains(kind.text) else {
            throw error("a logical model is a `datatype` or a `resource`, not a `\(kind.text)`", at: node)
        }
        return kind
    }

    func swiftName(_ node: JSONNode) throws -> SettingText {
        let name = try text(node, "a Swift name")
        guard Identifier.isSwiftName(name.text) else { throw error("`\(name.text)` is not a Swift name of ASCII letters", at: node) }
        return name
    }

    func typeName(_ node: JSONNode) throws -> SettingText {
        let name = try swiftName(node)
        guard !ReservedWords.keywords.contains(name.text) else { throw error("`\(name.text)` is a keyword of Swift's", at: node) }
        return name
    }

    // MARK: - Errors

    func location(of node: JSONNode) -> SourceLocation { file.location(of: node.offset) }

    func error(_ message: String, at node: JSONNode) -> GeneratorError {
        GeneratorError(message, at: file.location(of: node.offset))
    }

    func error(_ message: String, atKeyOf node: JSONNode) -> GeneratorError {
        GeneratorError(message, at: file.location(of: node.keyOffset))
    }
}
