import FireLite
import FireLiteKnowledge
import FireLiteSearch
import FireLiteTerminal
import Foundation

/// `firelite view`: prints the rows of a view, or puts views into the file.
struct ViewCommand: Command {
    static let definition = CommandDefinition(
        name: "view", summary: "print the rows of a view of SQL on FHIR, or create it in the file",
        options: DatabaseArgument.options + [
            .option("definition", "FILE", kind: .file, "the ViewDefinition, as JSON; - is standard input"),
            ListFormat.option(standard: ListFormat.standardOfRows), ListFormat.spreadsheet,
            .option("limit", "N", "print at most N rows"), .option("skip", "N", "leave out the first N rows"),
            .option("create", "NAME", "put the view into the file under this name, and print no rows"),
            .flag("standard", "put the ready-made views into the file"), CodesArgument.option,
        ],
        operands: "", operandCount: 0...0,
        jsonKeys: [
            JSONKey("rows", "a list of objects with the columns"), JSONKey("created", "the names of the views that were put into the file"),
        ],
        remedies: [
            "after": "a resource has any number of rows, and no column need name them; put the view into the file with --create, and "
                + "continue with `firelite sql 'SELECT … WHERE id > ? ORDER BY id'`"
        ],
        discussion: """
            A ViewDefinition makes flat rows of the resources of one type: columns with FHIRPath expressions, a row for each
            element of a list, conditions. FlatViews.md describes it.

            With --create and --standard the views become views of SQL, which every SQLite client reads. The ready-made ones
            are patients, conditions, observations, encounters, medication_requests, procedures and immunizations. A view of
            the same name is replaced. --json prints their names as one object.

            There is no --after, as a resource has any number of rows and no column need name them. A view in the file can be
            continued by a column that does: `firelite sql 'SELECT … WHERE id > ? ORDER BY id'`.

            memberOf() and subsumes() of the rows know FHIR's own codes, the definitions in the database, and those of --knowledge.
            A view in the file cannot ask them.

            The exit status is 1 if the view is not valid: an expression is wrong, or a column gets several values and is no
            collection. The error names the place in the definition.

            Examples: firelite view --database health.sqlite --definition names.json --format csv
                      firelite view --database health.sqlite --definition names.json --create patient_names_view
                      firelite view --database health.sqlite --standard
            """)

    private enum Job {
        case rows(ListFormat?)
        case create(String)
        case createStandard
    }

    private let database: DatabaseArgument
    private let path: String?
    private let job: Job
    private let knowledge: CodesArgument
    private let isForSpreadsheet: Bool
    private let limit: Int?
    private let skip: Int
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        path = arguments["definition"]
        isJSON = arguments.has("json")
        knowledge = CodesArgument(arguments)
        let form = try arguments.format()
        isForSpreadsheet = try arguments.isForSpreadsheet(form)
        limit = try arguments.number("limit", in: 0...Int.max)
        skip = try arguments.number("skip", in: 0...Int.max) ?? 0
        if arguments.has("standard") {
            if path != nil || arguments.has("create") {
                throw ToolError.usage("--standard has its own definitions and names: give it alone")
            }
            job = .createStandard
        } else {
            guard path != nil else { throw ToolError.usage("--definition FILE or --standard is missing") }
            job = arguments["create"].map { .create($0) } ?? .rows(form)
        }
        if case .rows = job { return }
        if !knowledge.paths.isEmpty { throw ToolError.usage("--knowledge is for rows, which --create and --standard do not print") }
        if let name = ["limit", "skip"].first(where: arguments.has) {
            throw ToolError.usage("--\(name) is for rows, which --create and --standard do not print")
        }
        if let form, form != .json { throw ToolError.usage("--format is for rows, which --create and --standard do not print") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let view = try path.map { try ViewDefinition(json: FileContents.bytes(of: $0, console)) }
        var created: [String] = []
        switch job {
        case .rows:
            guard let view else { return .done }
            let store = try database.openForReading()
            try database.located { try print(view, store, console) }
            return .done
        case .create(let name):
            guard let view else { return .done }
            let store = try database.open()
            try database.located { try store.createView(view, named: name) }
            created = [name]
        case .createStandard:
            let store = try database.open()
            created = try database.located { try store.createStandardViews() }
        }
        var report = Report()
        report.addTexts("created", created)
        try console.print(report, asJSON: isJSON)
        return .done
    }

    private func print(_ view: ViewDefinition, _ store: FHIRStore, _ console: Console) throws {
        guard case .rows(let form) = job else { return }
        try view.validate(for: store.release)
        var writer = RowWriter(
            console, as: form ?? (console.outputIsTerminal ? .table : .ndjson), key: "rows", isForSpreadsheet: isForSpreadsheet)
        try writer.begin(view.columnNames.map { ($0, .left) })
        var terminology = Terminology(release: store.release)
        try knowledge.add(to: &terminology, of: store)
        var (left, rest) = (skip, limit ?? Int.max)
        do {
            try store.forEachRow(of: view, terminology: terminology) { row in
                if rest == 0 { throw LimitReached() }
                if left > 0 {
                    left -= 1
                    return
                }
                try writer.write(row.values.map(\.text), json: row.json)
                rest -= 1
                if rest == 0 { throw LimitReached() }
            }
        } catch is LimitReached {}
        try writer.end(console)
    }

    /// Ends the rows.
    private struct LimitReached: Error {}
}
