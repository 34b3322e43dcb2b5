import Foundation

/// A program of the machine, such as a shell, that a test runs if it is installed.
struct ShellProgram {
    /// What it wrote to both outputs, and its exit status.
    struct Result: Equatable {
        let output: String
        let status: Int32
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    private let url: URL

    /// Finds a program in the folders of `PATH`; nil if it is not installed.
    init?(_ name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let paths = folders.map { "\($0)/\(name)" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
        url = URL(fileURLWithPath: path)
    }

    static func isInstalled(_ name: String) -> Bool { ShellProgram(name) != nil }

    /// Runs it to its end.
    func run(_ arguments: [String], in folder: TemporaryFolder) throws -> Result {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(output: String(decoding: data, as: UTF8.self), status: process.terminationStatus)
    }
}
