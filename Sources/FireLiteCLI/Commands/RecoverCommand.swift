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
            JSONKey("faults", "a list: what `firelite check` finds in NEW: kind, table, type, number, text; null if unknown"),
            JSONKey("complete", "whether everything was recovered and verified, and NEW has no faults"),
        ],
        list: ListDefinition(key: "lost"),
        discussion: """
            DAMAGED is only read. A resource is written to NEW if all of it can be read and matches what was stored.
            Others are skipped and listed, a line for each with its type, its number in the store and the unreadable
            tables, followed by what else cannot be read, and by what was copied from pages that do not match their
            checksums. Then NEW is checked as `firelite check` does it, and its faults are listed, too. Whether payloads of
            attachments match their hashes says `firelite blobs verify`. The exit status is 0 if everything was recovered,
            1 if NEW was written but something is listed, 3 if nothing was written. NEW gets the key of DAMAGED.

            --format csv and ndjson print the lists as one, whose column list is lost, notVerified, lackingPayloads,
            unreadable or faults.

            Example: firelite recover health.sqlite recovered.sqlite
            """)

    private let arguments: ParsedArguments
    private let database: DatabaseArgument
    private let target: OutputPath?
    private let showsIDs: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        self.arguments = arguments
        var status = stat()
        if stat(arguments.operands[0], &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw ToolError.failed("\(arguments.operands[0]) is a folder: name the file of the damaged database")
        }
        do {
            database = try DatabaseArgument(arguments, path: arguments.operands[0])
        } catch let error as ToolError where error.status == .usage && arguments["release"] == nil {
            throw ToolError.failed("\(error.message), or if the file is damaged there, the release that it had, such as R4")
        }
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
        let faults = try faults(of: target, listed: result)
        var report = Report()
        report.addMember("recovered", .number(result.recovered))
        report.addItems("lost", result.lost.map { item("lost", $0) })
        report.addItems("notVerified", result.unverified.map { item("not verified", $0) })
        report.addItems("lackingPayloads", result.lackingPayloads.map { item("without its payload:", $0) })
        report.addTexts("unreadable", result.unreadable)
        report.addItems("faults", keys: CheckCommand.keys, faults.map { ("\(target): \($0.text)", CheckCommand.item($0).figures) })
        report.addMember("complete", .flag(result.isComplete && faults.isEmpty))
        report.addNote("recovered \(result.recovered), lost \(result.lost.count), not verified \(result.unverified.count)")
        let resources = [("lost", result.lost), ("notVerified", result.unverified), ("lackingPayloads", result.lackingPayloads)]
        let rows = resources.flatMap { list, resources in
            resources.map { [FigureValue.text(list)] + figures($0).map(\.value) }
        }
        report.addLines(
            "rows", ["list", "type", "number", "id", "reason"],
            rows + result.unreadable.map { [.text("unreadable"), .none, .none, .none, .text($0)] }
                + faults.map { fault in
                    let number = fault.number.map { FigureValue.number(Int($0)) } ?? .none
                    return [.text("faults"), FigureValue(fault.typeName), number, .none, .text(fault.text)]
                })
        try console.print(report, listing.of("rows"))
        guard result.isComplete else { throw ToolError.incomplete("not all of \(database.path) could be recovered") }
        guard faults.isEmpty else {
            throw ToolError.incomplete("\(target) is not sound: \(faults.count) fault\(faults.count == 1 ? "" : "s")")
        }
        return .done
    }

    /// The faults of the new database, with those of what modules keep. Payloads that are missing are listed as such already.
    private func faults(of target: String, listed result: RecoveryReport) throws -> [StoreFinding] {
        let lacking = Set(result.lackingPayloads.map(\.number))
        return try CheckCommand.faults(of: DatabaseArgument(arguments, at: target, release: database.release)).filter { fault in
            fault.kind != .payload || fault.number.map { !lacking.contains($0) } ?? true
        }
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
