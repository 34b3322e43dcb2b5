import FireLite
import FireLiteSync
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// `firelite sync`, `pull` and `push`.
struct SyncCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            #"{"resourceType":"Patient","id":"1"}"# + "\n"
                + #"{"resourceType":"Observation","id":"2","status":"final","code":{"text":"weight"}}"#)
    }

    private func run(_ arguments: String...) throws -> ToolRun {
        try ToolRun.process([arguments[0], "--database", database.path] + arguments.dropFirst())
    }

    @Test func aDryRunCountsAndChangesNothing() throws {
        let run = try run("push", "--server", "http://127.0.0.1:1/fhir", "--dry-run")
        #expect(run.status == .done && run.output.contains("created 2, updated 0, deleted there 0"), "\(run.error)")
        let info = try ToolRun("info", "--database", database.path)
        #expect(!info.output.contains("_sync"))
    }

    /// What a push could not send stays in the log, also what was logged before the first one.
    @Test func aFailedPushLeavesTheChangesWhereTheyAre() throws {
        let path = database.path
        func changes() throws -> [String] {
            let changes = try ToolRun("changes", "--database", path, "--json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(changes.output.utf8)) as? [String: Any], "\(changes.error)")
            return try #require(object["changes"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        }
        #expect(try ToolRun("track", "--database", path, "on", "changes").status == .done)
        let first = try database.folder.write("first.ndjson", #"{"resourceType":"Patient","id":"3"}"#)
        #expect(try ToolRun("import", "--database", path, first).status == .done)
        #expect(try changes() == ["3"])
        for _ in 0..<2 {
            #expect(try run("push", "--server", "http://127.0.0.1:1/fhir").status == .failed)
            #expect(try changes() == ["3"])
        }
        let second = try database.folder.write("second.ndjson", #"{"resourceType":"Patient","id":"4"}"#)
        #expect(try ToolRun("import", "--database", path, second).status == .done)
        #expect(try run("push", "--server", "http://127.0.0.1:1/fhir").status == .failed)
        #expect(try changes() == ["3", "4"])
    }

    @Test func wrongArgumentsAreRefused() throws {
        #expect(try run("push", "--server", "nowhere").status == .usage)
        #expect(try run("push", "--server", "http://fhir.example.org/r4").status == .usage)
        #expect(try run("pull", "--server", "https://fhir.example.org/r4", "--type", "Nonsense").status == .usage)
        #expect(try run("sync", "--server", "https://fhir.example.org/r4", "--conflicts", "nobody").status == .usage)
        #expect(try run("sync", "--server", "https://fhir.example.org/r4", "--quiet", "--json").status == .usage)
        #expect(try run("sync").status == .usage)
        for steps in ["0", "11", "x"] {
            #expect(try run("pull", "--server", "https://fhir.example.org/r4", "--prefetch", steps).status == .usage)
        }
        #expect(try run("push", "--server", "https://fhir.example.org/r4", "--prefetch", "1").status == .usage)
    }

    @Test func progressIsOneLine() {
        let pull = SyncProgress(phase: .pull, typeName: "Patient", done: 1_000, total: 2_000).line
        #expect(pull == "pulling Patient: 1,000 of 2,000")
        #expect(SyncProgress(phase: .push, typeName: nil, done: 3, total: nil).line == "pushing: 3")
    }
}
