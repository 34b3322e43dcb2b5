import Foundation
import TestSupport
import Testing

/// Whoever misuses the library reads why, in release builds as well.
@Suite struct MisuseMessageTests {
    private static let sources = PackageFolder.url.appendingPathComponent("Sources").path

    /// A release build of the function itself, as a program: its message is seen, where that of a `precondition` is not.
    @Test(.enabled(if: Effort.isNightly && Shell.hasCompiler, "nightly, with a compiler"))
    func messagesArePrintedInReleaseBuilds() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("misuse-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let main = """
            let number = CommandLine.arguments.count
            switch CommandLine.arguments.last {
            case "precondition": precondition(number < 2, "said by a precondition \\(number)")
            case "misuse": misuse("said by misuse \\(number)")
            default: misuse(unless: number < 2, "said by a condition \\(number)")
            }
            """
        try Data(main.utf8).write(to: folder.appendingPathComponent("main.swift"))
        let program = folder.appendingPathComponent("program").path
        let built = try Shell.run(
            "/usr/bin/env",
            ["swiftc", "-O", "-package-name", "x", "-o", program, Self.sources + "/FireLiteCore/Misuse.swift", folder.path + "/main.swift"])
        try #require(built.status == 0, "\(built.text)")
        for (argument, expected) in [("misuse", "said by misuse 2"), ("condition", "said by a condition 2"), ("precondition", nil)] {
            let result = try Shell.run(program, [argument])
            #expect(result.status != 0)
            #expect(result.text.contains(expected ?? "said by") == (expected != nil), "\(argument): \(result.text)")
        }
    }
}

private enum Shell {
    static let hasCompiler = (try? run("/usr/bin/env", ["swiftc", "--version"]).status) == 0

    static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
