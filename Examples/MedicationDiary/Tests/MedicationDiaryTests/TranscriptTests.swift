import Foundation
import Testing

/// Runs the session of README.md with the built program, in a folder of its own, and compares what each command prints.
@Suite struct TranscriptTests {
    private let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardizedFileURL

    @Test func theSessionOfTheReadmeRunsAsWritten() throws {
        let readme = try String(contentsOf: package.appendingPathComponent("README.md"), encoding: .utf8)
        let sessions = readme.components(separatedBy: "```console\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("diary-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.copyItem(at: package.appendingPathComponent("Sample"), to: folder.appendingPathComponent("Sample"))

        let steps = sessions.joined().components(separatedBy: "$ ").dropFirst()
        #expect(steps.count >= 15)
        for step in steps {
            let lines = step.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            #expect(try output(of: String(lines[0]), in: folder) == String(lines[1]), "\(lines[0])")
        }
    }

    /// What a shell command prints, on standard output and standard error.
    private func output(of command: String, in folder: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = folder
        process.environment = ["PATH": "\(programs):/usr/bin:/bin"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    /// The folder of the built programs, which has the tests, too.
    private var programs: String {
        let bundle = Foundation.Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        return (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])).deletingLastPathComponent().path
    }
}
