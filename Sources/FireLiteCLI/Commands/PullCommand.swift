/// `firelite pull`: take over what a FHIR server has changed.
struct PullCommand: Command {
    static let definition = CommandDefinition(
        name: "pull", summary: "take over what a FHIR server has changed",
        options: SyncWork.options, operands: "", operandCount: 0...0, jsonKeys: SyncWork.jsonKeys,
        discussion: """
            \(SyncWork.discussion)

            \(CredentialsFile.discussion)

            Example: firelite pull --database health.sqlite --server https://fhir.example.org/r4 --credentials server.json
            """)

    private let work: SyncWork

    init(_ arguments: ParsedArguments) throws { work = try SyncWork(arguments, .pull) }

    func run(_ console: Console) throws -> ExitStatus { try work.run(console) }
}
