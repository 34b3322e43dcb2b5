import FireLite

/// `firelite find`: the resources with given values.
struct FindCommand: Command {
    static let definition = CommandDefinition(
        name: "find", summary: "print the resources of a type that have given values",
        options: DatabaseArgument.options + [
            .option("limit", "N", "print at most so many"),
            .flag("count", "print only how many there are"),
            .option("sort", "PATH,…", "order by these elements; -PATH for the greatest first"),
            .option("values", "PATH,…", "print these elements in the place of resources"),
            .flag("sql", "print the statement, and do not run it"),
            .flag("explain", "print the statement and how SQLite finds the rows, and do not run it"),
            .flag("csv", "print what --values names as comma-separated values"),
        ],
        operands: "Type PATH=VALUE…", operandCount: CommandDefinition.anyNumber,
        discussion: """
            A PATH names an element by FHIR's member names, through lists too: name.given, code.coding.code,
            valueQuantity.value, name[0].family, contained(Medication).code.text, name.count. A resource is found
            where every condition holds for some value at its path; braces ask several things of one element.

              PATH=VALUE PATH!=VALUE       equal, not equal; without a VALUE: absent, present
              PATH<VALUE <= > >=           less, greater; a date that is not exact is the time that it names
              PATH:in=VALUE,VALUE          one of these
              PATH~VALUE                   text that has VALUE in it, whatever the case and accents; a date that overlaps
              PATH^=VALUE $= *=            text that begins, that ends so, that is like a pattern with % and _
              PATH{PATH=VALUE,PATH=VALUE}  one element that fulfils all of these

            A VALUE in quotation marks is what is between them, commas and braces too: name.family:in="Miller, A.",Smith.
            In it \\" stands for a quotation mark and \\\\ for a backslash; PATH="" is the empty text. In braces every VALUE of
            :in= but the first needs the marks: code.coding{system=s,code:in="a","b"}. Put the argument in single quotes.

            Example: firelite find --database health.sqlite Patient name.given=Joseph --limit 10
            """)

    private let database: DatabaseArgument
    private let request: FindRequest

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        request = FindRequest(
            type: try database.resourceType(named: arguments.operands[0]), conditions: Array(arguments.operands.dropFirst()),
            limit: try arguments.number("limit", in: 0...Int.max), isCount: arguments.has("count"), sort: Self.paths(arguments["sort"]),
            values: Self.paths(arguments["values"]), isSQL: arguments.has("sql"), isExplain: arguments.has("explain"),
            form: arguments.has("csv") ? .csv : .automatic)
    }

    private static func paths(_ list: String?) -> [String] { list?.split(separator: ",").map(String.init) ?? [] }

    func run(_ console: Console) throws -> ExitStatus {
        let scan = try FindScan(request)
        let store = try database.open()
        return try database.located { try scan.run(store, console) }
    }
}
