import FireLite

/// `firelite rekey`: changes the key of an encrypted database.
struct RekeyCommand: Command {
    static let definition = CommandDefinition(
        name: "rekey", summary: "change the key of an encrypted database",
        options: DatabaseArgument.options + [
            .option("new-key-file", "FILE", kind: .file, isRequired: true, "the file with the new key")
        ],
        operands: "", operandCount: 0...0,
        discussion: """
            The database must not be in use. Until the command has finished, the file may have either key: keep both.
            \(KeyFile.discussion)
            To encrypt a plain database, see `firelite backup --help`.

            Example: firelite rekey --database health.sqlite --key-file old.key --new-key-file new.key
            """)

    private let database: DatabaseArgument
    private let newKeyPath: String

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        newKeyPath = arguments["new-key-file"] ?? ""
    }

    func run(_ console: Console) throws -> ExitStatus {
        let key = try KeyFile.key(path: newKeyPath)
        let store = try database.open()
        try database.located { try store.rekey(to: key) }
        try console.print("\(database.path) has the new key")
        return .done
    }
}
