import FireLite
import FireLiteTerminal

/// `firelite info`: prints what the database contains.
struct InfoCommand: Command {
    static let definition = CommandDefinition(
        name: "info", summary: "print what is stored: resources by type, tables, sizes",
        options: DatabaseArgument.options,
        operands: "", operandCount: 0...0, operandKinds: [.database], ownOperand: OwnOperand.none,
        jsonKeys: [
            JSONKey("file", "the path as given"),
            JSONKey("bytes", "the size of the file"),
            JSONKey("release", "the FHIR release"),
            JSONKey("releaseVersion", "its version"),
            JSONKey("types", "a list: type, resources"),
            JSONKey("resources", "the number of all resources"),
            JSONKey("tables", "a list: table, rows, columns"),
            JSONKey("modules", "a list: module, table, rows"),
            JSONKey("others", "a list: views and tables of other programs"),
        ] + TrackedState.jsonKeys,
        list: ListDefinition(key: "types"),
        discussion: """
            The size is the file's, without the write-ahead log. Columns in use are counted, without bookkeeping columns.
            `firelite track` switches the change log and the history.

            Example: firelite info health.sqlite
            """)

    private let database: DatabaseArgument
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        listing = try Listing(arguments, Self.definition)
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let (counts, statistics, tracked) = try database.located {
            (try store.counts(), try store.statistics(), try TrackedState(store))
        }
        let release = store.release
        var report = Report()
        report.addFacts(
            [
                .init("file", .text(database.path)), .init("bytes", .bytes(statistics.fileBytes), label: "size"),
                .init("release", .shown("\(release.name) \(release.version)", .text(release.name))),
                .init("releaseVersion", .text(release.version), isShown: false),
            ] + tracked.figures)
        report.addTable(
            "types", [.init(key: "type"), .init(key: "resources", alignment: .right)],
            counts.map { [.text($0.typeName), .count($0.count)] }, footer: [["total", Figures.count(statistics.resources)]])
        report.addMember("resources", .count(statistics.resources))
        report.addTable(
            "tables", [.init(key: "table"), .init(key: "rows", alignment: .right), .init(key: "columns", alignment: .right)],
            statistics.tables.map { [.text($0.name), .count($0.rows), .count($0.columns)] },
            footer: statistics.others.map { ["(\($0))", "", ""] })
        report.addTable(
            "modules", [.init(key: "module"), .init(key: "table"), .init(key: "rows", alignment: .right)],
            statistics.modules.map { [.text($0.module), .text($0.name), .count($0.rows)] }, isShown: !statistics.modules.isEmpty)
        report.addMember("others", .texts(statistics.others))
        try console.print(report, listing)
        return .done
    }
}
