/// `firelite push`: send what was changed here to a FHIR server.
struct PushCommand: Command {
    static let definition = CommandDefinition(
        name: "push", summary: "send what was changed here to a FHIR server",
        options: SyncWork.options, operands: "", operandCount: 0...0, jsonKeys: SyncWork.jsonKeys,
        discussion: """
            \(SyncWork.discussion)

            \(CredentialsFile.discussion)

            Example: firelite push --database health.sqlite --server https://fhir.example.org/r4 --credentials server.json
            """)

    private let work: SyncWork

    init(_ arguments: ParsedArguments) throws { work = try SyncWork(arguments, .push) }

    func run(_ console: Console) throws -> ExitStatus { try work.run(console) }
}
