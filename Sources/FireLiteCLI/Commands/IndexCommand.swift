import FireLite
import FireLiteCore

/// `firelite index`: the indexes that queries use.
struct IndexCommand: Command {
    static let definition = CommandDefinition(
        name: "index", summary: "list, create and drop indexes",
        options: DatabaseArgument.options + [
            .option(
                "set", "NAME", kind: .choice(StoreIndexSet.known.map(\.rawValue)),
                "with create and drop: a set: references, identifiers, codes or dates"
            ).only("create", "drop"),
            .flag("full-text", "with create and drop: an index of the words at the paths, for find --matching").only("create", "drop"),
            .flag("json", "with list: print one JSON object instead of text").only("list"),
        ],
        operands: "list|create|drop Type PATH…", operandCount: CommandDefinition.anyNumber,
        operandKinds: [.choice(["list", "create", "drop"]), .resourceType, .other],
        jsonKeys: [
            JSONKey("indexes", "a list: name, kind (values, caseless, fullText or set), type (null for all), columns (a list), built")
        ],
        list: ListDefinition(key: "indexes", actions: ["list"], rowKeys: ["name"]),
        discussion: """
            list prints the declared indexes and whether they are built; an index is built with the first value for
            it. create adds an index on a path, or on several paths whose values are in one row. drop takes the
            same arguments, or the names that list prints. Every type has an index on its ids, which is not listed.

            Examples: firelite index --database health.sqlite create Observation code.coding.code
                      firelite index --database health.sqlite create Observation status effectiveDateTime
                      firelite index --database health.sqlite create --set references
                      firelite index --database health.sqlite create --full-text Patient name.given name.family
                      firelite index --database health.sqlite list
                      firelite index --database health.sqlite drop Observation_code_coding__code
                      firelite index --database health.sqlite drop --full-text Patient
            """)

    private enum Action {
        case list
        case create(Target)
        case drop(Target)
        case dropNamed([String])
    }

    /// What an index covers.
    private enum Target {
        case paths(Layout, [QueryPath])
        case fullText(Layout, [QueryPath])
        case set(StoreIndexSet, Layout?)
    }

