import Foundation
import Testing

/// The tool as a process of its own, for what concerns signals and pipes.
enum ToolProcess {
    static func make(_ arguments: [String]) throws -> Process {
        _ = hearsSignals
        let process = Process()
        process.executableURL = try program()
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    /// What was started in the background may ignore these signals, and what it starts inherits that: the programs would never end.
    private static let hearsSignals: Void = { for number in [SIGINT, SIGHUP] { signal(number, SIG_DFL) } }()

    /// The path of the program.
    static func path() throws -> String { try program().path }

    /// Where the build puts programs: beside the tests.
    private static func program() throws -> URL {
        let places = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL].flatMap { url in
            (0..<4).map { levels in (0..<levels).reduce(url) { url, _ in url.deletingLastPathComponent() } }
        }
        let found = places.map { $0.appendingPathComponent("firelite") }.first {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: $0.path, isDirectory: &isFolder) && !isFolder.boolValue
        }
        return try #require(found, "the program firelite is not built")
    }
}
