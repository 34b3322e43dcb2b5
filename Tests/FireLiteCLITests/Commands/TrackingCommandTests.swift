import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLiteCLI

/// `track`, `changes`, `history` and `get --version`.
struct TrackingCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(#"{"resourceType":"Patient","id":"a","name":[{"family":"Adams"}]}"#)
    }

    private func tool(_ command: String, _ arguments: String...) throws -> ToolRun { try database.run(command, arguments) }

    private func put(_ lines: String...) throws {
        let file = try database.folder.write("put.ndjson", lines.joined(separator: "\n"))
        #expect(try ToolRun("import", "--database", database.path, file).status == .done)
    }

    private func object(_ run: ToolRun) throws -> [String: Any] {
        #expect(run.status == .done && run.lines.count == 1, "\(run.error)")
        return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    private func list(_ run: ToolRun, _ key: String) throws -> [[String: Any]] { try #require(try object(run)[key] as? [[String: Any]]) }

    @Test func trackingIsSwitchedAndListed() throws {
        #expect(
            try tool("track", "list").lines.map { $0.split(separator: " ").joined(separator: " ") }
                == ["change log off", "history off", "kept entries 0", "newest entry 0"])
        #expect(try tool("track", "on", "changes").status == .done)
        #expect(try tool("track", "on", "history", "Patient", "Observation").status == .done)
        let listed = try object(tool("track", "list", "--json"))
        #expect(listed["changes"] as? [String] == ["*"] && listed["history"] as? [String] == ["Observation", "Patient"])
        try put(#"{"resourceType":"Patient","id":"b"}"#)
        #expect(try tool("track", "list").lines.contains { $0.hasPrefix("change log") && $0.hasSuffix("all types") })
        let info = try object(tool("info", "--json"))
        #expect(info["changes"] as? [String] == ["*"] && info["entries"] as? Int == 1)
        #expect(try tool("info").output.contains("kept entries  1"))
        #expect(try tool("track", "off", "history", "Observation").status == .done)
        #expect(try object(tool("track", "list", "--json"))["history"] as? [String] == ["Patient"])
        // All types are logged, so one cannot be taken out.
        #expect(try tool("track", "off", "changes", "Patient").status == .usage)
        for tracking in ["changes", "history"] { #expect(try tool("track", "off", tracking).status == .done) }
        #expect(try object(tool("info", "--json"))["entries"] as? Int == 0)
    }

    @Test func readersOfTheLogAreListed() throws {
        #expect(try tool("track", "on", "changes").status == .done)
        do { _ = try FHIRStore(path: database.path, release: .r4).changeReader(named: "sync") }
        let readers = try list(tool("track", "list", "--json"), "readers")
        #expect(readers.map { $0["name"] as? String } == ["sync"])
        #expect(readers.map { $0["acknowledged"] as? Int } == [try #require(try object(tool("track", "list", "--json"))["newest"] as? Int)])
        #expect(try tool("track", "list").output.contains("sync"))
    }

    @Test func changesArePrintedSquashedOrOneByOne() throws {
        let off = try tool("changes")
        #expect(off.status == .incomplete && off.error.contains("firelite track --database FILE on changes"))
        #expect(try tool("track", "on", "changes").status == .done)
        let start = try #require(try object(tool("changes", "--json"))["newest"] as? Int)
        try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"Brown"}]}"#)
        try put(
            #"{"resourceType":"Patient","id":"a","name":[{"family":"Clark"}]}"#,
            #"{"resourceType":"Observation","id":"o","status":"final"}"#)
        #expect(try ToolRun("delete", "--database", database.path, "Observation/o").status == .done)
        let squashed = try list(tool("changes", "--json"), "changes")
        #expect(squashed.map { $0["kind"] as? String } == ["updated"] && squashed.map { $0["id"] as? String } == ["a"])
        #expect(squashed.map { $0["number"] as? Int } == [start + 2])
        let each = try list(tool("changes", "--since", "\(start)", "--each", "--json"), "changes")
        #expect(each.map { $0["kind"] as? String } == ["updated", "updated", "added", "deleted"])
        #expect(each.map { $0["number"] as? Int } == [start + 1, start + 2, start + 3, start + 4])
        #expect(try list(tool("changes", "--since", "\(start + 2)", "--json"), "changes").isEmpty)
        #expect(try list(tool("changes", "--limit", "1", "--each", "--json"), "changes").count == 1)
        #expect(
            try tool("changes", "--after", "\(start + 3)", "--each", "--json").output
                == tool("changes", "--since", "\(start + 3)", "--each", "--json").output)
        #expect(try tool("changes", "--since", "0", "--after", "0").status == .incomplete)
        // What is no longer there is an answer of its own.
        let gap = try tool("changes", "--since", "0")
        #expect(gap.status == .incomplete && gap.error.contains("read everything again"))
    }

    @Test func pagesOfChangesHideAndRepeatNothing() throws {
        #expect(try tool("track", "on", "changes").status == .done)
        for (id, family) in [("x", "Brown"), ("y", "Brown"), ("x", "Clark")] {
            try put(#"{"resourceType":"Patient","id":"\#(id)","name":[{"family":"\#(family)"}]}"#)
        }
        let all = try list(tool("changes", "--json"), "changes")
        #expect(all.map { $0["id"] as? String } == ["y", "x"])
        var pages: [String?] = []
        var page = try list(tool("changes", "--limit", "1", "--json"), "changes")
        while let row = page.first, pages.count < 4 {
            pages.append(row["id"] as? String)
            let number = try #require(row["number"] as? Int)
            page = try list(tool("changes", "--limit", "1", "--after", "\(number)", "--json"), "changes")
        }
        #expect(pages == ["y", "x"])
    }

    @Test func valuesArePrintedOnlyWhereAskedFor() throws {
        #expect(try tool("track", "on", "changes").status == .done)
        try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"Brown"}]}"#)
        for arguments in [[], ["--paths"], ["--each", "--json"], ["--paths", "--json"]] {
            let run = try database.run("changes", arguments)
            #expect(run.status == .done && !run.output.contains("Adams") && !run.output.contains("Brown"), "\(arguments)")
            #expect(run.output.contains("name[0].family") == arguments.contains("--paths"), "\(arguments)")
        }
        #expect(try tool("changes", "--values").output.contains(#"name[0].family: "Adams" → "Brown""#))
        let elements = try list(tool("changes", "--values", "--json"), "changes")[0]["elements"] as? [[String: String]]
        #expect(elements == [["path": "name[0].family", "old": "Adams", "new": "Brown"]])
    }

    @Test func valuesControlNoTerminal() throws {
        #expect(try tool("track", "on", "changes").status == .done)
        try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"\u001b[31m\u202eB"}]}"#)
        let run = try database.run("changes", ["--values"], isTerminal: true)
        #expect(run.status == .done && run.output.contains(#"\u202eB"#))
        #expect(!run.output.contains("\u{1B}[31m") && !run.output.contains("\u{202E}"))
    }

    @Test func versionsAreListedAndRead() throws {
        #expect(try tool("track", "on", "history").status == .done)
        try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"Brown"}]}"#)
        #expect(try ToolRun("delete", "--database", database.path, "Patient/a").status == .done)
        let versions = try list(tool("history", "Patient/a", "--json"), "versions")
        #expect(versions.map { $0["version"] as? Int } == [2, 1] && versions.map { $0["deleted"] as? Bool } == [true, false])
        #expect(versions.map { $0["current"] as? Bool } == [false, false])
        #expect(versions[1]["stored"] is NSNull && versions[1]["replaced"] as? String == versions[0]["stored"] as? String)
        let stored = try #require(versions[0]["stored"] as? String)
        #expect(FHIRInstant(stored) != nil)
        #expect(try tool("history", "Patient/a").lines.map { $0.split(separator: " ").first } == ["type", "Patient", "Patient"])
        #expect(
            try tool("get", "--version", "1", "Patient/a").output == #"{"resourceType":"Patient","id":"a","name":[{"family":"Adams"}]}"#
                + "\n")
        #expect(try tool("get", "--version", "2", "Patient/a").output.contains("Brown"))
        let missing = try tool("get", "--version", "3", "Patient/a")
        #expect(missing.status == .incomplete && missing.error.contains("version 3 of Patient/a is not in"))
        #expect(try tool("get", "Patient/a").status == .incomplete)
    }

    @Test func aHistoryThatIsOffIsSaid() throws {
        let off = "is off: `firelite track --database FILE on history` keeps versions from then on"
        let list = try tool("history")
        #expect(list.status == .done && list.lines.first == "the history \(off)", "\(list.output)")
        #expect(try tool("history", "--type", "Patient").lines.first == "the history of Patient \(off)")
        #expect(try tool("history", "--format", "ndjson").output.isEmpty)
        for command in [["restore"], ["restore", "--version", "7"], ["get", "--version", "7"], ["history"]] {
            let run = try database.run(command[0], Array(command.dropFirst()) + ["Patient/none"])
            #expect(run.status == .incomplete && run.error.hasSuffix(": the history of Patient \(off)\n"), "\(run.error)")
        }
        #expect(try tool("track", "on", "history", "Observation").status == .done)
        #expect(try tool("restore", "Patient/a").error.contains("the history of Patient is off"))
        #expect(try tool("track", "on", "history").status == .done)
        let missing = try tool("get", "--version", "7", "Patient/a")
        #expect(missing.error == "firelite get: version 7 of Patient/a is not in \(database.path)\n")
        #expect(try !tool("get", "Patient/none").error.contains("history"))
    }

    @Test func theHistoryOfTypesIsListed() throws {
        #expect(try tool("track", "on", "history").status == .done)
        try put(#"{"resourceType":"Patient","id":"b"}"#, #"{"resourceType":"Observation","id":"o","status":"final"}"#)
        func ids(_ arguments: String...) throws -> [String] {
            try list(database.run("history", arguments + ["--json"]), "versions").compactMap { $0["id"] as? String }.sorted()
        }
        #expect(try ids() == ["b", "o"])
        #expect(try ids("--type", "Observation") == ["o"])
        #expect(try ids("--since", "9999-01-01") == [] && ids("--since", "2001") == ["b", "o"])
        #expect(try ids("--limit", "1").count == 1)
        // A resource that was there before has its one version.
        #expect(try ids("Patient/a") == ["a"] && ids("Patient/a", "--since", "2001") == [])
        #expect(try tool("history", "Patient/none").status == .incomplete)
    }

    // MARK: - Restoring and pruning

    private func family(_ id: String) throws -> String? {
        let run = try tool("get", "Patient/\(id)")
        guard run.status == .done else { return nil }
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        return ((object?["name"] as? [[String: Any]])?.first)?["family"] as? String
    }

    @Test func versionsAreRestored() throws {
        #expect(try tool("track", "on", "history").status == .done)
        let nothing = try tool("restore", "Patient/a")
        #expect(nothing.status == .incomplete && nothing.error.contains("an earlier version of Patient/a is not in \(database.path)"))
        for name in ["Brown", "Clark"] { try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"\#(name)"}]}"#) }
        // The last change is taken back, and that again.
        #expect(try tool("restore", "Patient/a").output == "restored 2, version 4\n")
        #expect(try family("a") == "Brown")
        #expect(try tool("restore", "Patient/a").status == .done)
        #expect(try family("a") == "Clark")
        let first = try object(tool("restore", "--version", "1", "--json", "Patient/a"))
        #expect(first["restored"] as? Int == 1 && first["version"] as? Int == 6)
        #expect(try family("a") == "Adams")
        // A deleted resource comes back as it was.
        #expect(try ToolRun("delete", "--database", database.path, "Patient/a").status == .done)
        #expect(try family("a") == nil)
        let back = try object(tool("restore", "--json", "Patient/a"))
        #expect(back["restored"] as? Int == 6 && back["version"] as? Int == 7)
        #expect(try family("a") == "Adams")
        let missing = try tool("restore", "--version", "99", "Patient/a")
        #expect(missing.status == .incomplete && missing.error.contains("version 99 of Patient/a is not in") && missing.output.isEmpty)
        #expect(try tool("restore", "Patient/none").status == .incomplete)
    }

    @Test func oldVersionsArePruned() throws {
        #expect(try tool("track", "on", "history").status == .done)
        for name in ["Brown", "Clark", "Davis"] { try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"\#(name)"}]}"#) }
        func versions() throws -> [Int?] { try list(tool("history", "Patient/a", "--json"), "versions").map { $0["version"] as? Int } }
        #expect(try tool("prune", "--before", "2001-01-01").output == "pruned 0\n")
        #expect(try object(tool("prune", "--keep", "2", "--json"))["pruned"] as? Int == 1)
        #expect(try versions() == [4, 3, 2])
        #expect(try tool("prune", "--before", "9999-01-01", "--keep", "1").status == .done)
        #expect(try versions() == [4, 3])
        #expect(try tool("prune", "--keep", "0").status == .done)
        #expect(try versions() == [4] && family("a") == "Davis")
    }

    @Test func pruningNothingBecauseOfTheLogIsSaid() throws {
        #expect(try tool("track", "on", "changes").status == .done)
        #expect(try tool("track", "on", "history").status == .done)
        for name in ["Brown", "Clark"] { try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"\#(name)"}]}"#) }
        let nothing = try tool("prune", "--keep", "0")
        #expect(nothing.status == .incomplete && nothing.output == "pruned 0\n")
        #expect(nothing.error.hasPrefix("firelite prune: 2 old entries stay: the log of changes needs them"), "\(nothing.error)")
        // Nothing is old enough, log or not.
        #expect(try tool("prune", "--keep", "2").status == .done)
        let store = try FHIRStore(path: database.path, release: .r4)
        let reader = try store.changeReader(named: "sync")
        try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"Davis"}]}"#)
        let some = try tool("prune", "--keep", "0")
        #expect(some.status == .done && some.output == "pruned 2\n")
        #expect(
            some.error.hasPrefix(
                "firelite prune: 1 old entry stays: the log of changes needs it; its reader 'sync' has acknowledged the entries up to"))
        let needed = try tool("prune", "--keep", "0", "--json")
        #expect(needed.status == .incomplete && needed.output == #"{"pruned":0,"needed":1}"# + "\n", "\(needed.output)")
        try reader.acknowledge(through: store.newestChange())
        let all = try tool("prune", "--keep", "0")
        #expect(all.status == .done && all.output == "pruned 1\n" && all.error.isEmpty)
    }

    @Test func whatIsImportedFromAServerIsNotInTheLog() throws {
        #expect(try tool("track", "on", "changes").status == .done)
        #expect(try tool("track", "on", "history").status == .done)
        let file = try database.folder.write("server.ndjson", #"{"resourceType":"Patient","id":"a","name":[{"family":"Server"}]}"#)
        #expect(try ToolRun("import", "--database", database.path, "--from-server", file).status == .done)
        #expect(try list(tool("changes", "--json"), "changes").isEmpty)
        #expect(try list(tool("history", "Patient/a", "--json"), "versions").count == 2)
        try put(#"{"resourceType":"Patient","id":"b"}"#)
        #expect(try list(tool("changes", "--json"), "changes").map { $0["id"] as? String } == ["b"])
    }

    @Test func timesInADamagedFileStopNothing() throws {
        #expect(try tool("track", "on", "history").status == .done)
        try put(#"{"resourceType":"Patient","id":"a","name":[{"family":"Brown"}]}"#)
        do { try Connection(path: database.path).execute("UPDATE _change SET time = 9000000000000000000") }
        let versions = try list(tool("history", "Patient/a", "--json"), "versions")
        #expect(versions[0]["stored"] as? String == "9000000000000000000")
        for time in [Int64.max, Int64.min] {
            do { try Connection(path: database.path).execute("UPDATE _change SET time = \(time)") }
            for arguments in [["history", "Patient/a", "--json"], ["history", "--json"]] {
                let run = try database.run(arguments[0], Array(arguments.dropFirst()))
                #expect(try list(run, "versions").contains { $0["stored"] as? String == "\(time)" }, "\(arguments)")
            }
        }
    }

    @Test(arguments: [
        ["track"], ["track", "what"], ["track", "on"], ["track", "on", "all"], ["track", "on", "changes", "Human"], ["track", "list", "x"],
        ["track", "on", "changes", "--json"], ["changes", "x"], ["changes", "--since", "-1"], ["changes", "--limit", "0"],
        ["history", "Patient"], ["history", "Patient/a", "--type", "Patient"], ["history", "--since", "yesterday"],
        ["history", "--type", "Human"], ["get", "--version", "0", "Patient/a"], ["get", "--version", "1", "--pk", "p"],
        ["get", "--version", "one", "Patient/a"], ["restore"], ["restore", "Patient"], ["restore", "Patient/a", "Patient/b"],
        ["restore", "--version", "0", "Patient/a"], ["prune"], ["prune", "--keep", "-1"], ["prune", "--before", "then"],
        ["prune", "--keep", "1", "Patient/a"],
    ])
    func wrongUsageChangesNothing(_ arguments: [String]) throws {
        let run = try database.run(arguments[0], Array(arguments.dropFirst()))
        #expect(run.status == .usage && run.output.isEmpty && run.error.split(separator: "\n").count == 1, "\(run.error)")
        #expect(try object(tool("info", "--json"))["changes"] as? [String] == [])
    }
}
