import FireLite
import FireLiteTerminal
import Foundation

/// `firelite reseal`: writes the checksums of all pages again.
struct ResealCommand: Command {
    static let definition = CommandDefinition(
        name: "reseal", summary: "accept a database that another program wrote to",
        options: [
            DatabaseArgument.database,
            DatabaseArgument.release,
        ],
        operands: "", operandCount: 0...0,
        jsonKeys: [JSONKey("pages", "the number of pages"), JSONKey("resources", "the number of verified resources")],
        discussion: """
            Programs that replicate a database write small tables of their own to it. They do not update the checksums that
            FireLite keeps in every page, so the pages they wrote are refused. This command verifies the file and every
            resource in it, as check does, and then writes the checksums again, in one transaction. A damaged file is left
            unchanged. The database must not be open anywhere. Temporarily needs disk space for two more copies.

            Example: firelite reseal --database restored.sqlite
            """)

    private let database: DatabaseArgument
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let result = try database.located { try FHIRStore.reseal(URL(fileURLWithPath: database.path), release: database.release) }
        var report = Report()
        report.addNote("resealed \(Figures.count(result.pages, "page")), verified \(Figures.count(result.resources, "resource"))")
        report.addMember("pages", .number(result.pages))
        report.addMember("resources", .number(result.resources))
        try console.print(report, asJSON: isJSON)
        return .done
    }
}
