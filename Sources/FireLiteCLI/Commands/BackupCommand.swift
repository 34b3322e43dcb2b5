import FireLite

/// `firelite backup`: a copy of the database, made while others use it.
struct BackupCommand: Command {
    static let definition = CommandDefinition(
        name: "backup", summary: "copy the database into a new file while others use it",
        options: DatabaseArgument.options + [.flag("replace", "replace the file if it is there; it must not be in use")],
        operands: "FILE", operandCount: 1...1,
        discussion: """
            The copy is the database as it was when the copy began. FILE appears when it is complete and on the disk, and
            only its owner may read it. A file that is there is left as it is, unless --replace is given.

            Example: firelite backup --database health.sqlite health-monday.sqlite
            """)

    private let database: DatabaseArgument
    private let target: String
    private let replaces: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        target = arguments.operands[0]
        replaces = arguments.has("replace")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        try database.located { try store.backup(to: target, replacing: replaces) }
        try console.print("copied to \(target)")
        return .done
    }
}
