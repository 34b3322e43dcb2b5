import Foundation
import Testing

/// The program CrashChild, which tests run beside themselves.
enum ChildProgram {
    static func process(_ arguments: [String], output: Pipe) throws -> Process {
        let child = Process()
        child.executableURL = try folder().appendingPathComponent("CrashChild")
        child.arguments = arguments
        child.standardOutput = output
        return child
    }

    /// What the program writes until it ends by itself, and its exit status.
    static func run(_ arguments: [String]) throws -> (output: String, status: Int32) {
        let output = Pipe()
        let child = try process(arguments, output: output)
        try child.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        return (String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines), child.terminationStatus)
    }

    /// Where the build puts programs: beside the tests.
    private static func folder() throws -> URL {
        let beside = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL].flatMap { url in
            (0..<4).map { levels in (0..<levels).reduce(url) { url, _ in url.deletingLastPathComponent() } }
        }
        return try #require(
            program(in: beside)
                // As Xcode runs tests; on Linux each look at the bundles leaks a list of them.
                ?? program(
                    in: Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map { $0.bundleURL.deletingLastPathComponent() }),
            "the program CrashChild is not built")
    }

    private static func program(in folders: [URL]) -> URL? {
        folders.first { FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("CrashChild").path) }
    }
}
