import FireLite

/// `firelite sql`: runs a statement that only reads.
struct SQLCommand: Command {
    static let definition = CommandDefinition(
        name: "sql", summary: "run an SQL statement that only reads",
        options: DatabaseArgument.options + [
            .flag("csv", "print comma-separated values, with a line of column names"),
            .flag("json", "print one JSON object a line (default if output is not a terminal)"),
            .flag("spreadsheet", "with --csv: put ' before cells that a spreadsheet would run as a formula"),
        ],
        operands: "STATEMENT VALUE…", operandCount: CommandDefinition.anyNumber, operandKinds: [.other],
        discussion: """
            STATEMENT is one SELECT, VALUES, WITH or EXPLAIN, or a PRAGMA that describes the tables. Statements that write,
            attach files or change settings are refused, and so are several statements. Each VALUE is the text for one ? in it.
            Sources/FireLite/FireLite.docc/FileFormat.md describes the tables.

            The output is a table on a terminal and JSON otherwise. NULL is an empty cell, or null; a BLOB is written as x'00ff'.

            Examples: firelite sql --database health.sqlite 'SELECT gender, count(*) FROM Patient GROUP BY gender'
                      firelite sql --database health.sqlite 'SELECT family FROM Patient_name WHERE use = ?' official --csv
            """)

    private let database: DatabaseArgument
    private let statement: String
    private let values: [SQLValue]
    private let isCSV: Bool
    private let isJSON: Bool
    private let isForSpreadsheet: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        statement = arguments.operands[0]
        values = arguments.operands.dropFirst().map { .text($0) }
        isCSV = arguments.has("csv")
        isJSON = arguments.has("json")
        isForSpreadsheet = arguments.has("spreadsheet")
        if isCSV, isJSON { throw ToolError.usage("--csv and --json are given: choose one") }
        if isForSpreadsheet, !isCSV { throw ToolError.usage("--spreadsheet needs --csv") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let output = BufferedOutput(console.standardOutput)
        var writer = SQLRowWriter(
            output: output, form: isCSV ? .csv : isJSON || !console.outputIsTerminal ? .json : .table,
            csv: CommaSeparated(isForTerminal: console.outputIsTerminal, isForSpreadsheet: isForSpreadsheet))
        do {
            try store.forEachRow(statement, arguments: values, columns: { try writer.begin($0) }, { try writer.write($0.values) })
        } catch let error as FHIRStoreError {
            switch error.code {
            case .invalidArgument where error.sql != nil: throw ToolError.usage(error)
            case .sqlite: throw ToolError.usage(database.message(of: error))
            default: throw ToolError.failed(database.message(of: error))
            }
        }
        try writer.end(console)
        try output.flush()
        return .done
    }
}
