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

    @Test func everyListHasItsKeysInItsHelp() {
        for definition in FireLiteTool.definitions {
            guard let list = definition.list else { continue }
            #expect(definition.jsonKeys.contains { $0.name == list.key }, "\(definition.name)")
            #expect(definition.option(named: "format") != nil)
        }
    }
}
