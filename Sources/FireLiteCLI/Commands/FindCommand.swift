import FireLite
import FireLiteRecords

/// `firelite find`: finds resources by conditions.
struct FindCommand: Command {
    static let definition = CommandDefinition(
        name: "find", summary: "print the resources of a type that meet conditions",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .option("limit", "N", "print at most N results"), .option("skip", "N", "leave out the first N results"),
            .option("after", "ID", "only results after the resource with this id, in the order of the results"),
            .flag("count", "print only the number of results"),
            .option("sort", "PATH,…", "sort by these elements; -PATH sorts in descending order"),
            .option("matching", "WORDS", "only resources that contain these words, by the type's full-text index"),
            .option("annotated", "TEXT,…", "only resources whose record has all of these annotations"),
            .option("values", "PATH,…", "print these elements instead of whole resources"),
            .flag("references", "print references instead of payloads that are kept apart"),
            ListFormat.option(standard: "with --values a table on a terminal; ndjson otherwise"), ListFormat.spreadsheet,
            .flag("sql", "print the SQL statement without running it"),
            .flag("explain", "print the SQL statement and SQLite's query plan without running it"),
        ],
        operands: "Type CONDITION…", operandCount: CommandDefinition.anyNumber, operandKinds: [.resourceType, .other],
        ownOperand: .word,
        jsonKeys: [
            JSONKey("results", "a list of the resources, or of objects with the values; not with --count, --sql or --explain"),
            JSONKey("count", "with --count: the number of results"),
            JSONKey("sql", "with --sql or --explain: the statement"),
            JSONKey("plan", "with --explain: a list of the lines of the query plan"),
        ],
        discussion: """
            A PATH names an element by its FHIR name, also through lists: name.given, code.coding.code,
            valueQuantity.value, name[0].family, contained(Medication).code.text. A condition is met if some value at
            its path meets it; braces put several conditions on the same element.

              PATH=VALUE PATH!=VALUE       equal, not equal; without a VALUE: absent, present
              PATH<VALUE <= > >=           less, greater; a partial date is the whole period it names
              PATH:in=VALUE,VALUE          one of these values
              PATH~VALUE                   text that contains VALUE, ignoring case and accents; a date that overlaps it
              PATH^=VALUE $= *=            text that begins or ends with VALUE, or matches a pattern with % and _
              PATH{PATH=VALUE,PATH=VALUE}  one element that meets all of these
              PATH.count>=N                the number of elements
              subject=Patient/1            a reference to this resource; also != and :in=
              subject(Patient).gender=male a reference to a stored Patient that meets the condition; also with braces
              has(Observation.subject)     a stored Observation refers to the resource; conditions in braces

            All conditions must be met. The arguments or, and, not, '(' and ')' combine them: and binds more tightly than or.
            An argument that begins with ( or "not " is an expression of its own, also in braces:
            '(gender=female or not birthDate<1970)'. In it a VALUE ends at a space or a closing parenthesis.

            A VALUE in quotation marks can contain anything: name.family:in="Miller, A.",Smith. In it write \\" for a quotation
            mark and \\\\ for a backslash; PATH="" is the empty text. In braces every VALUE of :in= but the first
            needs quotation marks: code.coding{system=s,code:in="a","b"}. Put arguments in single quotes.

            --values also accepts PATH.count. JSON has every value of a list; in tables and CSV, semicolons separate them.
            A table without --values has type, id, date and what describes a resource best. Resources have the payloads that
            are kept apart from them (`firelite blobs`).

            Examples: firelite find health.sqlite Patient name.given=Joseph --limit 10
                      firelite find health.sqlite Patient gender=female or 'birthDate<1970'
                      firelite find health.sqlite Observation 'subject(Patient).gender=female' --count
                      firelite find health.sqlite Patient 'has(Observation.subject){status=final}' --values id,name.given
                      firelite find health.sqlite Patient --sort birthDate --after 123 --format table
            """)

    private let database: DatabaseArgument
    private let request: FindRequest

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        let format = try arguments.format()
        request = FindRequest(
            layout: try database.resourceLayout(named: arguments.operands[0]), conditions: Array(arguments.operands.dropFirst()),
            words: arguments["matching"], annotations: Self.paths(arguments["annotated"]),
            limit: try arguments.number("limit", in: 0...Int.max), skip: try arguments.number("skip", in: 0...Int.max) ?? 0,
            after: arguments["after"], isCount: arguments.has("count"),
            sort: Self.paths(arguments["sort"]), values: Self.paths(arguments["values"]), isSQL: arguments.has("sql"),
            isExplain: arguments.has("explain"), format: format,
            isForSpreadsheet: try arguments.isForSpreadsheet(format), printsReferences: arguments.has("references"))
    }

    private static func paths(_ list: String?) -> [String] { list?.split(separator: ",").map(String.init) ?? [] }

    func run(_ console: Console) throws -> ExitStatus {
        let scan = try FindScan(request)
        let store = try database.openForReading()
        do {
            return try database.located { try scan.run(store, console) }
        } catch let error as AttachmentError {
            throw ToolError.incomplete("\(ToolWords.text(of: error)): --references prints resources without payloads that are kept apart")
        }
    }
}
