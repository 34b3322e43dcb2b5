import FireLite

/// `firelite info`: prints what the database contains.
struct InfoCommand: Command {
    static let definition = CommandDefinition(
        name: "info", summary: "print what is stored: resources by type, tables, sizes",
        options: DatabaseArgument.options,
        operands: "", operandCount: 0...0,
        discussion: """
            The size is the file's, without the write-ahead log. Columns in use are counted, without bookkeeping columns.

            Example: firelite info --database health.sqlite
            """)

    private let database: DatabaseArgument

    init(_ arguments: ParsedArguments) throws { database = try DatabaseArgument(arguments) }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let (counts, statistics) = try database.located { (try store.counts(), try store.statistics()) }
        var facts = TextTable([.left, .left])
        facts.add("file", database.path)
        facts.add("size", Figures.bytes(statistics.fileBytes))
        facts.add("release", "\(store.release.name) \(store.release.version)")
        var types = TextTable([.left, .right])
        types.add("type", "resources")
        for count in counts { types.add(count.typeName, Figures.count(count.count)) }
        types.add("total", Figures.count(statistics.resources))
        var tables = TextTable([.left, .right, .right])
        tables.add("table", "rows", "columns")
        for table in statistics.tables { tables.add(table.name, Figures.count(table.rows), Figures.count(table.columns)) }
        for other in statistics.others { tables.add("(\(other))", "", "") }
        try console.print([facts, types, tables].map(\.text).joined(separator: "\n\n"))
        return .done
    }
}
