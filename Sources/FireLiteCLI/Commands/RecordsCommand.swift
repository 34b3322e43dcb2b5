import FireLite
import FireLiteRecords
import FireLiteTerminal

/// `firelite records`: lists records with their metadata, purges and reconciles them.
struct RecordsCommand: Command {
    static let definition = CommandDefinition(
        name: "records", summary: "list resources with annotations, times and status; purge deleted ones",
        options: DatabaseArgument.options + [
            .option("annotated", "TEXT,…", "with list: only records with all of these annotations"),
            .option(
                "status", "STATUS,…", kind: .choice(RecordStatus.allCases.map(\.rawValue)),
                "with list: only active, pending or deleted records (default: active,pending)"),
            .option("limit", "N", "with list: print at most N records"),
        ],
        operands: "list|purge|reconcile Type…", operandCount: CommandDefinition.anyNumber,
        operandKinds: [.choice(Action.allCases.map(\.rawValue)), .resourceType],
        jsonKeys: [
            JSONKey("records", "a list: type, id, status, created, updated, deleted, annotations (a list), sealed"),
            JSONKey("changed", "with purge and reconcile: the number of records"),
        ],
        discussion: """
            list prints the records of the types. purge deletes what is left of deleted records. reconcile notes what was
            written without records, as by `firelite import`: new resources, changed and deleted ones.

            Examples: firelite records --database health.sqlite list Patient --annotated fitness
                      firelite records --database health.sqlite reconcile
                      firelite records --database health.sqlite purge
            """)

    private enum Action: String, CaseIterable {
        case list, purge, reconcile
    }

    private let database: DatabaseArgument
    private let action: Action
    private let types: [String]
    private let annotations: [String]
    private let statuses: Set<RecordStatus>
    private let limit: Int?
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        let verb = arguments.operands[0]
        guard let action = Action(rawValue: verb) else { throw ToolError.usage("'\(verb)' is not list, purge or reconcile") }
        self.action = action
        types = Array(arguments.operands.dropFirst())
        for type in types { _ = try database.resourceLayout(named: type) }
        if action == .list, types.isEmpty { throw ToolError.usage("list needs a Type") }
        if action != .list, let type = types.first { throw ToolError.usage("unexpected argument '\(type)'") }
        annotations = arguments["annotated"]?.split(separator: ",").map(String.init) ?? []
        statuses = try Self.statuses(arguments["status"])
        limit = try arguments.number("limit", in: 0...Int.max)
        for name in ["annotated", "status", "limit"] where arguments.has(name) && action != .list {
            throw ToolError.usage("--\(name) needs list")
        }
        isJSON = arguments.has("json")
    }

    private static func statuses(_ list: String?) throws -> Set<RecordStatus> {
        guard let list else { return [.active, .pending] }
        return Set(
            try list.split(separator: ",").map { name in
                guard let status = RecordStatus(rawValue: String(name)) else {
                    throw ToolError.usage("'\(name)' is not active, pending or deleted")
                }
                return status
            })
    }

    func run(_ console: Console) throws -> ExitStatus {
        var report = Report()
        var records: [RecordSummary] = []
        var changed: Int?
        try database.located {
            do {
                switch action {
                case .list:
                    let store = try database.openForReading()
                    for type in types {
                        let rest = limit.map { max($0 - records.count, 0) }
                        records += try store.records.summaries(type, annotations: annotations, statuses: statuses, limit: rest)
                    }
                case .purge: changed = try database.open().records.purge()
                case .reconcile: changed = try database.open().records.reconcile()
                }
            } catch let error as RecordError { throw ToolError.incomplete(error.description) }
        }
        if let changed { report.addNote("\(action == .purge ? "purged" : "changed") \(Figures.count(changed))") }
        report.addTable("records", Self.columns, records.map(Self.row), isShown: !records.isEmpty)
        report.addMember("changed", changed.map { .number($0) } ?? .none)
        if action == .list, records.isEmpty { report.addNote("no records") }
        try console.print(report, asJSON: isJSON)
        return .done
    }

    static let columns: [Report.Column] = [
        .init(key: "type"), .init(key: "id"), .init(key: "status"), .init(key: "created"), .init(key: "updated"),
        .init(key: "deleted", isShown: false), .init(key: "annotations"), .init(key: "sealed", isShown: false),
    ]

    static func row(_ record: RecordSummary) -> [FigureValue] {
        let metadata = record.metadata
        return [
            .text(record.typeName), .text(record.id), .text(metadata.status.rawValue), metadata.created.map { .time($0) } ?? .none,
            metadata.updated.map { .time($0) } ?? .none, metadata.deleted.map { .time($0) } ?? .none, .texts(record.annotations),
            .flag(record.isSealed),
        ]
    }
}
