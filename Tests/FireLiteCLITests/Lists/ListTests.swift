import Foundation
import Testing

@testable import FireLiteCLI

/// Every command that lists has the same formats and pages.
struct ListTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(#"{"resourceType":"Group","id":"g"}"#)
        #expect(try ToolRun("track", "--database", database.path, "on", "history").status == .done)
        for family in ["A", "=B", "C"] {
            let file = try database.folder.write("p.json", #"{"resourceType":"Patient","id":"1","name":[{"family":"\#(family)"}]}"#)
            #expect(try ToolRun("put", "--database", database.path, file).status == .done)
        }
    }

    private func history(_ arguments: String...) throws -> ToolRun { try ToolRun(["history", database.path, "Patient/1"] + arguments) }

    @Test func aListHasEveryFormat() throws {
        let table = try history()
        #expect(table.lines.count == 4 && table.lines[0].hasPrefix("type"))
        #expect(try history("--format", "table").output == table.output)
        let csv = try history("--format", "csv").output.components(separatedBy: "\r\n")
        #expect(csv.count == 5 && csv[0] == "type,id,pk,version,stored,replaced,deleted,current")
        #expect(csv[1].hasPrefix("Patient,1,") && csv[1].hasSuffix(",false,true"))
        let lines = try history("--format", "ndjson").lines
        #expect(lines.count == 3)
        let object = try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any]
        #expect(object?["version"] as? Int == 3 && object?["current"] as? Bool == true)
        #expect(try history("--format", "json").output == history("--json").output)
        #expect(try history("--format", "xml").status == .usage)
        #expect(try history("--format", "csv", "--json").status == .usage)
        #expect(try history("--spreadsheet").status == .usage)
    }

    @Test func aListIsReadInPages() throws {
        func versions(_ arguments: String...) throws -> [String] {
            let run = try ToolRun(["history", database.path, "Patient/1", "--format", "csv"] + arguments)
            #expect(run.status == .done, "\(run.error)")
            return run.output.components(separatedBy: "\r\n").dropFirst().compactMap {
                $0.split(separator: ",").dropFirst(3).first.map(String.init)
            }
        }
        #expect(try versions() == ["3", "2", "1"])
        #expect(try versions("--limit", "1") == ["3"])
        #expect(try versions("--limit", "1", "--skip", "1") == ["2"])
        #expect(try versions("--after", "Patient/1/3") == ["2", "1"])
        #expect(try versions("--after", "3") == ["2", "1"])
        #expect(try versions("--after", "Patient/1/3", "--limit", "1") == ["2"])
        #expect(try versions("--skip", "9223372036854775807") == [])
        let missing = try history("--after", "Patient/1/9")
        #expect(missing.status == .incomplete && missing.output.isEmpty)
    }

    @Test func optionsOfListsNeedTheList() throws {
        let run = try ToolRun("blobs", "--database", database.path, "verify", "--format", "csv")
        #expect(run.status == .usage && run.error == "firelite blobs: --format needs list\n")
        let list = try ToolRun("bases", "--database", database.path, "list", "--format", "csv")
        #expect(list.status == .done && list.output == "bases\r\n")
    }

    @Test func emptyListsHaveTheirColumns() throws {
        #expect(try ToolRun("check", database.path, "--format", "csv").output == "kind,table,type,number,text\r\n")
        #expect(try ToolRun("check", database.path, "--format", "ndjson").output.isEmpty)
        let packages = try database.run("package", ["list", "--format", "csv"])
        #expect(packages.status == .done && packages.output == "name,version,title,fhir\r\n", "\(packages.error)")
        #expect(try database.run("annotate", ["Patient/1", "--format", "csv"]).output == "annotations\r\n")
    }

    @Test func annotationsAndKeysAreLists() throws {
        #expect(try database.run("annotate", ["Patient/1", "b", "a"]).status == .done)
        #expect(try database.run("annotate", ["Patient/1", "--format", "csv"]).output == "annotations\r\na\r\nb\r\n")
        #expect(
            try database.run("annotate", ["Patient/1", "--format", "ndjson"]).lines == [#"{"annotations":"a"}"#, #"{"annotations":"b"}"#])
        let keys = try database.run("records", ["keyring", "--keyring", database.folder.file("keys.json"), "--format", "csv"])
        #expect(keys.status == .done && keys.output.hasPrefix("id,primary\r\n") && keys.output.hasSuffix(",true\r\n"), "\(keys.error)")
        #expect(
            try ToolRun("codes", "--knowledge", "x.sqlite", "remove", "y", "--format", "csv").error
                == "firelite codes: --format needs list\n")
    }

    @Test func issuesOfAValidationAreReadInPages() throws {
        let file = try database.folder.write(
            "bad.ndjson",
            ["a", "b", "c"].map { #"{"resourceType":"Patient","id":"\#($0)","gender":"x"}"# }.joined(separator: "\n"))
        func issues(_ arguments: String...) throws -> [String] {
            let run = try ToolRun(["validate", file, "--format", "csv"] + arguments)
            #expect(run.status == .incomplete && run.error == "firelite validate: 3 errors in 3 resources\n", "\(run.error)")
            return Array(run.output.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty })
        }
        let all = try issues()
        #expect(all.count == 3)
        #expect(try issues("--limit", "1") == [all[0]])
        #expect(try issues("--skip", "1", "--limit", "1") == [all[1]])
        #expect(try issues("--skip", "3") == [])
        let none = try ToolRun("validate", file, "--skip", "3", "--json")
        #expect(none.output.contains("no issues in this part of the 3"))
    }

    @Test func differencesAreReadInPages() throws {
        let old = try database.folder.write("old.ndjson", #"{"resourceType":"Patient","id":"1"}"#)
        let new = try database.folder.write(
            "new.ndjson", ["1", "2", "3"].map { #"{"resourceType":"Group","id":"\#($0)"}"# }.joined(separator: "\n"))
        func changes(_ arguments: String...) throws -> [String] {
            let run = try ToolRun(["diff", old, new, "--format", "csv"] + arguments)
            #expect(run.status == .incomplete, "\(run.error)")
            return Array(run.output.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty })
        }
        let all = try changes()
        #expect(all.count == 4)
        #expect(try changes("--skip", "1", "--limit", "2") == Array(all[1...2]))
        #expect(try changes("--after", "Group/2") == Array(all.drop { $0 != "added,Group,2" }.dropFirst()))
    }

    @Test func resultsOfExpressionsAreAList() throws {
        func evaluate(_ arguments: String...) throws -> ToolRun {
            try database.run("fhirpath", ["Patient/1", "name.family | 1"] + arguments)
        }
        let lines = #"{"type":"string","value":"C"}"# + "\n" + #"{"type":"integer","value":"1"}"# + "\n"
        #expect(try evaluate().output == lines && evaluate("--format", "ndjson").output == lines)
        #expect(try evaluate("--format", "csv").output == "type,value\r\nstring,C\r\ninteger,1\r\n")
        #expect(try evaluate("--format", "table").lines == ["type     value", "string   C", "integer  1"])
        let json = #"{"results":[{"type":"string","value":"C"},{"type":"integer","value":"1"}]}"# + "\n"
        #expect(try evaluate("--json").output == json && evaluate("--format", "json").output == json)
        #expect(try database.run("fhirpath", ["Patient/1", "{}", "--json"]).output == #"{"results":[]}"# + "\n")
    }

    /// No list of a report is left out where one is printed.
    @Test func listsOfAnErasureAreOne() throws {
        let list = #"{"resourceType":"List","id":"l","status":"current","mode":"working","entry":[{"item":{"reference":"Patient/1"}}]}"#
        #expect(try database.run("import", [database.folder.write("list.ndjson", list)]).status == .done)
        let csv = try database.run("erase", ["Patient/1", "--dry-run", "--format", "csv"])
        let rows = csv.output.components(separatedBy: "\r\n")
        #expect(csv.status == .done && rows[0] == "list,kind,name,count", "\(csv.error)")
        #expect(rows.contains("erased,,Patient,1") && rows.contains("left,reference,List/l,"), "\(csv.output)")
        let lines = try database.run("erase", ["Patient/1", "--dry-run", "--format", "ndjson"]).lines
        #expect(lines.contains(#"{"list":"left","kind":"reference","name":"List/l","count":null}"#), "\(lines)")
        let json = try database.run("erase", ["Patient/1", "--dry-run", "--json"])
        #expect(try json.output == database.run("erase", ["Patient/1", "--dry-run", "--format", "json"]).output)
        #expect(!json.output.contains(#""rows":"#))
    }

    @Test func aSoundDatabaseHasNoRowsOfARecovery() throws {
        let run = try ToolRun("recover", database.path, database.folder.file("new.sqlite"), "--format", "csv")
        #expect(run.status == .done && run.output == "list,type,number,id,reason\r\n", "\(run.error)")
    }

    @Test func aRowIsNamedOnlyWhereItCanBe() throws {
        for command in ["sql", "view"] {
            let words = command == "sql" ? ["SELECT 1", "--after", "1"] : ["--definition", "x", "--after=1"]
            let run = try database.run(command, words)
            #expect(run.status == .usage && run.error.hasPrefix("firelite \(command): \(command) has no --after: "), "\(run.error)")
            #expect(run.error.contains("WHERE id > ?") && run.error.split(separator: "\n").count == 1)
            #expect(try ToolRun("help", command).output.contains("There is no --after"))
        }
    }

    /// Commands with lists in their objects that do not list: they store, copy or send, and report what they met.
    private static let reporting: Set<String> = [
        "backup", "delete", "edit", "import", "migrate", "pull", "push", "sync", "version",
    ]

    @Test func everyCommandThatListsHasTheFormats() {
        for definition in FireLiteTool.definitions where definition.jsonKeys.contains(where: { $0.help.contains("a list") }) {
            if Self.reporting.contains(definition.name) { continue }
            guard case .choice(let formats)? = definition.option(named: "format")?.kind else {
                Issue.record("\(definition.name) has no --format")
                continue
            }
            #expect(Set(formats).isSuperset(of: ListFormat.allCases.map(\.rawValue)), "\(definition.name)")
        }
    }

    @Test func everyListHasItsKeysInItsHelp() {
        for definition in FireLiteTool.definitions {
            guard let list = definition.list else { continue }
            #expect(definition.jsonKeys.contains { $0.name == list.key }, "\(definition.name)")
            #expect(definition.option(named: "format") != nil)
        }
    }
}
