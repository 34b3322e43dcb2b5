import FireLite
import FireLiteCore
import FireLiteSearch
import Foundation

/// `firelite publish`: writes views into a lake of Parquet files with a Delta log, by the Python package in `Packages/Lake`.
struct PublishCommand: Command {
    static let definition = CommandDefinition(
        name: "publish", summary: "publish databases as a lake: Parquet files with a Delta log",
        options: [
            .option("database", "FILE", kind: .database, isRequired: true, isRepeatable: true, "an SQLite file; give the option for each"),
            .option("to", "DIR", kind: .output(.folder), isRequired: true, "the folder of the lake; made if there is none"),
            .option(
                "views", "FILE", kind: .file, isRepeatable: true,
                "a ViewDefinition, as JSON, or several, one a line (default: the ready-made views)"),
            .flag("resources", "publish the resources too, each type as a table of nested columns (Parquet on FHIR)"),
            .flag("since-last", "read what changed from the change log, instead of comparing every resource's version"),
            .flag("by-identity", "call each database by its identity instead of its file's name"),
            DatabaseArgument.release,
            .flag("plan", "print what would be given to the program firelite-lake, as JSON, and publish nothing"),
        ],
        operands: "", operandCount: 0...0,
        jsonKeys: [
            JSONKey("tables", "a list: store, table, mode (all, changes, comparison, unchanged), added, removed, rows, version"),
            JSONKey("notes", "a list of messages, such as why a change log was not enough"),
        ],
        list: ListDefinition(key: "tables"),
        discussion: """
            Each view becomes a Delta table in a folder of its name, partitioned by the column _store. The columns _root and
            _key say which resource a row is from, and _version and _updated which version of it. A table changes by one
            commit, so a reader sees it before or after. Publish again to bring the lake up to date: only resources with
            another version are read. With --since-last the change log names them; if it was pruned, is off, or does not list
            all changes, versions are compared, and a note says so. A killed run leaves each table as it was, or complete.
            With --resources each resource type becomes a table too, with the columns of Parquet on FHIR.

            The work is done by the Python package firelite-lake, which must be installed: `pipx install Packages/Lake`, or
            `pip install Packages/Lake` in an environment. FIRELITE_LAKE names the program if it is not in PATH. Encrypted
            databases cannot be published: make a plain backup. Lake.md describes the tables.

            The exit status is 1 if a view is not valid, or cannot be one SQL statement.

            Examples: firelite publish --database health.sqlite --to lake
                      firelite publish --database health.sqlite --to lake --views names.json --since-last
            """)

    private let databases: [DatabaseArgument]
    private let plan: PublishPlan
    private let isPlan: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        let paths = arguments.all("database")
        databases = try paths.map { try DatabaseArgument(arguments, at: $0) }
        isPlan = arguments.has("plan")
        listing = try Listing(arguments, Self.definition)
        if isPlan, arguments.has("format"), listing.format != .json {
            throw ToolError.usage("--plan is printed as JSON: leave out --format")
        }
        guard let lake = arguments.output("--to"), !lake.isStandardOutput else { throw ToolError.usage("--to needs the name of a folder") }
        plan = PublishPlan(
            lake: URL(fileURLWithPath: lake.path).standardizedFileURL.path, definitions: arguments.all("views"),
            isSinceLast: arguments.has("since-last"), isByIdentity: arguments.has("by-identity"), hasResources: arguments.has("resources"))
        if !arguments.has("by-identity") {
            var known: [String: String] = [:]
            for path in paths {
                if let other = known.updateValue(path, forKey: PublishPlan.name(of: path)) {
                    throw ToolError.usage("\(other) and \(path) have one name: give --by-identity, or rename one")
                }
            }
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        if isPlan {
            try console.print(plan.json(databases, console))
            return .done
        }
        // A file whose tables or columns change in the meantime needs another plan.
        for _ in 1..<Self.maximumTries {
            let result = try LakeProgram.run(plan.json(databases, console))
            if result.status != LakeProgram.staleStatus { return try report(result, console) }
        }
        throw ToolError.failed("the tables of a database change faster than they are published: try again")
    }

    private static let maximumTries = 6

    private func report(_ result: LakeProgram.Result, _ console: Console) throws -> ExitStatus {
        var report = Report()
        for note in result.notes { console.report("note: \(note)") }
        report.addTable(
            "tables",
            [
                .init(key: "store"), .init(key: "table"), .init(key: "mode"), .init(key: "added", alignment: .right),
                .init(key: "removed", alignment: .right), .init(key: "rows", alignment: .right), .init(key: "version", alignment: .right),
            ],
            result.tables.map { table in
                [
                    .text(table.store), .text(table.table), .text(table.mode), .count(table.added), .count(table.removed),
                    .count(table.rows), .number(table.version),
                ]
            })
        report.addMember("notes", .texts(result.notes))
        if let error = result.error {
            if !result.tables.isEmpty, listing.format != .json { try console.print(report, listing) }
            throw ToolError(status: ExitStatus(rawValue: result.status) ?? .failed, message: error)
        }
        try console.print(report, listing)
        return .done
    }
}
