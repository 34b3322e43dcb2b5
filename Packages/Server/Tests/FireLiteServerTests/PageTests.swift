import FireLiteReleases
import FireLiteService
import Foundation
import Testing

/// The commands of the page *Serving a store*, as it has them.
@Suite(.serialized) struct PageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/FireLiteService/FireLiteService.docc/ServingAStore.md")

    /// The commands that begin with `curl`, with the lines that continue them.
    private static func commands() throws -> [String] {
        var commands: [String] = []
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            if let last = commands.last, last.hasSuffix("\\") {
                commands[commands.count - 1] = String(last.dropLast()) + line
            } else if line.hasPrefix("curl ") {
                commands.append(String(line))
            }
        }
        return commands
    }

    private func run(_ command: String, _ server: ServerProcess) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command.replacing("curl ", with: "curl -sS -o - -w '\\n%{http_code}' ")]
        process.environment = ProcessInfo.processInfo.environment.merging(["TOKEN": server.tokenText, "no_proxy": "*"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    @Test func theCommandsOfThePageWork() throws {
        let commands = try Self.commands()
        #expect(commands.count >= 4)
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") else {
            print("skipped: there is no curl")
            return
        }
        let folder = try TestFolder()
        defer { folder.remove() }
        let server = try ServerProcess(folder.file("a.sqlite"))
        for command in commands {
            let text = try run(command.replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.port)"), server)
            let status = Int(text.split(separator: "\n").last ?? "") ?? 0
            #expect((200..<300).contains(status), "\(command): \(text)")
        }
    }
}