    private let database: DatabaseArgument
    private let action: Action
    private let isJSON: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        isJSON = arguments.has("json")
        listing = try Listing(arguments, Self.definition)
        let operands = Array(arguments.operands.dropFirst())
        let target = { [database] (isDrop: Bool) in try Self.target(arguments, operands, database, isDrop: isDrop) }
        switch arguments.operands[0] {
        case "list":
            if !operands.isEmpty { throw ToolError.usage("unexpected argument '\(operands[0])'") }
            action = .list
        case "create": action = .create(try target(false))
        case "drop"
        where arguments["set"] == nil && !arguments.has("full-text") && !database.release.hasResourceType(named: operands.first ?? ""):
            if operands.isEmpty { throw ToolError.usage("drop which index? `firelite index list` prints their names") }
            action = .dropNamed(operands)
        case "drop": action = .drop(try target(true))
        case let other: throw ToolError.usage("'\(other)' is not list, create or drop")
        }
    }

    private static func target(
        _ arguments: ParsedArguments, _ operands: [String], _ database: DatabaseArgument, isDrop: Bool
    ) throws -> Target {
        let layout = try operands.first.map { try database.resourceLayout(named: $0) }
        if let name = arguments["set"] {
            guard !arguments.has("full-text") else { throw ToolError.usage("--set and --full-text are given: choose one") }
            guard operands.count <= 1 else { throw ToolError.usage("unexpected argument '\(operands[1])': a set names its paths itself") }
            guard let set = StoreIndexSet.known.first(where: { $0.rawValue == name }) else {
                let known = StoreIndexSet.known.map(\.rawValue).joined(separator: ", ")
                throw ToolError.usage("unknown set of indexes '\(name)': use \(known)")
            }
            return .set(set, layout)
        }
        guard let layout else { throw ToolError.usage("Type is missing") }
        let parser = PredicateParser(layout)
        let paths: [QueryPath]
        do {
            paths = try operands.dropFirst().map { try parser.valuePath($0) }
        } catch let error as FHIRStoreError {
            throw ToolError.usage(error)
        }
        let isFullText = arguments.has("full-text")
        if paths.isEmpty, !(isFullText && isDrop) { throw ToolError.usage("PATH… is missing: name the elements that the index is for") }
        return isFullText ? .fullText(layout, paths) : .paths(layout, paths)
    }

    private var isReading: Bool {
        if case .list = action { return true }
        return false
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try isReading ? database.openForReading() : database.open()
        do {
            return try run(store, console)
        } catch let error as FHIRStoreError {
            if error.code == .invalidArgument { throw ToolError.usage(error) }
            throw ToolError.failed(database.message(of: error))
        }
    }

    private func run(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        switch action {
        case .list: try list(store, console)
        case .create(let target): try create(target, store, console)
        case .drop(let target):
            let (isDropped, name) = try drop(target, store)
            guard isDropped else {
                throw ToolError.incomplete("\(database.path) has no \(name): `firelite index list` prints those that it has")
            }
            try console.print("dropped")
        case .dropNamed(let names):
            for name in names {
                guard try store.dropIndex(named: name) else {
                    let hint = try NearWords.hint(for: name, among: store.indexes().map(\.name))
                    throw ToolError.incomplete("\(name) is not an index of \(database.path)\(hint)")
                }
                try console.printItem("dropped \(name)")
            }
        }
        return .done
    }

    private func create(_ target: Target, _ store: FHIRStore, _ console: Console) throws {
        let known = try store.indexes()
        let name: String
        var isBuilt = true
        switch target {
        case .paths(let layout, let paths):
            let index = try store.createIndex(layout, paths)
            (name, isBuilt) = (index.name, index.isBuilt)
        case .fullText(let layout, let paths):
            try store.createFullTextIndex(layout, paths)
            name = "the full-text index of \(layout.name)"
        case .set(let set, let layout):
            try store.createIndexes(set, layout: layout)
            name = "the \(Self.name(set, layout))"
        }
        if try store.indexes() == known { return try console.printItem("\(name) exists already") }
        try console.printItem(isBuilt ? "created \(name)" : "declared \(name), which is built with the first value for it")
    }

    /// Drops what an index covers, and says whether there was one.
    private func drop(_ target: Target, _ store: FHIRStore) throws -> (isDropped: Bool, name: String) {
        switch target {
        case .paths(let layout, let paths): (try store.dropIndex(layout, paths), "index on these paths of \(layout.name)")
        case .fullText(let layout, _): (try store.dropFullTextIndex(layout), "full-text index of \(layout.name)")
        case .set(let set, let layout): (try store.dropIndexes(set, layout: layout), Self.name(set, layout))
        }
    }

    private static func name(_ set: StoreIndexSet, _ layout: Layout?) -> String {
        "set \(set.rawValue) for \(layout?.name ?? "all types")"
    }

    private func list(_ store: FHIRStore, _ console: Console) throws {
        let columns = ["name", "kind", "type", "columns", "built"].map { Report.Column(key: $0) }
        let rows = try store.indexes().map { index -> [FigureValue] in
            let kind =
                switch index.kind {
                case .values, .caseless, .set: index.kind.rawValue
                case .fullText: "full text"
                }
            return [
                .text(index.name), .shown(kind, .text(index.kind.rawValue)), index.typeName.map { .text($0) } ?? .shown("all", .none),
                .texts(index.columns), .shown(index.isBuilt ? "yes" : "not yet", .flag(index.isBuilt)),
            ]
        }
        var report = Report()
        report.addTable("indexes", columns, rows)
        try console.print(report, listing)
    }
}
