/// `firelite sync`: pull what a FHIR server has changed, and push what was changed here.
struct SyncCommand: Command {
    static let definition = CommandDefinition(
        name: "sync", summary: "pull what a FHIR server has changed, and push what was changed here",
        options: SyncWork.options, operands: "", operandCount: 0...0, jsonKeys: SyncWork.jsonKeys,
        discussion: """
            \(SyncWork.discussion)

            \(CredentialsFile.discussion)

            Example: firelite sync --database health.sqlite --server https://fhir.example.org/r4 --credentials server.json
            """)

    private let work: SyncWork

    init(_ arguments: ParsedArguments) throws { work = try SyncWork(arguments, .both) }

    func run(_ console: Console) throws -> ExitStatus { try work.run(console) }
}
