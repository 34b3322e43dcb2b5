import Foundation
import Testing

@testable import FireLiteCLI

struct EraseCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            """
            {"resourceType":"Patient","id":"1","name":[{"family":"Zyxomma"}]}
            {"resourceType":"Patient","id":"2"}
            {"resourceType":"Observation","id":"o","status":"final","code":{"text":"Zyxomma"},"subject":{"reference":"Patient/1"}}
            {"resourceType":"Binary","id":"b","contentType":"text/plain","data":"Wnl4b21tYQ=="}
            {"resourceType":"DocumentReference","id":"d","status":"current","subject":{"reference":"Patient/1"},"content":[{"attachment":{"url":"Binary/b"}}]}
            """)
    }

    private func files(with text: String) throws -> [String] {
        try database.folder.names.filter { name in
            guard name.hasPrefix("store.sqlite") else { return false }
            return try Data(contentsOf: URL(fileURLWithPath: database.folder.file(name))).range(of: Data(text.utf8)) != nil
        }
    }

    @Test func aDryRunCountsAndChangesNothing() throws {
        let run = try database.run("erase", ["Patient/1", "--dry-run"])
        #expect(run.status == .done && run.output.hasPrefix("would erase 4 resources of Patient/1\n"), "\(run.error)")
        #expect(run.lines.contains("Binary              1") || run.lines.contains { $0.hasPrefix("Binary ") && $0.hasSuffix(" 1") })
        #expect(try database.run("find", ["Patient", "--count"]).output == "2\n")
    }

    @Test func aPersonIsErased() throws {
        #expect(try !files(with: "Zyxomma").isEmpty)
        let run = try database.run("erase", ["Patient/1", "--json"])
        #expect(run.status == .done && run.output.contains(#"{"name":"Patient","count":1}"#), "\(run.error)")
        #expect(try files(with: "Zyxomma") == [] && files(with: "Wnl4b21tYQ") == [])
        #expect(try database.run("check", []).output == "sound\n")
        #expect(try database.run("find", ["Patient", "--count"]).output == "1\n")
        #expect(try database.run("erase", ["Patient/1"]).status == .incomplete)
        #expect(try database.run("erase", ["Observation/o"]).status == .usage)
    }

    @Test func whatIsTakenAlongIsImportedAgain() throws {
        let folder = database.folder.file("taken")
        let run = try database.run("export", ["--patient", "Patient/1", "--output", folder])
        #expect(run.status == .done && run.output.hasPrefix("exported 4"), "\(run.error) \(run.output)")
        let other = database.folder.file("other.sqlite")
        #expect(try ToolRun("import", "--database", other, folder).status == .done)
        #expect(try ToolRun("get", other, "Binary/b").output.contains("Wnl4b21tYQ=="))
        #expect(try ToolRun("find", other, "Patient", "--count").output == "1\n")
        #expect(try database.run("export", ["--patient", "Patient/9", "--output", folder]).status == .incomplete)
        #expect(try database.run("export", ["--patient", "Patient/1", "--type", "Patient", "--output", folder]).status == .usage)
    }
}
