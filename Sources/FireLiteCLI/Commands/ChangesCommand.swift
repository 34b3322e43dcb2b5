import FireLite

/// `firelite changes`: prints the log of changes.
struct ChangesCommand: Command {
    static let definition = CommandDefinition(
        name: "changes", summary: "print the log of changes",
        options: DatabaseArgument.options + [
            .option("since", "N", "only entries after this number (default: all that the log has)"),
            .option("after", "NUMBER", "only rows after the one with this number"),
            .flag("each", "print each change, instead of one for each resource"),
            .flag("paths", "print the paths of changed elements"),
            .flag("values", "print their values before and after, too"),
        ],
        operands: "", operandCount: 0...0, operandKinds: [.database], ownOperand: OwnOperand.none,
        jsonKeys: [
            JSONKey(
                "changes",
                "a list: number, kind, type, id, pk, time; with --paths elements: path, with --values old, new"),
            JSONKey("newest", "the number of the newest entry"),
        ],
        list: ListDefinition(key: "changes", rowKeys: ["number"]),
        discussion: """
            The changes of a resource become one, with the number of the last of them; a resource that is as before, or
            was added and deleted, is left out. Rows are in the order of their numbers, so --after with the number of the last
            row of a page gives the next one; a resource that has changed since comes again. The log must be on: see `firelite
            track`. If it no longer has the entries after N, the exit status is 1. Without --values no value of a record is
            printed but ids.

            Examples: firelite track --database health.sqlite on changes
                      firelite changes --database health.sqlite
                      firelite changes --database health.sqlite --since 1 --each --paths
                      firelite changes --database health.sqlite --values --json
            """)

    private let database: DatabaseArgument
    private let since: Int?
    private let after: Int?
    private let isEach: Bool
    private let hasPaths: Bool
    private let hasValues: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        since = try arguments.number("since", in: 0...Int.max)
        after = try arguments.number("after", in: 0...Int.max)
        isEach = arguments.has("each")
        hasValues = arguments.has("values")
        hasPaths = hasValues || arguments.has("paths")
        listing = try Listing(arguments, Self.definition)
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let (changes, newest) = try read(store)
        var report = Report()
        report.addTable("changes", columns, try changes.map { try row($0) })
        report.addMember("newest", .number(Int(newest)))
        try console.print(report, listing)
        return .done
    }

    private func read(_ store: FHIRStore) throws -> (changes: [LoggedChange], newest: Int64) {
        do {
            if try store.tracked(.changes).isEmpty {
                throw ToolError.incomplete(
                    "\(database.path) has no log of changes: switch it on with `firelite track --database FILE on changes`")
            }
            return try store.read { transaction in
                let start = try since.map { Int64($0) } ?? transaction.changeLogStart()
                let newest = try transaction.newestChange()
                guard let after = after.map({ Int64($0) }) else {
                    let changes = try transaction.changes(since: start, limit: isEach ? listing.most : nil, squashed: !isEach)
                    return (changes.sorted { $0.sequence < $1.sequence }, newest)
                }
                // Throws if the log no longer has what comes after that row.
                let place = since == nil ? after : max(start, after)
                let following = try transaction.changes(since: place, limit: isEach ? listing.most : 1, squashed: !isEach)
                if isEach { return (Array(following), newest) }
                // A row has all changes of its resource, also those that are before the last row of the page before.
                let changes = try transaction.changes(since: start)
                return (changes.filter { $0.sequence > after }.sorted { $0.sequence < $1.sequence }, newest)
            }
        } catch let error as FHIRStoreError where error.code == .resyncRequired {
            throw ToolError.incomplete(database.message(of: error))
        } catch let error as FHIRStoreError {
            throw ToolError.failed(database.message(of: error))
        }
    }

    private var columns: [Report.Column] {
        [
            .init(key: "number", alignment: .right), .init(key: "kind"), .init(key: "type"), .init(key: "id"),
            .init(key: "pk", isShown: false), .init(key: "time"),
        ] + (hasPaths ? [.init(key: "elements")] : [])
    }

    private func row(_ change: LoggedChange) throws -> [FigureValue] {
        let figures: [FigureValue] = [
            .number(Int(change.sequence)), .text(change.kind.rawValue), .text(change.typeName), FigureValue(change.resourceID),
            .text(change.pk), .time(change.date),
        ]
        return hasPaths ? figures + [Self.elements(try change.differences(), hasValues: hasValues)] : figures
    }

    /// The elements that differ: paths in text, objects in JSON.
    static func elements(_ differences: [ElementDifference], hasValues: Bool) -> FigureValue {
        let texts = differences.map { hasValues ? "\($0.path): \($0.old ?? "–") → \($0.new ?? "–")" : $0.path }
        let objects = differences.map { difference in
            var members = [("path", JSONText.string(difference.path))]
            if hasValues { members += [("old", difference.old ?? "null"), ("new", difference.new ?? "null")] }
            return JSONText.object(members)
        }
        return .shown(texts.joined(separator: ", "), .json(JSONText.array(objects)))
    }
}
