import FireLite

/// `firelite vacuum`: rewrites the database without free pages.
struct VacuumCommand: Command {
    static let definition = CommandDefinition(
        name: "vacuum", summary: "rewrite the database without free pages",
        options: DatabaseArgument.options,
        operands: "", operandCount: 0...0,
        jsonKeys: [JSONKey("bytesBefore", "the size of the file before"), JSONKey("bytesAfter", "and after")],
        discussion: """
            Temporarily needs disk space for two more copies. Also updates the statistics that SQLite plans queries with.

            Example: firelite vacuum --database health.sqlite
            """)

    private let database: DatabaseArgument
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        try database.located {
            let before = try store.statistics().fileBytes
            try store.vacuum()
            try store.optimize()
            try store.checkpoint(.truncate)
            let after = try store.statistics().fileBytes
            var report = Report()
            report.addLine([
                .init("bytesBefore", .bytes(before), label: "before"), .init("bytesAfter", .bytes(after), label: "after"),
            ])
            try console.print(report, asJSON: isJSON)
        }
        return .done
    }
}
