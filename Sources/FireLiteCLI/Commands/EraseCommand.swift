import FireLite
import FireLiteErasure
import FireLiteTerminal

/// `firelite erase`: erases a person from the file.
struct EraseCommand: Command {
    static let definition = CommandDefinition(
        name: "erase", summary: "erase a person: all that the file has of a patient, overwritten",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .flag("dry-run", "print what would be erased, and change nothing"),
            .flag("shared", "erase resources that belong to other persons, too"),
        ],
        operands: "Type/id", operandCount: 1...1, operandKinds: [.resource], ownOperand: .resource,
        jsonKeys: [
            JSONKey("erased", "a list: name (a resource type or a table), count"),
            JSONKey("changes", "the number of entries of the log of changes and of old versions"),
            JSONKey("payloads", "the number of payloads; 0 with --dry-run"),
            JSONKey("left", "a list: kind (shared, reference, named, server, audit, unknown or other), what"),
            JSONKey("completed", "a list: the persons whose earlier erasures were interrupted and are completed by this one"),
            JSONKey("dryRun", "whether nothing was changed"),
        ],
        list: ListDefinition(key: "erased"),
        discussion: """
            Erases the resource and all that is in its compartment, with their earlier versions, the entries of the log of
            changes, the words in full-text indexes, payloads, records and app data that name them, samples, requests in the
            outbox and journals of a sync. The file is rewritten then, so that no deleted bytes stay in it or in its log; nobody
            else may use it meanwhile. An audit trail keeps its rows, which have no content.

            left lists what the file knows of copies elsewhere, what belongs to others too and is kept without --shared, and what
            still refers to the person. Backups, exports and what a file system or an SSD keeps of overwritten blocks are not
            reached. --format csv and ndjson print both lists as one, whose column list is erased or left.

            If the file is in use, everything is deleted, but the file is not overwritten (exit status 3). The next erase completes
            this and prints what was erased and is left, also after a process that ended.

            Examples: firelite erase --database health.sqlite Patient/123 --dry-run
                      firelite erase --database health.sqlite Patient/123
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey
    private let isDryRun: Bool
    private let erasesShared: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        key = try ResourceKey(arguments.operands[0], in: database)
        isDryRun = arguments.has("dry-run")
        erasesShared = arguments.has("shared")
        listing = try Listing(arguments, Self.definition)
    }

    func run(_ console: Console) throws -> ExitStatus {
        var options = ErasureOptions()
        options.erasesShared = erasesShared
        let result: ErasureReport
        do {
            result = try database.located {
                try isDryRun
                    ? database.openForReading().erasurePlan(person: key.type, id: key.id, options: options)
                    : database.open().erase(person: key.type, id: key.id, options: options)
            }
        } catch let error as ErasureError {
            switch error.code {
            case .notFound: throw ToolError.incomplete("\(key) is not in \(database.path), nor in what it keeps of earlier states")
            case .notSupported: throw ToolError.usage(error)
            default: throw ToolError.failed(error)
            }
        }
        var report = Report()
        report.addNote(headline(result))
        if !result.isCompletion, !result.completed.isEmpty {
            report.addNote("completed the erasure of \(result.completed.joined(separator: ", ")), and lists what that left")
        }
        report.addTable(
            "erased", [.init(key: "name", label: "type or table"), .init(key: "count", alignment: .right)],
            (result.resources + result.rows).map { [.text($0.name), .count($0.count)] },
            footer: [("versions and log", result.changes), ("payloads", result.payloads)].filter { $0.1 > 0 }
                .map { [$0.0, Figures.count($0.1)] })
        report.addTable(
            "left", [.init(key: "kind", label: "left"), .init(key: "what")],
            result.left.map { [.text($0.kind.rawValue), .text($0.what)] }, isShown: !result.left.isEmpty)
        if !isDryRun { report.addNote("backups and exports are not reached: delete those that have \(key)") }
        report.addLines(
            "rows", ["list", "kind", "name", "count"],
            (result.resources + result.rows).map { [.text("erased"), .none, .text($0.name), .count($0.count)] }
                + result.left.map { [.text("left"), .text($0.kind.rawValue), .text($0.what), .none] })
        report.addMember("changes", .number(result.changes))
        report.addMember("payloads", .number(result.payloads))
        report.addMember("completed", .texts(result.completed))
        report.addMember("dryRun", .flag(isDryRun))
        try console.print(report, listing.of("rows"))
        return .done
    }

    private func headline(_ result: ErasureReport) -> String {
        guard result.isCompletion else {
            return "\(isDryRun ? "would erase" : "erased") \(Figures.count(result.resourceCount, "resource")) of \(key)"
        }
        // An earlier call has deleted everything, and could not overwrite the file.
        let person = key.description
        return result.completed.isEmpty || result.completed.contains(person)
            ? "\(person) was deleted before; the file is overwritten now"
            : "\(result.completed.joined(separator: ", ")) was deleted before; the file is overwritten now. \(person) is not in it"
    }
}
