import FireLite

/// `firelite vacuum`: rewrites the database without free pages.
struct VacuumCommand: Command {
    static let definition = CommandDefinition(
        name: "vacuum", summary: "rewrite the database without free pages",
        options: DatabaseArgument.options,
        operands: "", operandCount: 0...0,
        discussion: """
            Temporarily needs disk space for two more copies. Also updates the statistics that SQLite plans queries with.

            Example: firelite vacuum --database health.sqlite
            """)

    private let database: DatabaseArgument

    init(_ arguments: ParsedArguments) throws { database = try DatabaseArgument(arguments) }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        try database.located {
            let before = try store.statistics().fileBytes
            try store.vacuum()
            try store.optimize()
            try store.checkpoint(.truncate)
            let after = try store.statistics().fileBytes
            try console.print("before \(Figures.bytes(before)), after \(Figures.bytes(after))")
        }
        return .done
    }
}
