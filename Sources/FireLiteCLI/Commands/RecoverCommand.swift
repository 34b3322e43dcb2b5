import FireLite

/// `firelite recover`: writes the readable part of a damaged database to a new one.
struct RecoverCommand: Command {
    static let definition = CommandDefinition(
        name: "recover", summary: "write the readable part of a damaged database to a new one",
        options: [
            DatabaseArgument.release, KeyFile.option,
            .flag("ids", "name resources by their logical ids, which may identify people"),
        ],
        operands: "DAMAGED NEW", operandCount: 2...2,
        discussion: """
            DAMAGED is only read. A resource is written to NEW if all of it can be read and matches what was stored.
            Others are skipped and listed, a line for each with its type, its number in the store and the unreadable
            tables, followed by what else cannot be read. Exit status: 0 everything was recovered; 1 NEW was written and
            something is listed; 3 nothing was written. NEW gets the key of DAMAGED.

            Example: firelite recover health.sqlite recovered.sqlite
            """)

    private let database: DatabaseArgument
    private let target: String
    private let showsIDs: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments, path: arguments.operands[0])
        target = arguments.operands[1]
        showsIDs = arguments.has("ids")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let key = try database.key()
        let report = try database.located {
            try FHIRStore.recover(from: database.path, to: target, release: database.release, key: key)
        }
        for resource in report.lost { try console.printItem("lost \(name(resource)): \(resource.reason)") }
        for resource in report.unverified { try console.printItem("not verified \(name(resource)): \(resource.reason)") }
        for line in report.unreadable { try console.printItem(line) }
        try console.print("recovered \(report.recovered), lost \(report.lost.count), not verified \(report.unverified.count)")
        if report.isComplete { return .done }
        throw ToolError.incomplete("not all of \(database.path) could be recovered")
    }

    private func name(_ resource: RecoveryReport.Resource) -> String {
        let type = resource.typeName ?? "a resource"
        if showsIDs, let id = resource.id { return "\(type)/\(id)" }
        return "\(type) number \(resource.number)"
    }
}
