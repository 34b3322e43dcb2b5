import Foundation
import Testing

@testable import FireLiteCLI

struct FireLiteToolTests {
    /// A folder that was removed while a shell stands in it is an error, and no crash.
    @Test(.enabled(if: ShellProgram.isInstalled("sh")), arguments: ["check", "info", "import"])
    func aWorkingFolderThatIsGoneIsAnError(_ command: String) throws {
        let folder = try TemporaryFolder()
        let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \(command) --database a.sqlite x.ndjson"
        let run = try #require(ShellProgram("sh")).run(["-c", script, ToolProcess.path()], in: folder)
        #expect(run.status == 3 || run.status == 2, "\(run.output)")
        #expect(run.output.contains("working folder") || run.status == 2)
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var database: String { folder.file("test.sqlite") }

    private func store(_ lines: String...) throws {
        let path = try folder.write("given.ndjson", lines.joined(separator: "\n"))
        #expect(try ToolRun("import", "--database", database, path).status == .done)
    }

    // MARK: - Help and usage

    @Test(arguments: [["--help"], ["-h"], ["help"]]) func helpListsEveryCommand(_ arguments: [String]) throws {
        let run = try ToolRun(arguments)
        #expect(run.status == .done && run.error.isEmpty)
        for name in ["import", "export", "get", "find", "delete", "info", "check", "backup", "vacuum", "recover", "demo", "completions"] {
            #expect(run.output.contains("\n  \(name) "))
        }
    }

    @Test func everyCommandExplainsItself() throws {
        for command in FireLiteTool.commands {
            let definition = command.definition
            let run = try ToolRun(definition.name, "--nonsense", "--help")
            #expect(run.status == .done && run.error.isEmpty)
            #expect(run.output.contains("Usage: firelite \(definition.name)"))
            for option in definition.options { #expect(run.output.contains("\n  --\(option.name)")) }
            #expect(try ToolRun("help", definition.name).output == run.output)
            #expect(!definition.examples.isEmpty, "\(definition.name)")
            #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
        }
    }

    @Test(arguments: [
        ([], "firelite: which command? `firelite --help` lists them"),
        (["frobnicate"], "firelite: unknown command 'frobnicate': `firelite --help` lists them"),
        (["help", "x"], "firelite: unknown command or task 'x': `firelite --help` lists them"),
        (["imprt"], "firelite: unknown command 'imprt', did you mean 'import'?: `firelite --help` lists them"),
        (["hlep", "find"], "firelite: unknown command 'hlep', did you mean 'help'?: `firelite --help` lists them"),
        (["undo"], "firelite: 'undo' is a task and no command: `firelite help undo` says how it is done"),
        (["import"], "firelite import: --database FILE is missing: name the file there, or in FIRELITE_DATABASE"),
        (["import", "--database", "x"], "firelite import: PATH… is missing"),
        (["import", "--database", "", "x"], "firelite import: --database needs the name of a file"),
        (["import", "--database", "x", "--on-error", "go", "y"], "firelite import: --on-error is 'go', neither stop nor skip"),
        (["import", "--database", "x", "-", "-"], "firelite import: - is given twice, but standard input can be read only once"),
        (
            ["import", "--database", "x", "--release", "R9", "y"],
            "firelite import: unknown FHIR release 'R9': this build has DSTU2, STU3, R4, R4B, R5, or name a file of layouts"
        ),
        (["export", "--database", "x"], "firelite export: --output DIR|- is missing"),
        (["export", "--database", "x", "--output", "-", "--type", "Human"], "firelite export: 'Human' is not a resource type of FHIR R4"),
        (
            ["export", "--database", "x", "--output", "-", "--type", "Resource"],
            "firelite export: 'Resource' is not a resource type of FHIR R4"
        ),
        (["get", "--database", "x"], "firelite get: give either Type/id or --pk"),
        (["get", "--database", "x", "Patient/1", "--pk", "2"], "firelite get: give either Type/id or --pk"),
        (["get", "--database", "x", "Patient"], "firelite get: 'Patient' is not of the form Type/id"),
        (["get", "--database", "x", "Patient/1/2"], "firelite get: 'Patient/1/2' is not of the form Type/id"),
        (["get", "--database", "x", "HumanName/1"], "firelite get: 'HumanName' is not a resource type of FHIR R4"),
        (["delete", "--database", "x"], "firelite delete: Type/id… is missing"),
        (["find", "--database", "x", "Patient", "--limit", "-3"], "firelite find: --limit is '-3', not a whole number of at least 0"),
        (["demo", "--patients", "0"], "firelite demo: --patients is '0', not a whole number from 1 to 1000000"),
    ]) func wrongUsageSaysWhat(_ arguments: [String], _ message: String) throws {
        let run = try ToolRun(arguments)
        #expect(run.status == .usage)
        #expect(run.output.isEmpty)
        #expect(run.error == message + "\n")
    }

    // MARK: - Failures of the system

    @Test(arguments: [
        ["get", "Patient/1"], ["find", "Patient"], ["delete", "Patient/1"], ["info"], ["check"], ["export", "--output", "-"],
    ]) func readingMakesNoDatabase(_ arguments: [String]) throws {
        let run = try ToolRun(arguments + ["--database", database])
        #expect(run.status == .failed)
        #expect(run.error == "firelite \(arguments[0]): \(database): no such database: check the path\n")
        #expect(try folder.names.isEmpty)
    }

    @Test func aFileThatIsNoDatabaseIsAFailure() throws {
        try folder.write("test.sqlite", String(repeating: "no database ", count: 200))
        for arguments in [["get", "Patient/1"], ["info"], ["check"], ["import", try folder.write("p.json", "{}")]] {
            let run = try ToolRun(arguments + ["--database", database])
            #expect(run.status == .failed)
            #expect(run.error.hasPrefix("firelite \(arguments[0]): \(database)"))
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }

    @Test func aMissingInputIsFoundBeforeAnythingIsStored() throws {
        let good = try folder.write("good.json", #"{"resourceType":"Patient","id":"1"}"#)
        let run = try ToolRun("import", "--database", database, good, folder.file("missing.json"))
        #expect(run.status == .failed)
        #expect(run.error == "firelite import: \(folder.file("missing.json")): No such file or directory\n")
        #expect(try folder.names == ["good.json"])
    }

    @Test func outputThatCannotBeWrittenIsAFailure() throws {
        try store(#"{"resourceType":"Patient","id":"1"}"#)
        let error = MemoryOutput()
        let console = Console(
            standardOutput: FailingOutput(), standardError: error, standardInput: -1, outputIsTerminal: false, errorIsTerminal: false,
            width: 80)
        for arguments in [["export", "--output", "-"], ["get", "Patient/1"], ["info"]] {
            #expect(FireLiteTool(console: console).run(arguments: arguments + ["--database", database]) == .failed)
        }
        #expect(error.text.split(separator: "\n").allSatisfy { $0.hasSuffix("standard output: No space left on device") })
    }

    // MARK: - Small commands

    @Test func getPrintsOneLineOrIndented() throws {
        try store(#"{"resourceType":"Patient","id":"1","name":[{"given":["Ada","Zoë"]}]}"#)
        let plain = try ToolRun("get", "--database", database, "Patient/1")
        #expect(plain.status == .done)
        #expect(plain.output == #"{"resourceType":"Patient","id":"1","name":[{"given":["Ada","Zoë"]}]}"# + "\n")
        let pretty = try ToolRun(["get", "--database", database, "Patient/1"], isTerminal: true)
        #expect(pretty.output.hasPrefix("{\n  \"resourceType\": \"Patient\",\n"))
        let missing = try ToolRun("get", "--database", database, "Patient/2")
        #expect(missing.status == .incomplete && missing.output.isEmpty)
        #expect(missing.error == "firelite get: Patient/2 is not in \(database)\n")
        #expect(try ToolRun("get", "--database", database, "--pk", "nothing").status == .incomplete)
    }

    @Test func deleteReportsWhatIsMissing() throws {
        try store(#"{"resourceType":"Patient","id":"1"}"#, #"{"resourceType":"Patient","id":"2"}"#, #"{"resourceType":"Patient","id":"3"}"#)
        let run = try ToolRun("delete", "--database", database, "Patient/1", "Group/1", "Patient/3")
        #expect(run.status == .incomplete)
        #expect(run.output == "deleted 2\n")
        #expect(run.error == "firelite delete: Group/1 is not in \(database)\n")
        #expect(try ToolRun("export", "--database", database, "--output", "-").output == #"{"resourceType":"Patient","id":"2"}"# + "\n")
        #expect(try ToolRun("delete", "--database", database, "Patient/2").status == .done)
        #expect(try ToolRun("check", "--database", database).output == "sound\n")
    }

    @Test func infoCounts() throws {
        try store(#"{"resourceType":"Patient","id":"1","name":[{"given":["A","B"]}]}"#, #"{"resourceType":"Group","id":"1"}"#)
        let run = try ToolRun("info", "--database", database)
        #expect(run.status == .done)
        #expect(run.lines.contains("release       R4 4.0.1"))
        #expect(run.lines.contains("Group            1"))
        #expect(run.lines.contains("total            2"))
        #expect(run.lines.contains("Patient_name_given     2        1"))
    }

    @Test func findComparesLiterals() throws {
        try store(
            #"{"resourceType":"Patient","id":"1","active":true,"name":[{"given":["Ada"]},{"given":["Eve","Zoë"]}]}"#,
            #"{"resourceType":"Patient","id":"2","active":false,"name":[{"given":["Zoë"]}],"birthDate":"1970-01-01"}"#)
        func ids(_ conditions: String...) throws -> [String] {
            try ToolRun(["find", "--database", database, "Patient"] + conditions).lines.compactMap { line in
                line.components(separatedBy: #""id":""#).dropFirst().first?.components(separatedBy: "\"").first
            }
        }
        #expect(try ids() == ["1", "2"])
        #expect(try ids("name.given=Zoë") == ["1", "2"])
        #expect(try ids("name.given=Zoë", "active=true") == ["1"])
        #expect(try ids("birthDate=1970-01-01") == ["2"])
        #expect(try ids("name.given=Zo") == [])
        #expect(try ToolRun("find", "--database", database, "Patient", "name.given=Zoë", "--count").output == "2\n")
        #expect(try ToolRun("find", "--database", database, "Patient", "--limit", "1").lines.count == 1)
        #expect(try ToolRun("find", "--database", database, "Patient", "name.nonsense=1").status == .usage)
        #expect(try ToolRun("find", "--database", database, "Patient", "name").status == .usage)
    }

    @Test func findShowsStatementAndPlan() throws {
        try store(#"{"resourceType":"Patient","id":"1","name":[{"family":"Miller, A.","given":["Ada"]}]}"#)
        func run(_ arguments: String...) throws -> ToolRun { try ToolRun(["find", "--database", database, "Patient"] + arguments) }
        #expect(try run("name.family:in=\"Miller, A.\",Smith", "--count").output == "1\n")
        #expect(try run("name{family=\"Miller, A.\",given=Ada}", "--count").output == "1\n")
        #expect(try run("name.family=\"Miller").status == .usage)
        let statement = try run("name.family=Smith", "--sql")
        let explained = try run("name.family=Smith", "--explain")
        #expect(explained.status == .done && statement.lines.count == 1)
        #expect(explained.lines.first == statement.lines.first)
        // Versions of SQLite name the table, too.
        #expect(explained.lines.contains { $0.contains("SCAN") && $0.hasSuffix(" t1") })
        #expect(try run("name.family=Smith", "--explain", "--limit", "1").lines.count > 1)
    }
}
