@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// `firelite browse`, with a program in the place of the server.
@Suite struct BrowseCommandTests {
    private func database(_ folder: TemporaryFolder) throws -> String {
        let path = folder.file("mine.sqlite")
        let file = try folder.write("in.ndjson", #"{"resourceType":"Patient","id":"1"}"#)
        #expect(try ToolRun("import", "--database", path, file).status == .done)
        return path
    }

    /// A program that says what it was called with, as the server does, and ends.
    private func server(_ folder: TemporaryFolder, _ script: String) throws -> [String: String] {
        let path = try folder.write("firelite-server", "#!/bin/sh\n\(script)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return ["FIRELITE_SERVER": path]
    }

    @Test func theServersLinkIsPrinted() throws {
        let folder = try TemporaryFolder()
        let path = try database(folder)
        let environment = try server(
            folder, "echo \"$@\" > \(folder.file("arguments"))\necho 'FHIR R4'\necho 'Token: x'\necho 'Pages: http://127.0.0.1:1/browse'")
        let run = try ToolRun.any(["browse", path, "--no-open"], environment: environment)
        #expect(run.status == .done && run.output == "http://127.0.0.1:1/browse\n")
        #expect(try String(contentsOfFile: folder.file("arguments"), encoding: .utf8) == "--database \(path) --port 0 --read-only\n")
        _ = try ToolRun.any(["browse", path, "--no-open", "--edit", "--port", "8123"], environment: environment)
        #expect(try String(contentsOfFile: folder.file("arguments"), encoding: .utf8) == "--database \(path) --port 8123 --editing\n")
    }

    @Test func aLookNeverUpgradesTheFile() throws {
        let folder = try TemporaryFolder()
        let path = try database(folder)
        try Connection(path: path).execute("PRAGMA user_version = 1")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let environment = try server(folder, "touch \(folder.file("started"))")
        let run = try ToolRun.any(["browse", path, "--no-open"], environment: environment)
        #expect(run.status == .failed && run.error.contains("has format 1") && run.error.contains("firelite info"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(!FileManager.default.fileExists(atPath: folder.file("started")))
    }

    #if SQLCipher
        @Test func withoutAKeyThePagesAskForIt() throws {
            let folder = try TemporaryFolder()
            let path = folder.file("mine.sqlite")
            let key = try folder.write("key", "correct horse battery staple")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            let file = try folder.write("in.ndjson", #"{"resourceType":"Patient","id":"1"}"#)
            #expect(try ToolRun("import", "--database", path, "--key-file", key, file).status == .done)
            let environment = try server(folder, "echo \"$@\" > \(folder.file("arguments"))\necho 'Pages: http://127.0.0.1:1/browse'")
            #expect(try ToolRun.any(["browse", path, "--no-open"], environment: environment).status == .done)
            let arguments = try String(contentsOfFile: folder.file("arguments"), encoding: .utf8)
            #expect(arguments == "--database \(path) --port 0 --read-only --ask-key\n")
            let wrong = try folder.write("wrong", "wrong")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
            #expect(try ToolRun.any(["browse", path, "--no-open", "--key-file", wrong], environment: environment).status == .failed)
        }
    #endif

    @Test func aServerThatEndsEarlyIsAnError() throws {
        let folder = try TemporaryFolder()
        let path = try database(folder)
        let run = try ToolRun.any(["browse", path, "--no-open"], environment: try server(folder, "exit 7"))
        #expect(run.status == .failed && run.error.contains("status 7") && run.output.isEmpty)
    }

    /// Otherwise a server, which may change the database, would go on without anybody who knows of it.
    @Test(.timeLimit(.minutes(1)), arguments: [SIGTERM, SIGHUP]) func theServerEndsWithTheTool(_ signal: Int32) throws {
        let folder = try TemporaryFolder()
        let tool = try ToolProcess.make(["browse", try database(folder), "--no-open"])
        let script = "echo 'Pages: http://127.0.0.1:1/browse'; exec tail -f /dev/null"
        tool.environment = ProcessInfo.processInfo.environment.merging(try server(folder, script)) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        (tool.standardOutput, tool.standardError) = (output, errors)
        try tool.run()
        try errors.fileHandleForWriting.close()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "http://127.0.0.1:1/browse\n")
        kill(tool.processIdentifier, signal)
        tool.waitUntilExit()
        #expect(tool.terminationReason == .uncaughtSignal && tool.terminationStatus == signal)
        // The server writes its errors where the tool does: there is an end when both have ended.
        #expect(try errors.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    @Test func withoutAServerTheErrorSaysHowToGetIt() throws {
        let folder = try TemporaryFolder()
        let run = try ToolRun.any(["browse", try database(folder), "--no-open"], environment: [:])
        #expect(run.status == .failed && run.error.contains("make server"))
    }

    @Test func filesThatAreNoStoreAreRefusedBeforeTheServerStarts() throws {
        let folder = try TemporaryFolder()
        let environment = try server(folder, "touch \(folder.file("started"))")
        let text = try folder.write("text.sqlite", "no database")
        #expect(try ToolRun.any(["browse", text, "--no-open"], environment: environment).status == .failed)
        #expect(try ToolRun.any(["browse", folder.file("none.sqlite"), "--no-open"], environment: environment).status == .failed)
        #expect(!FileManager.default.fileExists(atPath: folder.file("started")))
    }

    @Test func theAddressIsReadOnlyFromAWholeLine() {
        #expect(ServerProgram.address(in: "FHIR\nPages: http://a/b") == nil)
        #expect(ServerProgram.address(in: "FHIR\nPages: http://a/b\n") == "http://a/b")
        #expect(ServerProgram.address(in: "FHIR\n") == nil)
    }
}
