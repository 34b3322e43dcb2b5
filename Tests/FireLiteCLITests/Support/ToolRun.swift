import FireLiteSQLiteBridge
import Foundation

@testable import FireLiteCLI

/// One run of the tool, with what it wrote.
struct ToolRun {
    /// Whether the tool's SQLite library has FTS5, which Debian's SQLCipher lacks.
    static let hasFullText = {
        do { return try Connection(path: ":memory:").hasModule("fts5") } catch { return false }
    }()

    let status: ExitStatus
    let output: String
    let error: String

    /// - Parameters:
    ///   - input: what standard input gives.
    ///   - isTerminal: whether both outputs are terminals.
    ///   - environment: what decides about colors and names the server; none unless given.
    init(_ arguments: [String], input: Data = Data(), isTerminal: Bool = false, environment: [String: String] = [:]) throws {
        let (output, error) = (MemoryOutput(), MemoryOutput())
        let pipe = Pipe()
        // A pipe holds little, so another thread fills it.
        let writer = Thread {
            do { try pipe.fileHandleForWriting.write(contentsOf: input) } catch {}
            do { try pipe.fileHandleForWriting.close() } catch {}
        }
        writer.start()
        // A server that was built stands beside the tests, and would serve without end.
        let environment = environment.merging(["FIRELITE_SERVER": "/dev/null/firelite-server"]) { given, _ in given }
        let console = Console(
            standardOutput: output, standardError: error, standardInput: pipe.fileHandleForReading.fileDescriptor,
            outputIsTerminal: isTerminal, errorIsTerminal: isTerminal, width: 200, environment: environment)
        status = FireLiteTool(console: console).run(arguments: arguments)
        self.output = output.text
        self.error = error.text
        withExtendedLifetime(pipe) {}
    }

    init(_ arguments: String...) throws { try self.init(arguments) }

    /// A run as a process of its own, for commands that wait for tasks: in the tests' process, tests that block hold all of the threads that
    /// tasks run on.
    static func process(_ arguments: [String]) throws -> ToolRun {
        let process = try ToolProcess.make(arguments)
        let output = Pipe()
        // Errors go to a file: with two pipes, a tool that fills the one that is read last would wait for ever.
        let folder = try TemporaryFolder()
        let errors = try folder.write("errors", "")
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let errorText = try folder.read("errors")
        return ToolRun(status: ExitStatus(rawValue: process.terminationStatus) ?? .failed, output: text, error: errorText)
    }

    /// The commands that wait for tasks, and the options with which others do.
    private static let waiting: Set<String> = ["outbox", "token", "register", "sync", "pull", "push", "conflicts", "samples"]
    private static let waitingOptions: Set<String> = ["--server", "--registry"]

    /// A run in this process, or one of its own for commands that wait for tasks.
    static func any(_ arguments: [String], environment: [String: String] = [:]) throws -> ToolRun {
        let isWaiting = waiting.contains(arguments.first ?? "") || !waitingOptions.isDisjoint(with: arguments)
        return try isWaiting ? process(arguments) : ToolRun(arguments, environment: environment)
    }

    private init(status: ExitStatus, output: String, error: String) {
        (self.status, self.output, self.error) = (status, output, error)
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The summary of an import without its time.
    var counts: String { output.components(separatedBy: ", seconds").first ?? "" }
}
