import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct PublishCommandTests {
    private static let patients = [
        #"{"resourceType":"Patient","id":"1","active":true,"birthDate":"1970-03","name":[{"family":"A"}]}"#,
        #"{"resourceType":"Patient","id":"2"}"#,
    ].joined(separator: "\n")

    private static let names = #"{"resource":"Patient","select":[{"column":[{"name":"born","path":"birthDate"}]}]}"#

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func aPlanHasTheStatementsOfEachView() throws {
        let database = try ToolDatabase(Self.patients)
        let file = try database.folder.write("births.json", Self.names)
        let run = try database.run("publish", ["--to", database.folder.file("lake"), "--views", file, "--since-last", "--plan"])
        #expect(run.status == .done, "\(run.error)")
        let plan = try object(run.output)
        #expect(plan["plan"] as? Int == 3 && plan["sinceLast"] as? Bool == true)
        let store = try #require((plan["stores"] as? [[String: Any]])?.first)
        #expect(store["name"] as? String == "store" && store["release"] as? String == "R4")
        let view = try #require((store["views"] as? [[String: Any]])?.first)
        #expect(view["name"] as? String == "births" && view["resource"] as? String == "Patient")
        let sql = try #require(view["sql"] as? String)
        #expect(try database.run("sql", [sql]).lines == [#"{"_root":1,"born":"1970-03"}"#, #"{"_root":2,"born":null}"#])
        let changes = try #require(view["changesSQL"] as? String)
        #expect(changes.contains("json_each(?1)"))
    }

    /// What is not in columns of the lake's types is beside them: digits of decimals, and offsets of times.
    @Test func literalsAreBesideTheirValues() throws {
        let database = try ToolDatabase(
            #"{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"issued":"2015-02-07T13:28:17.239+02:00","#
                + #""valueQuantity":{"value":1.50}}"#)
        let view =
            #"{"name":"v","resource":"Observation","select":[{"column":[{"name":"issued","path":"issued"},"#
            + #"{"name":"value","path":"value.ofType(Quantity).value"},{"name":"low","path":"referenceRange.first().low.value"}]}]}"#
        let file = try database.folder.write("v.json", view)
        let plan = try object(database.run("publish", ["--to", database.folder.file("lake"), "--views", file, "--plan"]).output)
        let published = ((plan["stores"] as? [[String: Any]])?.first?["views"] as? [[String: Any]])?.first
        let sql = try #require(published?["sql"] as? String)
        #expect(
            try database.run("sql", [sql]).lines == [
                #"{"_root":1,"issued":"2015-02-07T11:28:17.239","_aside_issued":"120","value":"1.5","_aside_value":"1.50","low":null}"#
            ])
        // The type of a column does not depend on what is stored.
        let types = (published?["columns"] as? [[String: Any]])?.map { $0["type"] as? String }
        #expect(types == ["instant", "decimal", "decimal"])
    }

    /// SQLite gives references as they are stored, and the plan says which have a key; a union of selects has the keys themselves.
    @Test func referencesAreTexts() throws {
        let database = try ToolDatabase(
            #"{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1/_history/2"}}"#)
        let columns =
            #""column":[{"name":"patient","path":"subject.getReferenceKey(Patient)"},{"name":"any","path":"subject.getReferenceKey()"},"#
            + #"{"name":"status","path":"status"}]"#
        let plain = #"{"name":"v","resource":"Observation","select":[{\#(columns)}]}"#
        let union = #"{"name":"u","resource":"Observation","select":[{"unionAll":[{\#(columns)},{\#(columns)}]}]}"#
        let file = try database.folder.write("v.ndjson", "\(plain)\n\(union)")
        let plan = try object(database.run("publish", ["--to", database.folder.file("lake"), "--views", file, "--plan"]).output)
        let views = try #require((plan["stores"] as? [[String: Any]])?.first?["views"] as? [[String: Any]])
        func references(_ view: [String: Any]) -> [String?] {
            (view["columns"] as? [[String: Any]] ?? []).map { $0["references"] as? String }
        }
        #expect(views.map(references) == [["Patient", "", nil], [nil, nil, nil]])
        let text = "Patient/1/_history/2"
        #expect(
            try database.run("sql", [#require(views[0]["sql"] as? String)]).lines == [
                #"{"_root":1,"patient":"\#(text)","any":"\#(text)","status":"final"}"#
            ])
        #expect(
            try database.run("sql", [#require(views[1]["sql"] as? String)]).lines
                == Array(repeating: #"{"_root":1,"patient":"Patient/1","any":"Patient/1","status":"final"}"#, count: 2))
    }

    /// A plan leads to each element of the resources: its column, or the table of its list; a recursive element to the table that it shares.
    @Test func aPlanHasTheElementsOfEachType() throws {
        let database = try ToolDatabase(
            #"{"resourceType":"Patient","id":"1","_birthDate":{"id":"b"},"name":[{"given":["A"]}],"#
                + #""extension":[{"url":"u","extension":[{"url":"v","valueDecimal":1.50}]}]}"#)
        let lake = database.folder.file("lake")
        let run = try database.run("publish", ["--to", lake, "--resources", "--plan"])
        #expect(run.status == .done, "\(run.error)")
        let store = try #require((try object(run.output)["stores"] as? [[String: Any]])?.first)
        let types = try #require(store["resources"] as? [[String: Any]])
        #expect(types.map { $0["type"] as? String } == ["Patient"])
        func member(_ name: String, of object: [String: Any]?) throws -> [String: Any] {
            try #require((object?["members"] as? [[String: Any]])?.first { $0["name"] as? String == name }, "\(name)")
        }
        let id = try member("id", of: member("_birthDate", of: types.first))
        #expect(id["column"] as? String == "birthDate_id" && id["type"] as? String == "string")
        let given = try member("given", of: member("name", of: types.first))
        #expect(given["table"] as? String == "Patient_name_given" && given["column"] as? String == "value")
        let list = try member("extension", of: types.first)
        let value = try member("valueDecimal", of: list)
        #expect(value["aside"] as? String == "valueDecimal_literal")
        #expect(try member("extension", of: list)["recursion"] as? String == "Patient_extension")
        let views = try object(database.run("publish", ["--to", lake, "--plan"]).output)["stores"] as? [[String: Any]]
        #expect((views?.first?["resources"] as? [Any])?.isEmpty == true)
    }

    @Test func wrongCommandLinesAndViewsAreRefused() throws {
        let database = try ToolDatabase(Self.patients)
        let lake = database.folder.file("lake")
        let twice = try database.run("publish", ["--database", database.path, "--to", lake])
        #expect(twice.status == .usage && twice.error.contains("have one name: give --by-identity"))
        let wrong = try database.folder.write(
            "wrong.json", #"{"resource":"Patient","select":[{"column":[{"name":"a","path":"familly"}]}]}"#)
        #expect(try database.run("publish", ["--to", lake, "--views", wrong, "--plan"]).status == .incomplete)
        let object = try database.folder.write(
            "object.json", #"{"resource":"Patient","select":[{"column":[{"name":"a","path":"name.first()"}]}]}"#)
        let refused = try database.run("publish", ["--to", lake, "--views", object, "--plan"])
        #expect(refused.status == .incomplete && refused.error.contains("select[0].column[0].path"))
        let text = try database.folder.write("text.sqlite", "hello")
        #expect(try ToolRun("publish", "--database", text, "--to", lake, "--plan").status == .failed)
        #expect(try database.run("publish", ["--to", "-"]).status == .usage)
        #expect(try !database.folder.names.contains("lake"))
    }

    // MARK: - The program

    /// Runs the command with a program in the place of `firelite-lake`.
    private func run(_ database: ToolDatabase, program: String?, _ arguments: [String] = []) throws -> (
        status: Int32, output: String, error: String
    ) {
        let process = try ToolProcess.make(
            ["publish", "--database", database.path, "--to", database.folder.file("lake")] + arguments)
        var environment = ProcessInfo.processInfo.environment
        environment["FIRELITE_LAKE"] = database.folder.file("none")
        if let program {
            let path = try database.folder.write("program", "#!/bin/sh\ncat >/dev/null\n" + program)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
            environment["FIRELITE_LAKE"] = path
        }
        process.environment = environment
        let output = Pipe()
        let errors = try database.folder.write("errors", "")
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text, try database.folder.read("errors"))
    }

    @Test func aMissingProgramIsNamedWithItsInstallation() throws {
        let run = try run(ToolDatabase(Self.patients), program: nil)
        #expect(run.status == 3 && run.error.contains("firelite-lake is not installed: `pipx install Packages/Lake`"))
        #expect(run.error.split(separator: "\n").count == 1)
    }

    @Test func answersOfTheProgramAreReported() throws {
        let database = try ToolDatabase(Self.patients)
        let table = #"{"store":"s","table":"t","mode":"all","added":2,"removed":0,"rows":2,"version":0}"#
        let done = try run(database, program: "echo '{\"tables\":[\(table)],\"notes\":[\"a note\"],\"error\":null}'", ["--json"])
        #expect(done.status == 0 && done.error == "note: a note\n")
        #expect(done.output == "{\"tables\":[\(table)],\"notes\":[\"a note\"]}\n")
        let csv = try run(database, program: "echo '{\"tables\":[\(table)],\"notes\":[],\"error\":null}'", ["--format", "csv"])
        #expect(csv.output == "store,table,mode,added,removed,rows,version\r\ns,t,all,2,0,2,0\r\n", "\(csv.error)")
        let failed = try run(database, program: "echo '{\"tables\":[],\"notes\":[],\"error\":\"no room\"}'; exit 3")
        #expect(failed.status == 3 && failed.error == "firelite publish: no room\n")
        for program in ["", "echo hello", "kill -9 $$"] {
            let run = try run(database, program: program)
            #expect(run.status == 3 && run.error.contains("ended without an answer"), "\(program)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }

    @Test func anOldPlanIsMadeAgain() throws {
        let database = try ToolDatabase(Self.patients)
        let count = database.folder.file("count")
        let answer = "{\\\"tables\\\":[],\\\"notes\\\":[],\\\"error\\\":"
        let program = """
            echo x >>\(count)
            if [ $(wc -l <\(count)) -lt 3 ]; then echo "\(answer)\\"old\\"}"; exit 75; fi
            echo "\(answer)null}"
            """
        let run = try run(database, program: program)
        #expect(run.status == 0, "\(run.error)")
        #expect(try database.folder.read("count") == "x\nx\nx\n")
        let always = try self.run(database, program: "echo \"\(answer)\\\"old\\\"}\"; exit 75")
        #expect(always.status == 3 && always.error.contains("change faster than they are published"))
    }

    /// With the package installed, the lake has the rows, and a second publication finds nothing to do.
    @Test(.enabled(if: LakeProgram.isInstalled, "firelite-lake is not installed"))
    func aLakeIsPublished() throws {
        let database = try ToolDatabase(Self.patients)
        let lake = database.folder.file("lake")
        let first = try database.run("publish", ["--to", lake, "--json"])
        #expect(first.status == .done && first.error.isEmpty, "\(first.error)")
        let tables = try #require(try object(first.output)["tables"] as? [[String: Any]])
        #expect(tables.count == 7)
        #expect(tables.first { $0["table"] as? String == "patients" }?["rows"] as? Int == 2)
        #expect(FileManager.default.fileExists(atPath: lake + "/patients/_delta_log/00000000000000000000.json"))
        let second = try database.run("publish", ["--to", lake])
        #expect(second.status == .done && !second.output.contains(" all "))
    }
}
