import FireLite
import FireLiteTerminal

/// `firelite sql`: runs a statement that only reads.
struct SQLCommand: Command {
    static let definition = CommandDefinition(
        name: "sql", summary: "run an SQL statement that only reads",
        options: DatabaseArgument.options + [
            ListFormat.option(standard: ListFormat.standardOfRows), ListFormat.spreadsheet,
            .option("limit", "N", "print at most N rows"), .option("skip", "N", "leave out the first N rows"),
            .flag("explain", "print SQLite's plan, the time and the number of rows, as text, table or json"),
        ],
        operands: "STATEMENT VALUE…", operandCount: CommandDefinition.anyNumber, operandKinds: [.other], ownOperand: .statement,
        jsonKeys: [
            JSONKey("rows", "a list of objects with the columns; not with --explain"),
            JSONKey("plan", "with --explain: a list of the lines of the query plan"),
            JSONKey("seconds", "with --explain: the time that the statement took"),
            JSONKey("count", "with --explain: the number of rows"),
        ],
        remedies: [
            "after": "no column of a statement need name its rows; continue in the statement, as in WHERE id > ? ORDER BY id LIMIT 100"
        ],
        discussion: """
            STATEMENT is one SELECT, VALUES, WITH or EXPLAIN, or a PRAGMA that describes the tables. Statements that write,
            attach files or change settings are refused, and so are several statements. Each VALUE is the text for one ? in it.
            Sources/FireLite/FireLite.docc/FileFormat.md describes the tables, and so does `firelite schema`.

            There is no --after, as no column of a statement need name its rows. Continue in the statement, by a column that does:
            WHERE id > ? ORDER BY id LIMIT 100, with the last row's id as VALUE.

            NULL is an empty cell, or null; a BLOB is written as x'00ff'. --explain runs the statement once, for its time.

            Examples: firelite sql health.sqlite 'SELECT gender, count(*) FROM Patient GROUP BY gender'
                      firelite sql health.sqlite 'SELECT family FROM Patient_name WHERE use = ?' official --format csv
                      firelite sql health.sqlite --explain 'SELECT family FROM Patient_name'
            """)

    private let database: DatabaseArgument
    private let statement: String
    private let values: [SQLValue]
    private let format: ListFormat?
    private let isForSpreadsheet: Bool
    private let limit: Int?
    private let skip: Int
    private let isExplain: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        statement = arguments.operands[0]
        values = arguments.operands.dropFirst().map { .text($0) }
        format = try arguments.format()
        isForSpreadsheet = try arguments.isForSpreadsheet(format)
        limit = try arguments.number("limit", in: 0...Int.max)
        skip = try arguments.number("skip", in: 0...Int.max) ?? 0
        isExplain = arguments.has("explain")
        guard isExplain else { return }
        if format == .csv || format == .ndjson { throw ToolError.usage("--explain is printed as text, a table or json") }
        for name in ["limit", "skip"] where arguments.has(name) { throw ToolError.usage("--explain and --\(name) are given: choose one") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        do {
            try isExplain ? explain(store, console) : print(store, console)
        } catch let error as FHIRStoreError {
            switch error.code {
            case .invalidArgument where error.sql != nil: throw ToolError.usage(error)
            case .sqlite: throw ToolError.usage(try SchemaNames.suggesting(database.message(of: error), statement, store))
            default: throw ToolError.failed(database.message(of: error))
            }
        }
        return .done
    }

    private func print(_ store: FHIRStore, _ console: Console) throws {
        var writer = RowWriter(
            console, as: format ?? (console.outputIsTerminal ? .table : .ndjson), key: "rows", isForSpreadsheet: isForSpreadsheet)
        var names: [String] = []
        var left = skip
        var rest = limit ?? Int.max
        do {
            try store.forEachRow(
                statement, arguments: values,
                columns: {
                    names = $0.distinctNames
                    try writer.begin($0.map { ($0, .left) })
                    if rest == 0 { throw LimitReached() }
                },
                { row in
                    if left > 0 {
                        left -= 1
                        return
                    }
                    let values = row.values
                    try writer.write(values.map(\.cellText), json: JSONText.object(zip(names, values).map { ($0, $1.cellJSON) }))
                    rest -= 1
                    if rest == 0 { throw LimitReached() }
                })
        } catch is LimitReached {}
        try writer.end(console)
    }

    /// Ends the rows.
    private struct LimitReached: Error {}

    private func explain(_ store: FHIRStore, _ console: Console) throws {
        var steps: [(id: Int64, parent: Int64, text: String)] = []
        try store.forEachRow("EXPLAIN QUERY PLAN " + statement, arguments: values, columns: { _ in }) { row in
            let values = row.values
            guard values.count >= 4, case .integer(let id) = values[0], case .integer(let parent) = values[1],
                case .text(let text) = values[3]
            else { return }
            steps.append((id, parent, text))
        }
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        try store.forEachRow(statement, arguments: values, columns: { _ in }) { _ in count += 1 }
        let duration = start.duration(to: clock.now)
        var depths: [Int64: Int] = [:]
        let lines = steps.map { step -> String in
            let depth = depths[step.parent].map { $0 + 1 } ?? 0
            depths[step.id] = depth
            return String(repeating: "  ", count: depth) + step.text
        }
        var report = Report()
        if format == .table {
            report.addTable("plan", [.init(key: "plan")], lines.map { [.text($0)] })
        } else {
            report.addTexts("plan", lines)
        }
        report.addLine([.init("count", .count(count), label: "rows"), .init("seconds", .seconds(duration))])
        try console.print(report, asJSON: format == .json)
    }
}
