import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct ViewCommandTests {
    private static let patients = [
        #"{"resourceType":"Patient","id":"1","active":true,"name":[{"family":"A, B"},{"family":"C"}]}"#,
        #"{"resourceType":"Patient","id":"2"}"#,
    ].joined(separator: "\n")

    private static let names =
        #"{"resource":"Patient","select":[{"column":[{"name":"id","path":"id"}]},{"forEach":"name","column":[{"name":"family","path":"family"}]}]}"#

    @Test func rowsAreLinesOfJSONOrCells() throws {
        let database = try ToolDatabase(Self.patients)
        let file = try database.folder.write("names.json", Self.names)
        let lines = try database.run("view", ["--definition", file])
        #expect(lines.status == .done && lines.error.isEmpty)
        #expect(lines.lines == [#"{"id":"1","family":"A, B"}"#, #"{"id":"1","family":"C"}"#])
        #expect(try database.run("view", ["--definition", file, "--format", "csv"]).output == "id,family\r\n1,\"A, B\"\r\n1,C\r\n")
        let table = try database.run("view", ["--definition", file, "--format", "table"]).lines
        #expect(table.count == 3 && table[0].hasPrefix("id"))
        #expect(try database.run("view", ["--definition", file], isTerminal: true).lines.count == 3)
    }

    @Test func rowsAreReadInPages() throws {
        let database = try ToolDatabase(Self.patients)
        let file = try database.folder.write("names.json", Self.names)
        func rows(_ arguments: String...) throws -> [String] { try database.run("view", ["--definition", file] + arguments).lines }
        #expect(try rows("--limit", "1") == [#"{"id":"1","family":"A, B"}"#])
        #expect(try rows("--skip", "1") == [#"{"id":"1","family":"C"}"#])
        #expect(try rows("--skip", "2") == [] && rows("--limit", "0") == [])
        #expect(try database.run("view", ["--standard", "--limit", "1"]).status == .usage)
    }

    @Test func cellsForSpreadsheetsAreNoFormulas() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1","name":[{"family":"=1+1"}]}"#)
        let file = try database.folder.write("names.json", Self.names)
        #expect(try database.run("view", ["--definition", file, "--format", "csv"]).output == "id,family\r\n1,=1+1\r\n")
        #expect(try database.run("view", ["--definition", file, "--format", "csv", "--spreadsheet"]).output == "id,family\r\n1,'=1+1\r\n")
        #expect(try database.run("view", ["--definition", file, "--spreadsheet"]).status == .usage)
    }

    @Test func aWrongViewIsAnErrorWithItsPlace() throws {
        let database = try ToolDatabase(Self.patients)
        for (json, place) in [
            (
                Self.names.replacing("\"family\",\"path\":\"family\"", with: "\"family\",\"path\":\"familly\""),
                "select[1].column[0].path: line 1"
            ),
            (
                #"{"resource":"Patient","select":[{"column":[{"name":"f","path":"name.family"}]}]}"#,
                "select[0].column[0].path: the column 'f'"
            ),
            (#"{"resource":"Human","select":[{"column":[{"name":"f","path":"id"}]}]}"#, "resource: "), ("{", "this is not JSON"),
        ] {
            let run = try database.run("view", ["--definition", try database.folder.write("v.json", json), "--format", "ndjson"])
            #expect(run.status == .incomplete && run.error.hasPrefix("firelite view: \(place)"), "\(run.error)")
        }
        let missing = try database.run("view", ["--definition", database.folder.file("none.json")])
        #expect(missing.status == .failed && missing.output.isEmpty)
        #expect(try database.run("view", ["--definition", "x", "--format", "xml"]).status == .usage)
    }

    @Test func viewsInTheFileHaveTheRows() throws {
        let database = try ToolDatabase(Self.patients)
        let file = try database.folder.write("names.json", Self.names)
        let created = try database.run("view", ["--definition", file, "--create", "families"])
        #expect(created.status == .done && created.output == "families\n", "\(created.error)")
        #expect(
            try database.run("sql", ["SELECT * FROM families ORDER BY family"]).lines == [
                #"{"id":"1","family":"A, B"}"#, #"{"id":"1","family":"C"}"#,
            ])
        let standard = try database.run("view", ["--standard", "--json"])
        #expect(standard.status == .done, "\(standard.error)")
        #expect(
            try database.run("sql", ["SELECT key, active, family FROM patients ORDER BY key"]).lines == [
                #"{"key":"Patient/1","active":1,"family":"A, B"}"#, #"{"key":"Patient/2","active":null,"family":null}"#,
            ])
        // What is stored later is in the views too.
        let more = try database.folder.write(
            "more.ndjson", #"{"resourceType":"Patient","id":"3","birthDate":"1970","name":[{"family":"D"}]}"#)
        #expect(try database.run("import", [more]).status == .done)
        #expect(try database.run("sql", ["SELECT count(*) AS n FROM families"]).lines == [#"{"n":3}"#])
        #expect(try database.run("sql", ["SELECT birth_date FROM patients WHERE id = '3'"]).lines == [#"{"birth_date":"1970"}"#])
        #expect(try database.run("check", []).output == "sound\n")
        let taken = try database.run("view", ["--definition", file, "--create", "patient_Name"])
        #expect(taken.status == .incomplete && taken.error.hasPrefix("firelite view: name: 'patient_Name' is the name of a table"))
    }

    @Test(arguments: [
        [], ["--definition", "x", "--standard"], ["--standard", "--format", "csv"], ["--definition", "x", "--format", "xml"],
        ["--definition", "x", "--create", "y", "--format", "csv"],
    ])
    func wrongUsageIsAnError(_ arguments: [String]) throws {
        let run = try ToolRun(["view", "--database", "d.sqlite"] + arguments)
        #expect(run.status == .usage && run.output.isEmpty)
    }

    /// Every case as a user would run it: the resources imported, the view in a file.
    @Test(.enabled(if: SharedArchive.suites != nil, "the archive suites.tar.xz is not beside the package, in ../shared/data"))
    func openCasesOfTheSuitePass() throws {
        let folder = try TemporaryFolder()
        let suite = try ViewSuite(unpackedInto: folder.path)
        var failures: [String] = []
        for test in suite.cases {
            let database = try ToolDatabase(test.resources.joined(separator: "\n"))
            let run = try database.run("view", ["--definition", try database.folder.write("v.json", test.view), "--format", "ndjson"])
            if test.rows == nil {
                if run.status != .incomplete || run.error.isEmpty { failures.append("\(test.name): \(run.status)") }
            } else if run.status != .done {
                failures.append("\(test.name): \(run.error)")
            } else if let fault = try test.fault(of: run.lines) {
                failures.append("\(test.name): \(fault)")
            }
        }
        #expect(suite.cases.count >= 79 && failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }
}
