import FireLiteSync

/// One of the commands that synchronize a database with a server, which differ in their direction.
protocol SyncingCommand: Command {
    static var name: String { get }
    static var summary: String { get }
    static var direction: SyncDirection { get }
    var work: SyncWork { get }

    init(work: SyncWork)
}

extension SyncingCommand {
    static var definition: CommandDefinition {
        CommandDefinition(
            name: name, summary: summary, options: SyncWork.options(direction), operands: "", operandCount: 0...0,
            jsonKeys: SyncWork.jsonKeys(direction),
            discussion: """
                \(SyncWork.discussion(direction))

                \(CredentialsFile.discussion)

                Example: firelite \(name) --database health.sqlite --server https://fhir.example.org/r4 --credentials server.json
                """)
    }

    init(_ arguments: ParsedArguments) throws { self.init(work: try SyncWork(arguments, Self.direction)) }

    func run(_ console: Console) throws -> ExitStatus { try work.run(console) }
}

/// `firelite sync`: pull what a FHIR server has changed, and push what was changed here.
struct SyncCommand: SyncingCommand {
    static let name = "sync"
    static let summary = "pull what a FHIR server has changed, and push what was changed here"
    static let direction = SyncDirection.both
    let work: SyncWork
}

/// `firelite pull`: take over what a FHIR server has changed.
struct PullCommand: SyncingCommand {
    static let name = "pull"
    static let summary = "take over what a FHIR server has changed"
    static let direction = SyncDirection.pull
    let work: SyncWork
}

/// `firelite push`: send what was changed here to a FHIR server.
struct PushCommand: SyncingCommand {
    static let name = "push"
    static let summary = "send what was changed here to a FHIR server"
    static let direction = SyncDirection.push
    let work: SyncWork
}
