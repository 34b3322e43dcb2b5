import FireLite
import Foundation

/// `firelite prune`: deletes old versions of resources.
struct PruneCommand: Command {
    static let definition = CommandDefinition(
        name: "prune", summary: "delete old versions of resources from the history",
        options: DatabaseArgument.options + [
            .option("before", "TIME", "only versions that were replaced or deleted before then, such as 2026-05-01 (default: any)"),
            .option("keep", "N", "keep the last N old versions of each resource (default: 0)"),
        ],
        operands: "", operandCount: 0...0,
        jsonKeys: [
            JSONKey("pruned", "the number of deleted entries"),
            JSONKey("needed", "the number of entries that stay because the log of changes needs them"),
        ],
        discussion: """
            Give --before, --keep or both; then a version is deleted only if both allow it. Current versions stay, and so does
            what readers of the log of changes still need. The history goes on: see `firelite track`. Exit status: 1 nothing
            was deleted, as the log of changes needs all of it.

            Examples: firelite track --database health.sqlite on history
                      firelite prune --database health.sqlite --keep 20
                      firelite prune --database health.sqlite --before 2016-05-01 --keep 1
            """)

    private let database: DatabaseArgument
    private let date: Date?
    private let count: Int?
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        date = try arguments["before"].map { try HistoryCommand.date($0, option: "before") }
        count = try arguments.number("keep", in: 0...Int.max)
        if date == nil, count == nil { throw ToolError.usage("give --before, --keep or both: --keep 0 deletes all old versions") }
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let (date, count) = (date, count ?? 0)
        let (pruned, needed) = try database.located {
            try store.write { tx in
                let pruned = try tx.pruneHistory(replacedBefore: date, keeping: count)
                return (pruned, try tx.historyNeededByLog(replacedBefore: date, keeping: count))
            }
        }
        var report = Report()
        report.addLine([.init("pruned", .number(pruned))])
        report.addMember("needed", .number(needed.entries))
        try console.print(report, asJSON: isJSON)
        guard needed.entries > 0 else { return .done }
        let reason =
            needed.reader.map { "its reader '\($0.name)' has acknowledged the entries up to \($0.sequence)" }
            ?? "it has no reader; `firelite track --database FILE off changes` ends it"
        let (entries, them) = needed.entries == 1 ? ("1 old entry stays", "it") : ("\(needed.entries) old entries stay", "them")
        console.report("firelite prune: \(entries): the log of changes needs \(them); \(reason)")
        return pruned == 0 ? .incomplete : .done
    }
}
