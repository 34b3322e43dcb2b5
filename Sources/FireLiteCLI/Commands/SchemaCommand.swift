import FireLite

/// `firelite schema`: prints the tables, columns and indexes.
struct SchemaCommand: Command {
    private static let pictures = ["text", "sql", "mermaid", "dot"]
    private static let formats = pictures + ListFormat.allCases.map(\.rawValue)

    static let definition = CommandDefinition(
        name: "schema", summary: "print the tables, columns and indexes: as text, SQL or a picture",
        options: DatabaseArgument.options + [
            .option("format", formats.joined(separator: "|"), kind: .choice(formats), "how to print them (default: text)")
        ],
        operands: "Type…", operandCount: 0...Int.max, operandKinds: [.resourceType], ownOperand: .word,
        jsonKeys: [
            JSONKey("columns", "a list: table, column, type, owner (the table whose rows have those of the table)"),
            JSONKey("indexes", "a list: name, table"),
        ],
        list: ListDefinition(key: "columns"),
        discussion: """
            The tables of the types, or of all that the file has. A table exists from the first value for it on, and so does a
            column; if there is none of a type, the exit status is 1. mermaid and dot are the languages of two programs that
            draw diagrams. FileFormat.md describes the columns _k, _parent and _ord, which say what a row belongs to.

            Examples: firelite schema health.sqlite Patient
                      firelite schema health.sqlite Patient --format mermaid
                      firelite schema health.sqlite --format sql
            """)

    private let database: DatabaseArgument
    private let types: [String]
    private let picture: String?
    private let listing: Listing?

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        types = try arguments.operands.map { try database.resourceLayout(named: $0).name }
        let name = arguments["format"] ?? (arguments.has("json") ? "json" : "text")
        if Self.pictures.contains(name) {
            if arguments.has("json") { throw ToolError.usage("--json and --format \(name) are given: choose one") }
            if arguments.has("spreadsheet") { throw ToolError.usage("--spreadsheet needs --format csv") }
            (picture, listing) = (name, nil)
        } else {
            guard Self.formats.contains(name) else {
                throw ToolError.usage("--format is '\(name)', none of \(Self.formats.joined(separator: ", "))")
            }
            (picture, listing) = (nil, try Listing(arguments, Self.definition))
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let schema = try database.located { try FileSchema(store, types: types) }
        if let listing { try console.print(report(schema), listing) } else { try print(schema, console) }
        let missing = types.filter { type in !schema.tables.contains { $0.name == type } }
        guard !missing.isEmpty else { return .done }
        throw ToolError.incomplete(
            "\(database.path) has no tables of \(missing.joined(separator: ", ")): nothing of the type was ever stored")
    }

    private func print(_ schema: FileSchema, _ console: Console) throws {
        let text =
            switch picture {
            case "sql": schema.sql
            case "mermaid": schema.mermaid
            case "dot": schema.dot
            default: schema.text
            }
        if !text.isEmpty { try console.print(text) }
    }

    private func report(_ schema: FileSchema) -> Report {
        var report = Report()
        report.addTable(
            "columns", ["table", "column", "type", "owner"].map { .init(key: $0) },
            schema.tables.flatMap { table in
                table.columns.map { [.text(table.name), .text($0.name), .text($0.type), FigureValue(table.owner)] }
            })
        report.addTable(
            "indexes", ["name", "table"].map { .init(key: $0) },
            schema.tables.flatMap { table in table.indexes.map { [.text($0.name), .text(table.name)] } }, isShown: false)
        return report
    }
}
