import Foundation
import TestSupport
import Testing

/// The program SamplesChild, which tests run beside themselves.
enum SamplesChildProgram {
    static func process(_ arguments: [String], output: Pipe) throws -> Process {
        let child = Process()
        child.executableURL = try folder().appendingPathComponent("SamplesChild")
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
            FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("SamplesChild").path)
        }
        return try #require(found, "the program SamplesChild is not built")
    }

    /// Runs the child and kills it at a random moment after so many lines; lets it end without a number.
    static func run(_ arguments: [String], killedAfter lines: Int?, _ random: inout SeededGenerator) throws {
        let output = Pipe()
        let child = try process(arguments, output: output)
        try child.run()
        if let lines {
            var received = Data()
            while received.count(where: { $0 == 10 }) < lines {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                received.append(more)
            }
            let moment = DispatchTime.now() + .microseconds(random.int(0...3_000))
            while DispatchTime.now() < moment {}
            Foundation.kill(child.processIdentifier, SIGKILL)
        }
        _ = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        if lines == nil { #expect(child.terminationStatus == 0) }
    }
}
