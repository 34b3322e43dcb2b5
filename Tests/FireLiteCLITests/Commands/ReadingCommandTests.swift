import FireLite
import FireLiteR4
import Foundation
import Testing

@testable import FireLiteCLI

/// Commands that only read open the database read-only.
struct ReadingCommandTests {
    /// A database with commits in its log, and no shared memory: one that is opened for writing moves the log into the file when it is closed.
    private func withLog(_ body: (_ path: String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.file("store.sqlite"), folder.file("copy.sqlite"))
        let store = try FHIRStore(path: path, release: .r4)
        try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        try body(copy)
        try store.close()
    }

    private func bytes(_ path: String) throws -> [Data] {
        try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: path + $0)) }
    }

    @Test(arguments: [
        ["sql", "SELECT count(*) AS n FROM Patient"], ["sql", "SELECT 1", "--explain"], ["index", "list"], ["conflicts"],
        ["conflicts", "list"], ["find", "Patient", "--count"], ["info"], ["check"],
    ])
    func theFileAndItsLogStayAsTheyAre(_ arguments: [String]) throws {
        try withLog { path in
            let before = try bytes(path)
            #expect(!before[1].isEmpty)
            let run = try ToolRun.any([arguments[0], "--database", path] + arguments.dropFirst())
            #expect(run.status == .done && run.error.isEmpty, "\(run.error)")
            if arguments[0] == "sql", arguments.count == 2 { #expect(run.output == "{\"n\":1}\n") }
            #expect(try bytes(path) == before)
        }
    }
}
