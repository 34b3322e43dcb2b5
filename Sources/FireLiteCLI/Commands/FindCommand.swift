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
            .flag("csv", "print comma-separated values"),
        ],
        operands: "Type PATH=VALUE…", operandCount: CommandDefinition.anyNumber,
        discussion: """
            A PATH names an element by FHIR's member names, through lists too: name.given, code.coding.code,
            valueQuantity.value. A resource is found where every condition holds for some value at its path.

            Example: firelite find --database health.sqlite Patient name.given=Joseph --limit 10
            """)

    private let database: DatabaseArgument
    private let request: FindRequest

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        request = FindRequest(
            type: try database.resourceType(named: arguments.operands[0]), conditions: Array(arguments.operands.dropFirst()),
            limit: try arguments.number("limit", in: 0...Int.max), isCount: arguments.has("count"), sort: Self.paths(arguments["sort"]),
            values: Self.paths(arguments["values"]), isSQL: arguments.has("sql"), form: arguments.has("csv") ? .csv : .automatic)
    }

    private static func paths(_ list: String?) -> [String] { list?.split(separator: ",").map(String.init) ?? [] }

    func run(_ console: Console) throws -> ExitStatus {
        let scan = try FindScan(request)
        let store = try database.open()
        return try database.located { try scan.run(store, console) }
    }
}
