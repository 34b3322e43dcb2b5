import FireLite
import FireLiteRecords
import Foundation

/// `firelite appdata`: stores, prints, lists and deletes an app's own data.
struct AppDataCommand: Command {
    static let definition = CommandDefinition(
        name: "appdata", summary: "store, print, list and delete an app's own data",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .option("input", "FILE", kind: .file, "with put: the file with the bytes (default: standard input)").only("put"),
            .option("form", "TEXT", "with put: what the bytes are, such as a media type").only("put"),
            .option("annotation", "TEXT", isRepeatable: true, "with put: an annotation; with list: only app data with it")
                .only("put", "list"),
            .flag("deleted", "with list: deleted app data too").only("list"),
            .flag("json", "print one JSON object instead of text; not with get").only("put", "list", "delete"),
        ],
        operands: "put|get|list|delete ID…", operandCount: CommandDefinition.anyNumber,
        operandKinds: [.choice(Action.allCases.map(\.rawValue)), .other],
        jsonKeys: [
            JSONKey("items", "a list: id, form, status, created, updated, annotations (a list), sealed"),
            JSONKey("missing", "with delete: a list of the ids that are not stored"),
        ],
        list: ListDefinition(key: "items", actions: ["list"], rowKeys: ["id"]),
        discussion: """
            put stores bytes under an ID and replaces existing ones; get prints them. With --keyring, put seals them and get
            opens them.

            Examples: firelite appdata --database health.sqlite put settings --input names.json --form application/json
                      firelite appdata --database health.sqlite get settings
                      firelite appdata --database health.sqlite list
                      firelite appdata --database health.sqlite delete settings
            """)

    private enum Action: String, CaseIterable {
        case put, get, list, delete
    }

    private let database: DatabaseArgument
    private let action: Action
    private let ids: [String]
    private let input: String?
    private let form: String?
    private let annotations: [String]
    private let hasDeleted: Bool
    private let isJSON: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        let verb = arguments.operands[0]
        guard let action = Action(rawValue: verb) else { throw ToolError.usage("'\(verb)' is not put, get, list or delete") }
        self.action = action
        ids = Array(arguments.operands.dropFirst())
        input = arguments["input"]
        form = arguments["form"]
        annotations = arguments.all("annotation")
        hasDeleted = arguments.has("deleted")
        isJSON = arguments.has("json")
        listing = try Listing(arguments, Self.definition)
        switch action {
        case .put, .get: if ids.count != 1 { throw ToolError.usage("\(verb) needs one ID") }
        case .delete: if ids.isEmpty { throw ToolError.usage("delete needs an ID") }
        case .list: if let id = ids.first { throw ToolError.usage("unexpected argument '\(id)'") }
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        try database.located {
            do {
                switch action {
                case .get: return try get(console)
                case .put:
                    let bytes = try FileContents.bytes(of: input ?? "-", console)
                    try database.open().appData.put(bytes, id: ids[0], form: form, annotations: given)
                case .delete: return try delete(console)
                case .list: break
                }
                return try print([], console)
            } catch let error as RecordError { throw ToolError.incomplete(error) }
        }
    }

    private var given: [String]? { annotations.isEmpty ? nil : annotations }

    private func get(_ console: Console) throws -> ExitStatus {
        guard let found = try database.openForReading().appData.get(ids[0]) else {
            throw ToolError.incomplete("there is no app data with this id in \(database.path)")
        }
        try found.data.withUnsafeBytes { try console.standardOutput.write($0) }
        return .done
    }

    private func delete(_ console: Console) throws -> ExitStatus {
        let result = try database.open().appData.delete(ids: ids)
        return try print(result.failed.compactMap(\.id), console)
    }

    private func print(_ missing: [String], _ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        var query = store.appData.query
        if action == .list { query = query.annotated(all: annotations) }
        if hasDeleted { query = query.includingDeleted() }
        let items = try query.summaries(opensAnnotations: database.keyring != nil).filter { action != .put || ids.contains($0.id) }
        var report = Report()
        report.addTable("items", Self.columns, items.map(Self.row), isShown: !items.isEmpty)
        report.addMember("missing", .texts(missing))
        if items.isEmpty { report.addNote(action == .list ? "no app data" : "no app data is left") }
        try console.print(report, listing)
        for id in missing { console.report("firelite appdata: \(id) is not in \(database.path)") }
        return missing.isEmpty ? .done : .incomplete
    }

    private static let columns: [Report.Column] = [
        .init(key: "id"), .init(key: "form"), .init(key: "status"), .init(key: "created", isShown: false), .init(key: "updated"),
        .init(key: "annotations"), .init(key: "sealed", isShown: false),
    ]

    private static func row(_ item: RecordSummary) -> [FigureValue] {
        [
            .text(item.id), item.typeName.isEmpty ? .none : .text(item.typeName), .text(item.metadata.status.rawValue),
            item.metadata.created.map { .time($0) } ?? .none, item.metadata.updated.map { .time($0) } ?? .none, .texts(item.annotations),
            .flag(item.isSealed),
        ]
    }
}
