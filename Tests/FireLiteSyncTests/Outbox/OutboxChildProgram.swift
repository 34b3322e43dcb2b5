import Foundation
import Testing

/// The program OutboxChild, which tests run beside themselves.
enum OutboxChildProgram {
    static func process(_ arguments: [String], output: Pipe) throws -> Process {
        let child = Process()
        child.executableURL = try folder().appendingPathComponent("OutboxChild")
        child.arguments = arguments
        child.standardOutput = output
        return child
    }

    /// Where the build puts programs: beside the tests.
    private static func folder() throws -> URL {
        let beside = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL].flatMap { url in
            (0..<4).map { levels in (0..<levels).reduce(url) { url, _ in url.deletingLastPathComponent() } }
        }
        let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map { $0.bundleURL.deletingLastPathComponent() }
        let found = (beside + bundles).first {
            FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("OutboxChild").path)
        }
        return try #require(found, "the program OutboxChild is not built")
    }
}
