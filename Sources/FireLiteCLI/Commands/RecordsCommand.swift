import FireLite
import FireLiteRecords
import FireLiteTerminal
import Foundation

/// `firelite records`: lists records with their metadata, purges and reconciles them.
struct RecordsCommand: Command {
    static let definition = CommandDefinition(
        name: "records", summary: "list resources with annotations, times and status; purge deleted ones; keys of sealed ones",
        options: DatabaseArgument.options + [
            KeyringFile.writtenOption,
            .option("annotated", "TEXT,…", "with list: only records with all of these annotations").only("list"),
            .option(
                "status", "STATUS,…", kind: .choice(RecordStatus.allCases.map(\.rawValue)),
                "with list: only active, pending or deleted records (default: active,pending)"
            ).only("list"),
        ],
        operands: "list|purge|reconcile|keyring|rotate|rewrap Type…", operandCount: CommandDefinition.anyNumber,
        operandKinds: [.choice(Action.allCases.map(\.rawValue)), .resourceType],
        jsonKeys: [
            JSONKey("records", "a list: type, id, status, created, updated, deleted, annotations (a list), sealed"),
            JSONKey("changed", "with purge and reconcile: the number of records"),
            JSONKey("wrapped", "with rotate and rewrap: the number of keys that were wrapped with the primary common key"),
            JSONKey("failed", "with rotate and rewrap: the number of keys that could not be opened"),
            JSONKey("keys", "with keyring, rotate and rewrap, a list: id, primary, of the common keys of the keyring"),
        ],
        list: ListDefinition(key: "records", actions: ["list", "keyring"], rowKeys: ["type", "id"]),
        discussion: """
            list prints the records of the types. purge deletes the remaining metadata of deleted records. reconcile records
            new, changed and deleted resources that were written without records, as by `firelite import`.

            keyring lists the common keys in the file that --keyring names, and makes the file if there is none. rotate adds a
            common key to the file, makes it primary, and wraps the keys of all sealed data with it; rewrap only wraps them.
            Nothing is sealed again, and older common keys stay in the file. The column id names a key and is not the key; that of
            a keyring's first key is all zeros. To change keys on several devices, distribute the
            file before their apps use it.

            Examples: firelite records --database health.sqlite list Patient --annotated fitness
                      firelite records --database health.sqlite reconcile
                      firelite records --database health.sqlite purge
                      firelite records --database health.sqlite --keyring keys.json keyring
            """)

    private enum Action: String, CaseIterable {
        case list, purge, reconcile, keyring, rotate, rewrap
    }

    private let database: DatabaseArgument
    private let action: Action
    private let types: [String]
    private let annotations: [String]
    private let statuses: Set<RecordStatus>
    private let keyringOutput: OutputPath?
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        let verb = arguments.operands[0]
        guard let action = Action(rawValue: verb) else {
            throw ToolError.usage("'\(verb)' is not list, purge, reconcile, keyring, rotate or rewrap")
        }
        self.action = action
        types = Array(arguments.operands.dropFirst())
        for type in types { _ = try database.resourceLayout(named: type) }
        if action == .list, types.isEmpty { throw ToolError.usage("list needs a Type") }
        if action != .list, let type = types.first { throw ToolError.usage("unexpected argument '\(type)'") }
        annotations = arguments["annotated"]?.split(separator: ",").map(String.init) ?? []
        statuses = try Self.statuses(arguments["status"])
        keyringOutput = arguments.output("--keyring")
        if [.keyring, .rotate, .rewrap].contains(action), database.keyring == nil { throw ToolError.usage("\(verb) needs --keyring") }
        listing = try Listing(arguments, Self.definition)
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
        var rewrapped: (wrapped: Int, failed: Int)?
        var keyring: RecordKeyring?
        try database.located {
            do {
                switch action {
                case .list:
                    let store = try database.openForReading()
                    for type in types {
                        let rest = listing.most.map { max($0 - records.count, 0) }
                        records += try store.records.summaries(
                            type, annotations: annotations, statuses: statuses, limit: rest, opensAnnotations: database.keyring != nil)
                    }
                case .purge: changed = try database.open().records.purge()
                case .reconcile: changed = try database.open().records.reconcile()
                case .keyring: keyring = try readOrMakeKeyring()
                case .rotate, .rewrap:
                    let keys = try rotated()
                    let store = try database.open()
                    (keyring, rewrapped) = (keys, try store.records.rewrap())
                }
            } catch let error as RecordError { throw ToolError.incomplete(error) }
        }
        if let rewrapped {
            let failed = rewrapped.failed > 0 ? ", failed \(Figures.count(rewrapped.failed))" : ""
            report.addNote("wrapped \(Figures.count(rewrapped.wrapped))\(failed)")
        }
        if let changed { report.addNote("\(action == .purge ? "purged" : "changed") \(Figures.count(changed))") }
        report.addTable("records", Self.columns, records.map(Self.row), isShown: !records.isEmpty)
        report.addMember("changed", changed.map { .number($0) } ?? .none)
        report.addMember("wrapped", rewrapped.map { .number($0.wrapped) } ?? .none)
        report.addMember("failed", rewrapped.map { .number($0.failed) } ?? .none)
        let primary = keyring?.primaryID
        let keys = (keyring?.ids ?? []).map { [FigureValue.text($0), .shown($0 == primary ? "primary" : "", .flag($0 == primary))] }
        report.addTable("keys", [.init(key: "id"), .init(key: "primary")], keys, isShown: action == .keyring)
        if action == .list, records.isEmpty { report.addNote("no records") }
        try console.print(report, action == .keyring ? listing.of("keys", rowKeys: ["id"]) : listing)
        return rewrapped.map { $0.failed > 0 } == true ? .incomplete : .done
    }

    private func readOrMakeKeyring() throws -> RecordKeyring {
        guard let file = database.keyring, let output = keyringOutput else { throw ToolError.usage("keyring needs --keyring") }
        var status = stat()
        guard stat(file.path, &status) != 0, errno == ENOENT else { return try file.read() }
        let keyring = try RecordKeyring()
        try output.write(keyring.exported().bytes, replaces: false)
        return keyring
    }

    /// The keyring with a new primary key, which is in the file before anything is wrapped with it.
    private func rotated() throws -> RecordKeyring {
        guard let file = database.keyring, let output = keyringOutput else { throw ToolError.usage("rotate needs --keyring") }
        let keyring = try file.read()
        guard action == .rotate else { return keyring }
        // Whatever the database says of itself, it must open before the keyring changes.
        _ = try database.openForReading()
        try keyring.makePrimary(keyring.addKey())
        try output.write(keyring.exported().bytes, replaces: true)
        return keyring
    }

    static let columns: [Report.Column] = [
        .init(key: "type"), .init(key: "id"), .init(key: "status"), .init(key: "created"), .init(key: "updated"),
        .init(key: "deleted", isShown: false), .init(key: "annotations"), .init(key: "sealed"),
    ]

    static func row(_ record: RecordSummary) -> [FigureValue] {
        let metadata = record.metadata
        return [
            .text(record.typeName), .text(record.id), .text(metadata.status.rawValue), metadata.created.map { .time($0) } ?? .none,
            metadata.updated.map { .time($0) } ?? .none, metadata.deleted.map { .time($0) } ?? .none, .texts(record.annotations),
            .shown(record.isSealed ? "sealed" : "", .flag(record.isSealed)),
        ]
    }
}
