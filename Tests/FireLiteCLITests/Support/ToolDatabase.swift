import Testing

@testable import FireLiteCLI

/// A database that the tool has filled, in a folder of its own.
struct ToolDatabase {
    let folder: TemporaryFolder
    let path: String

    /// - Parameter lines: what is imported, as NDJSON.
    init(_ lines: String) throws {
        folder = try TemporaryFolder()
        path = folder.file("store.sqlite")
        #expect(try ToolRun("import", "--database", path, folder.write("in.ndjson", lines)).status == .done)
    }

    /// Runs a command on the database.
    func run(_ command: String, _ arguments: [String], isTerminal: Bool = false) throws -> ToolRun {
        try ToolRun([command, "--database", path] + arguments, isTerminal: isTerminal)
    }
}
