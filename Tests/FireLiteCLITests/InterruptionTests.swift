import Foundation
import Testing

@testable import FireLiteCLI

/// What is left of a run that is ended from outside.
struct InterruptionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var database: String { folder.file("test.sqlite") }
    private var partial: [String] { get throws { try folder.names.filter { $0.hasPrefix(".firelite-") } } }

    /// Starts an import that waits for more input and has a rejects file that is not complete.
    private func waitingImport() throws -> (Process, Pipe) {
        let process = try ToolProcess.make(
            ["import", "--database", database, "--on-error", "skip", "--rejects", folder.file("rejects.ndjson"), "-"])
        let input = Pipe()
        process.standardInput = input
        try process.run()
        // More than a pipe holds: when it is written, the tool is reading.
        let line = Data((#"{"resourceType":"Patient","id":"x"}"# + "\n").utf8)
        try input.fileHandleForWriting.write(contentsOf: (0..<10_000).reduce(into: Data()) { data, _ in data += line })
        return (process, input)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalLeavesNothingPartial(_ signal: Int32) throws {
        let (process, input) = try waitingImport()
        #expect(try partial.count == 1)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        // The shell is told of the signal.
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
        #expect(try partial == [])
        #expect(try !folder.names.contains("rejects.ndjson"))
        withExtendedLifetime(input) {}
        #expect(try ToolRun("check", "--database", database).output == "sound\n")
    }

    @Test func whatAKillLeavesIsSweptByTheNextRun() throws {
        let (process, input) = try waitingImport()
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(try partial.count == 1)
        withExtendedLifetime(input) {}
        #expect(try ToolRun("info", "--database", database).status == .done)
        #expect(try partial == [])
    }

    /// One that goes on is left alone.
    @Test func whatAnotherRunUsesIsNotSwept() throws {
        let (process, input) = try waitingImport()
        #expect(try ToolRun("info", "--database", database).status == .done)
        #expect(try partial.count == 1)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try partial == [] && folder.names.contains("rejects.ndjson"))
    }

    @Test(arguments: [["export", "--output", "-"], ["find", "Patient"], ["info"]])
    func aReaderThatHasEnoughEndsTheToolQuietly(_ arguments: [String]) throws {
        let lines = (0..<2_000).map { #"{"resourceType":"Patient","id":"\#($0)","name":[{"family":"x"}]}"# }
        let given = try folder.write("given.ndjson", lines.joined(separator: "\n"))
        #expect(try ToolRun("import", "--database", database, given).status == .done)
        let process = try ToolProcess.make(arguments + ["--database", database])
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try output.fileHandleForReading.close()
        try process.run()
        let message = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == ExitStatus.unread.rawValue)
        #expect(message.isEmpty)
    }
}
