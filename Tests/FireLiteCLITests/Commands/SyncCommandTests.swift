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
        for seconds in ["-1", "1000000001", "x"] {
            #expect(try run("pull", "--server", "https://fhir.example.org/r4", "--overlap", seconds).status == .usage)
        }
        for option in [["--lenient"], ["--overlap", "60"]] {
            let arguments = ["push", "--database", database.path, "--server", "https://fhir.example.org/r4"]
            #expect(try ToolRun.process(arguments + option).status == .usage)
        }
    }

    @Test func aPushHasNothingThatOnlyAPullUses() throws {
        #expect(try run("push", "--server", "https://fhir.example.org/r4", "--type", "Patient").status == .usage)
        let help = try ToolRun("help", "push").output
        for word in ["--prefetch", "--overlap", "--lenient", "--type", "prefetched"] { #expect(!help.contains(word), "\(word)") }
        let json = try run("push", "--server", "http://127.0.0.1:1/fhir", "--dry-run", "--json").output
        #expect(json.contains(#""created":2"#) && !json.contains("prefetched"), "\(json)")
    }

    private static func capabilities(_ interaction: String) -> String {
        #"{"resourceType":"CapabilityStatement","status":"active","date":"2024","kind":"instance","fhirVersion":"4.0.1","format":["json"],"#
            + #""rest":[{"mode":"server","resource":[{"type":"Patient","interaction":[{"code":"\#(interaction)"}]}]}]}"#
    }

    /// A server with some resources of Patient, of which it counts more than it sends.
    private func server(_ resources: [String], more: Int = 0) throws -> AnsweringServer {
        let entries = resources.map { #"{"resource":\#($0),"search":{"mode":"match"}}"# }.joined(separator: ",")
        let bundle =
            #"{"resourceType":"Bundle","type":"searchset","total":\#(resources.count + more),"#
            + #""link":[{"relation":"self","url":"Patient"}]\#(entries.isEmpty ? "" : #","entry":[\#(entries)]"#)}"#
        return try AnsweringServer { _, target in
            AnsweringServer.Answer(target.contains("/metadata") ? Self.capabilities("search-type") : bundle)
        }
    }

    private func pull(_ server: AnsweringServer, _ more: String...) throws -> ToolRun {
        try ToolRun.process(
            ["pull", "--database", database.path, "--server", server.base, "--plain-http", "--type", "Patient"] + more)
    }

    /// A server that keeps less than it gets is not sent the same in each run because the database's state wins.
    @Test func whatAServerDropsIsSentOnce() throws {
        let count = Counter()
        @Sendable func json() -> String {
            #"{"resourceType":"Patient","id":"1","meta":{"versionId":"\#(count.value)","lastUpdated":"2024-01-01T00:00:0\#(count.value)Z"}}"#
        }
        let server = try AnsweringServer { method, target in
            if target.contains("/metadata") { return AnsweringServer.Answer(Self.capabilities("search-type")) }
            if method == "PUT" {
                count.increase()
                return AnsweringServer.Answer(json(), status: count.value == 1 ? 201 : 200)
            }
            let entry = count.value == 0 ? "" : #","entry":[{"resource":\#(json())}]"#
            return target.contains("/Patient/1")
                ? AnsweringServer.Answer(json())
                : AnsweringServer.Answer(#"{"resourceType":"Bundle","type":"searchset"\#(entry)}"#)
        }
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1","active":true}"#)
        let arguments = ["sync", "--database", database.path, "--server", server.base, "--plain-http", "--type", "Patient"]
        for _ in 0..<4 {
            let run = try ToolRun.process(arguments + ["--conflicts", "client"])
            #expect(run.status == .incomplete && run.output.contains("deferred Patient/1"), "\(run.output) \(run.error)")
        }
        #expect(count.value == 1)
        #expect(try ToolRun("get", "--database", database.path, "Patient/1").output.contains("active"))
        #expect(try ToolRun.process(arguments + ["--conflicts", "server"]).status == .done)
        #expect(try !ToolRun("get", "--database", database.path, "Patient/1").output.contains("active"))
    }

    /// A server that was restored and gives a version's number again, or an earlier one: the store's state replaces nobody's in later runs, either.
    @Test(arguments: ["2", "1"]) func whatWasWrittenAfterARestorationIsNotReplaced(version: String) throws {
        let count = Counter()
        @Sendable func json() -> String {
            let (name, number, second) = count.value == 0 ? ("Two", "2", 2) : ("Other", version, 5)
            return #"{"resourceType":"Patient","id":"1","meta":{"versionId":"\#(number)","lastUpdated":"2024-01-01T00:00:0\#(second)Z"},"#
                + #""name":[{"family":"\#(name)"}]}"#
        }
        let writes = Counter()
        let server = try AnsweringServer { method, target in
            if target.contains("/metadata") { return AnsweringServer.Answer(Self.capabilities("search-type")) }
            if method == "PUT" || method == "POST" { writes.increase() }
            return target.contains("/Patient/1")
                ? AnsweringServer.Answer(json())
                : AnsweringServer.Answer(#"{"resourceType":"Bundle","type":"searchset","entry":[{"resource":\#(json())}]}"#)
        }
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1","name":[{"family":"Two"}]}"#)
        let arguments = ["sync", "--database", database.path, "--server", server.base, "--plain-http", "--type", "Patient"]
        #expect(try ToolRun.process(arguments).status == .done)
        count.increase()
        for _ in 0..<3 {
            let run = try ToolRun.process(arguments + ["--conflicts", "client"])
            #expect(run.status == .incomplete && run.output.contains("deferred Patient/1"), "\(run.output) \(run.error)")
        }
        #expect(writes.value == 0)
        #expect(try ToolRun("get", "--database", database.path, "Patient/1").output.contains("Two"))
    }

    /// Servers may show changes long after the dates that they have: this one has one of January 1 since the second pull, which began later.
    @Test(arguments: [nil, "86400"]) func aPullBeginsEarlierByTheOverlap(overlap: String?) throws {
        func entry(_ id: String, _ day: Int) -> String {
            #"{"resource":{"resourceType":"Patient","id":"\#(id)","meta":{"versionId":"1","lastUpdated":"2024-01-0\#(day)T00:00:00Z"}},"#
                + #""search":{"mode":"match"}}"#
        }
        let entries = [entry("old", 1), entry("new", 2)]
        let server = try AnsweringServer { _, target in
            guard !target.contains("/metadata") else { return AnsweringServer.Answer(Self.capabilities("search-type")) }
            let begin = target.removingPercentEncoding?.firstMatch(of: /_lastUpdated=ge([0-9T:-]+)/)?.output.1
            let found = begin == nil ? [entries[1]] : begin.map { $0 <= "2024-01-01T00:00:00" } == true ? entries : []
            let list = found.isEmpty ? "" : #","entry":[\#(found.joined(separator: ","))]"#
            return AnsweringServer.Answer(#"{"resourceType":"Bundle","type":"searchset","total":\#(found.count)\#(list)}"#)
        }
        let arguments = ["--database", database.path, "--server", server.base, "--plain-http", "--type", "Patient"]
        #expect(try ToolRun.process(["pull"] + arguments).output.contains("pulled 1"))
        let more = overlap.map { ["--overlap", $0] } ?? []
        #expect(try ToolRun.process(["pull"] + arguments + more).output.contains(overlap == nil ? "pulled 0" : "pulled 1"))
    }

    @Test(arguments: ["pull", "sync"]) func aDryRunWithoutADatabaseCountsEverything(_ command: String) throws {
        let server = try server([#"{"resourceType":"Patient","id":"a","meta":{"versionId":"1","lastUpdated":"2024-01-01T00:00:00Z"}}"#])
        let path = database.folder.file("none.sqlite")
        let run = try ToolRun.process([command, "--database", path, "--server", server.base, "--plain-http", "--dry-run"])
        #expect(run.status == .done && run.output.contains("pulled 1"), "\(run.output)\(run.error)")
        #expect(!FileManager.default.fileExists(atPath: path))
        let push = try ToolRun.process(["push", "--database", path, "--server", server.base, "--plain-http", "--dry-run"])
        #expect(push.status == .failed && push.error.contains("no such database"), "\(push.error)")
    }

    @Test func aServerThatCannotBeSearchedIsSaid() throws {
        let server = try AnsweringServer { _, _ in AnsweringServer.Answer(Self.capabilities("read")) }
        let run = try ToolRun.process(["pull", "--database", database.path, "--server", server.base, "--plain-http"])
        #expect(run.status == .incomplete && run.error.contains("search") && run.output.isEmpty, "\(run.error)")
    }

    /// What cannot be read is listed by each run until it can be, hides nothing else, and is read as far as possible with `--lenient`.
    @Test func whatCannotBeReadIsListed() throws {
        let server = try server([
            #"{"resourceType":"Patient","id":"a","meta":{"versionId":"1","lastUpdated":"2024-01-01T00:00:00Z"}}"#,
            #"{"resourceType":"Patient","id":"b","meta":{"versionId":"1","lastUpdated":"2024-01-02T00:00:00Z"},"birthDate":"yesterday"}"#,
        ])
        for _ in 0..<2 {
            let run = try pull(server)
            #expect(run.status == .incomplete && run.error.contains("1 resource unreadable: --lenient reads"), "\(run.error)")
            #expect(run.output.contains("unreadable Patient/b: ") && run.output.contains("birthDate"), "\(run.output)")
            #expect(!(run.output + run.error).contains("yesterday"))
        }
        #expect(try ToolRun("get", "--database", database.path, "Patient/a").status == .done)
        let json = try pull(server, "--json")
        #expect(json.output.contains(#""unreadable":[{"type":"Patient","id":"b","version":"1","reason":"#), "\(json.output)")
        let lenient = try pull(server, "--lenient")
        #expect(lenient.status == .done && !lenient.output.contains("unreadable"), "\(lenient.output)\(lenient.error)")
        #expect(try ToolRun("get", "--database", database.path, "Patient/b").status == .done)
    }

    /// What cannot be read in the database is not sent, and each run lists it.
    @Test func whatCannotBeReadHereIsListed() throws {
        #expect(try ToolRun("delete", "--database", database.path, "Patient/1").status == .done)
        let store = try FHIRStore(path: database.path, release: .r4)
        try store.write { tx in
            let changed = try tx.run(
                on: ModuleTables(module: "test", version: 1, tables: [ModuleTable("_test", key: "k", columns: [])]),
                "UPDATE Observation SET status = 'amended' WHERE id = '2'", [])
            #expect(changed == 1)
        }
        try store.close()
        let server = try AnsweringServer { _, _ in AnsweringServer.Answer(Self.capabilities("read")) }
        for _ in 0..<2 {
            let run = try run("push", "--server", server.base, "--plain-http")
            #expect(run.status == .incomplete && run.error.contains("1 resource of the database unreadable: `firelite check` says why"))
            #expect(run.output.contains("not sent Observation/2: it cannot be read here, see `firelite check`"), "\(run.output)")
        }
        let json = try run("push", "--server", server.base, "--plain-http", "--json")
        #expect(json.output.contains(#""damaged":1"#) && json.output.contains(#""held":0"#), "\(json.output)")
    }

    /// A server without a history of a type does not say what it has deleted: each form of output says so once there is something to delete.
    @Test func typesWithoutDeletionsAreInEveryForm() throws {
        let patient = #"{"resourceType":"Patient","id":"a","meta":{"versionId":"1","lastUpdated":"2024-01-01T00:00:00Z"}}"#
        let bundle = #"{"resourceType":"Bundle","type":"searchset","total":1,"entry":[{"resource":\#(patient),"search":{"mode":"match"}}]}"#
        let server = try AnsweringServer { _, target in
            if target.contains("/_history") { return AnsweringServer.Answer("{}", status: 404) }
            return AnsweringServer.Answer(target.contains("/metadata") ? Self.capabilities("search-type") : bundle)
        }
        #expect(try pull(server).status == .done)
        let text = try pull(server)
        #expect(text.output.contains("the server does not say what was deleted there: Patient"), "\(text.output)\(text.error)")
        let json = try pull(server, "--json")
        #expect(json.output.contains(#""typesWithoutDeletions":["Patient"]"#) && json.output.contains(#""undecided":0"#), "\(json.output)")
        let quiet = try pull(server, "--quiet")
        #expect(quiet.output.isEmpty)
        #expect(quiet.error.contains("note: the server does not say what was deleted there: Patient\n"), "\(quiet.error)")
    }

    @Test func whatTheServerCountsAndDoesNotSendIsSaid() throws {
        let patient = #"{"resourceType":"Patient","id":"a","meta":{"versionId":"1","lastUpdated":"2024-01-01T00:00:00Z"}}"#
        let run = try pull(try server([patient], more: 2))
        #expect(run.status == .incomplete && run.output.contains("counted and not sent by the server 2"), "\(run.output)")
        #expect(run.error.contains("the server counts 2 more than it sends"), "\(run.error)")
        #expect(try pull(try server([patient], more: 2), "--json").output.contains(#""withheld":2"#))
    }

    @Test func progressIsOneLine() {
        let pull = SyncProgress(phase: .pull, typeName: "Patient", done: 1_000, total: 2_000).line
        #expect(pull == "pulling Patient: 1,000 of 2,000")
        #expect(SyncProgress(phase: .push, typeName: nil, done: 3, total: nil).line == "pushing: 3")
    }
}

/// A number that several threads increase.
///
/// `@unchecked Sendable`: the lock guards it.
private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0

    var value: Int { lock.withLock { number } }

    func increase() { lock.withLock { number += 1 } }
}
