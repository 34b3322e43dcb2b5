import FireLite
import Foundation

/// `firelite check`: whether the database is sound.
struct CheckCommand: Command {
    /// SQLite's results for a file that is damaged, or none of its own: <https://www.sqlite.org/rescode.html>, SQLITE_CORRUPT and SQLITE_NOTADB.
    private static let damaged: Set<Int32> = [11, 26]

    static let definition = CommandDefinition(
        name: "check", summary: "check that the database is sound",
        options: DatabaseArgument.options,
        operands: "", operandCount: 0...0,
        discussion: """
            Runs SQLite's integrity check, looks for rows that belong to nothing, and compares the registry of resources
            with the tables. Prints what is wrong, a line for each fault, and exits with status 1; or prints "sound".

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
        for fault in faults { try console.print(fault) }
        throw ToolError.incomplete("\(database.path) is not sound: \(faults.count) fault\(faults.count == 1 ? "" : "s")")
    }

    private func findFaults() throws -> [String] {
        do {
            return try database.openUnlocated().check()
        } catch let error as FHIRStoreError {
            // The low byte is the primary result.
            guard let code = error.sqliteCode, Self.damaged.contains(code & 0xFF) else {
                throw ToolError.failed("\(database.path): \(error)")
            }
            return [error.message]
        }
    }
}
