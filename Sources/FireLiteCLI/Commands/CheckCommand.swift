import FireLite

/// `firelite check`: checks that the database is sound.
struct CheckCommand: Command {
    static let definition = CommandDefinition(
        name: "check", summary: "check that the database is sound",
        options: DatabaseArgument.options,
        operands: "", operandCount: 0...0,
        discussion: """
            Runs SQLite's integrity check, looks for rows without an owner, and compares the registry of resources
            with the tables. Prints a line for each fault and exits with status 1, or prints "sound". A file
            that is not a FireLite database is not checked and gives status 3.

            Example: firelite check --database health.sqlite
            """)

    private let database: DatabaseArgument

    init(_ arguments: ParsedArguments) throws { database = try DatabaseArgument(arguments) }

    func run(_ console: Console) throws -> ExitStatus {
        let faults = try findFaults()
        if faults.isEmpty {
            try console.print("sound")
            return .done
        }
        for fault in faults { try console.printItem(fault) }
        throw ToolError.incomplete("\(database.path) is not sound: \(faults.count) fault\(faults.count == 1 ? "" : "s")")
    }

    private func findFaults() throws -> [String] {
        do {
            return try database.openForReadingUnlocated().check().map(\.text)
        } catch let error as FHIRStoreError {
            // A store that is too damaged to be opened is unsound; any other file is a wrong argument.
            guard error.code == .notAStore, error.isDamage else { throw ToolError.failed(database.message(of: error)) }
            return [error.message]
        }
    }
}
