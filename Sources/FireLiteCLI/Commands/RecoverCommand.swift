import FireLite
import Foundation

/// `firelite recover`: writes the readable part of a damaged database to a new one.
struct RecoverCommand: Command {
    static let definition = CommandDefinition(
        name: "recover", summary: "write the readable part of a damaged database to a new one",
        options: [
            DatabaseArgument.release, KeyFile.option,
            .flag("ids", "name resources by their logical ids, which may identify people"),
        ],
        operands: "DAMAGED NEW", operandCount: 2...2, operandKinds: [.database, .output(.copy)],
        jsonKeys: [
            JSONKey("recovered", "the number of resources in NEW"),
            JSONKey("lost", "a list of skipped resources: type (null if unknown), number, id (null without --ids), reason"),
            JSONKey("notVerified", "a list of resources in NEW that may have lost parts: type, number, id, reason"),
            JSONKey("lackingPayloads", "a list of resources in NEW whose payloads are missing: type, number, id, reason"),
            JSONKey("unreadable", "a list: what else cannot be read"),
            JSONKey("complete", "whether everything was recovered and verified"),
        ],
        list: ListDefinition(key: "lost"),
        discussion: """
            DAMAGED is only read. A resource is written to NEW if all of it can be read and matches what was stored.
            Others are skipped and listed, a line for each with its type, its number in the store and the unreadable
            tables, followed by what else cannot be read, and by what was copied from pages that do not match their
            checksums. Whether payloads of attachments match their hashes says `firelite blobs verify`. The exit status is
            0 if everything was recovered, 1 if NEW was written but something is listed, 3 if nothing was written. NEW
            gets the key of DAMAGED.

            --format csv and ndjson print the lists as one, whose column list is lost, notVerified, lackingPayloads or unreadable.

            Example: firelite recover health.sqlite recovered.sqlite
            """)

    private let database: DatabaseArgument
    private let target: OutputPath?
    private let showsIDs: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments, path: arguments.operands[0])
        target = arguments.output("NEW")
        try target?.requireNew()
        showsIDs = arguments.has("ids")
        listing = try Listing(arguments, Self.definition)
    }

    func run(_ console: Console) throws -> ExitStatus {
        let target = target?.path ?? ""
        let key = try database.key()
        let result = try database.located(writing: target) {
            try FHIRStore.recover(
                from: URL(fileURLWithPath: database.path), to: URL(fileURLWithPath: target), release: database.release, key: key)
        }
        var report = Report()
        report.addMember("recovered", .number(result.recovered))
        report.addItems("lost", result.lost.map { item("lost", $0) })
        report.addItems("notVerified", result.unverified.map { item("not verified", $0) })
        report.addItems("lackingPayloads", result.lackingPayloads.map { item("without its payload:", $0) })
        report.addTexts("unreadable", result.unreadable)
        report.addMember("complete", .flag(result.isComplete))
        report.addNote("recovered \(result.recovered), lost \(result.lost.count), not verified \(result.unverified.count)")
        let resources = [("lost", result.lost), ("notVerified", result.unverified), ("lackingPayloads", result.lackingPayloads)]
        let rows = resources.flatMap { list, resources in
            resources.map { [FigureValue.text(list)] + figures($0).map(\.value) }
        }
        report.addLines(
            "rows", ["list", "type", "number", "id", "reason"],
            rows + result.unreadable.map { [.text("unreadable"), .none, .none, .none, .text($0)] })
        try console.print(report, listing.of("rows"))
        if result.isComplete { return .done }
        throw ToolError.incomplete("not all of \(database.path) could be recovered")
    }

    private func item(_ what: String, _ resource: RecoveryReport.Resource) -> (line: String, figures: [Report.Figure]) {
        ("\(what) \(name(resource)): \(resource.reason)", figures(resource))
    }

    private func figures(_ resource: RecoveryReport.Resource) -> [Report.Figure] {
        [
            .init("type", FigureValue(resource.typeName)), .init("number", .number(Int(resource.number))),
            .init("id", FigureValue(showsIDs ? resource.id : nil)), .init("reason", .text(resource.reason)),
        ]
    }

    private func name(_ resource: RecoveryReport.Resource) -> String {
        let type = resource.typeName ?? "a resource"
        if showsIDs, let id = resource.id { return "\(type)/\(id)" }
        return "\(type) number \(resource.number)"
    }
}
