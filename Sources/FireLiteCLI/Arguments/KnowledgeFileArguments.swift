/// The file of packages and code systems that a command adds to, lists or removes from.
struct KnowledgeFileArguments {
    /// What the command does with the file.
    enum Action {
        case add([String])
        case list
        case remove([String])
    }

    static let options: [OptionDefinition] = makeOptions(json: ["list"])

    /// - Parameters:
    ///   - words: the actions that `--json` may go with.
    ///   - isRequired: whether the file must be named.
    static func makeOptions(json words: [String], isRequired: Bool = true) -> [OptionDefinition] {
        [
            .option("knowledge", "FILE", kind: .output(.database), isRequired: isRequired, "the SQLite file; made if there is none"),
            .flag("json", "with \(words.joined(separator: " or ")): print one JSON object instead of text").only(words),
        ]
    }

    static let operandKinds: [ValueKind] = [.choice(["add", "list", "remove"]), .file]

    let path: String
    let action: Action
    let isJSON: Bool

    /// - Parameter entry: what add and remove need, for the message: `a package`.
    /// - Throws: `ToolError` with status 2.
    init(_ arguments: ParsedArguments, entry: String) throws {
        path = arguments["knowledge"] ?? ""
        isJSON = arguments.has("json")
        let names = Array(arguments.operands.dropFirst())
        switch arguments.operands.first {
        case "add": action = .add(names)
        case "list":
            if let other = names.first { throw ToolError.usage("unexpected argument '\(other)'") }
            action = .list
        case "remove": action = .remove(names)
        default: throw ToolError.usage("'\(arguments.operands.first ?? "")' is not add, list or remove")
        }
        if case .list = action { return }
        if names.isEmpty { throw ToolError.usage("\(arguments.operands[0]) needs \(entry)") }
    }

    /// The name and the version of `NAME#VERSION`, with this separator; without one, the version is nil.
    static func nameAndVersion(_ text: String, separator: Character) -> (name: String, version: String?) {
        let parts = text.split(separator: separator, maxSplits: 1).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
    }
}
