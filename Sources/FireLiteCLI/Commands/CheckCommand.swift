import FireLite

/// `firelite check`: checks that the database is sound.
struct CheckCommand: Command {
    static let definition = CommandDefinition(
        name: "check", summary: "check that the database is sound",
        options: DatabaseArgument.options,
        operands: "", operandCount: 0...0, operandKinds: [.database], ownOperand: OwnOperand.none,
        jsonKeys: [
            JSONKey("sound", "whether there are no faults"),
            JSONKey("faults", "a list: kind, table, type, number (the resource's in the store), text; null if unknown"),
        ],
        list: ListDefinition(key: "faults"),
        discussion: """
            Runs SQLite's integrity check, looks for rows without an owner, and compares the registry of resources
            with the tables, and verifies the audit trail with the keys in the file. Prints "sound", or a line for each
            fault; the exit status is then 1. For a file that is no FireLite database it is 3.

            Example: firelite check health.sqlite
            """)

    private let database: DatabaseArgument
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        listing = try Listing(arguments, Self.definition)
    }

    func run(_ console: Console) throws -> ExitStatus {
        let faults = try Self.faults(of: database).map(Self.item)
        var report = Report()
        report.addMember("sound", .flag(faults.isEmpty))
        report.addItems("faults", keys: Self.keys, faults)
        if faults.isEmpty { report.addNote("sound") }
        try console.print(report, listing)
        guard !faults.isEmpty else { return .done }
        throw ToolError.incomplete("\(database.path) is not sound: \(faults.count) fault\(faults.count == 1 ? "" : "s")")
    }

    /// The figures of a fault.
    static let keys = ["kind", "table", "type", "number", "text"]

    /// The faults of a database, also those of what modules keep in it.
    static func faults(of database: DatabaseArgument) throws -> [StoreFinding] {
        do {
            return try database.openForReadingUnlocated().check()
        } catch let error as FHIRStoreError {
            // A store that is too damaged to be opened is unsound; any other file is a wrong argument.
            guard error.code == .notAStore, error.isDamage else { throw ToolError.failed(database.message(of: error)) }
            return [StoreFinding(.unreadable, error.message)]
        }
    }

    /// A line for a fault.
    static func item(_ fault: StoreFinding) -> (line: String, figures: [Report.Figure]) {
        let figures: [Report.Figure] = [
            .init("kind", .text(fault.kind.rawValue)), .init("table", FigureValue(fault.table)), .init("type", FigureValue(fault.typeName)),
            .init("number", fault.number.map { .number(Int($0)) } ?? .none), .init("text", .text(fault.text)),
        ]
        return (fault.text, figures)
    }
}
