import Foundation
import Testing

@testable import FireLiteCLI

/// A database is named by an option, by the first argument of some commands, or by the environment.
struct DatabaseNamingTests {
    private let database: ToolDatabase

    init() throws { database = try ToolDatabase(#"{"resourceType":"Patient","id":"1","gender":"male"}"#) }

    private func run(_ arguments: String..., variable: String? = nil) throws -> ToolRun {
        try ToolRun(arguments, environment: variable.map { ["FIRELITE_DATABASE": $0] } ?? [:])
    }

    @Test func theFileMayComeFirst() throws {
        let path = database.path
        for arguments in [
            ["info", path], ["check", path], ["find", path, "Patient"], ["get", path, "Patient/1"], ["search", path, "Patient?_id=1"],
            ["sql", path, "SELECT 1"], ["history", path, "Patient/1"], ["schema", path], ["schema", path, "Patient"],
            ["get", "Patient/1", "--database", path],
        ] {
            let run = try ToolRun(arguments)
            #expect(run.status == .done && run.error.isEmpty, "\(arguments) \(run.error)")
        }
        // An option says where the file is, so the first argument is the command's.
        #expect(try run("find", "--database", path, "x.sqlite").error.contains("'x.sqlite' is not a resource type"))
    }

    @Test func theFileMayComeFirstWhereVersionsAreReadOrResourcesWritten() throws {
        let path = database.path
        for tracking in ["changes", "history"] {
            #expect(try run("track", "--database", path, "on", tracking).status == .done)
        }
        let file = try database.folder.write("p.json", #"{"resourceType":"Patient","id":"1","gender":"female"}"#)
        #expect(try run("put", path, file).output == "updated Patient/1, version 2\n")
        #expect(try run("put", file, variable: path).output == "unchanged Patient/1, version 2\n")
        #expect(try run("put", path).error.contains("--database FILE is missing"))
        let changes = try run("changes", path, "--json")
        #expect(changes.status == .done && changes.output.contains(#""id":"1""#), "\(changes.error)")
        let difference = try run("diff", path, "Patient/1")
        #expect(difference.status == .incomplete && difference.error.isEmpty, "\(difference.error)")
        #expect(difference.output == (try run("diff", "--database", path, "Patient/1").output) && difference.output.contains("female"))
        #expect(try run("diff", path, "Pateint/1").error.contains("did you mean 'Patient'?"))
        #expect(try run("export", path, "--output", "-").output == run("export", "--database", path, "--output", "-").output)
        #expect(try run("erase", path, "Patient/1", "--dry-run").status == .done)
    }

    @Test func theEnvironmentNamesADatabaseThatIsOptional() throws {
        let path = database.path
        #expect(try run("validate", "--type", "Patient", variable: path).status == .done)
        #expect(try run("fhirpath", "Patient/1", "gender", variable: path).output.contains("male"))
        #expect(try run("package", "list", "--format", "csv", variable: path).output == "name,version,title,fhir\r\n")
        // What else is named counts alone.
        let file = try database.folder.write("p.json", #"{"resourceType":"Patient","id":"1","gender":"nonsense"}"#)
        let none = database.folder.file("none.sqlite")
        #expect(try run("validate", "--quiet", file, variable: none).status == .incomplete)
        #expect(try run("validate", "--type", "Patient", file, variable: path).error == "firelite validate: --type needs --database\n")
        let other = try database.folder.write("q.json", #"{"resourceType":"Patient","id":"q"}"#)
        #expect(try run("fhirpath", "--input", other, "id", variable: none).output.contains("q"))
        #expect(try run("fhirpath", "1 + 1", variable: none).output.contains("2"))
        #expect(try run("package", "--knowledge", none, "list", variable: path).status == .failed)
        // Without the variable they ask for the file.
        for words in [["validate"], ["fhirpath", "Patient/1", "gender"], ["package", "list"]] {
            let run = try ToolRun(words)
            #expect(run.status == .usage && run.error.contains("--database") && run.error.contains("FIRELITE_DATABASE"), "\(run.error)")
            #expect(try ToolRun("help", words[0]).output.contains("FIRELITE_DATABASE"))
        }
    }

    @Test func theEnvironmentCountsWhereNothingElseNamesIt() throws {
        let path = database.path
        #expect(try run("find", "Patient", "--count", variable: path).output == "1\n")
        #expect(try run("get", "Patient/1", variable: path).status == .done)
        #expect(try run("sql", "SELECT count(*) AS n FROM Patient", variable: path).output == "{\"n\":1}\n")
        #expect(try run("search", "Patient?_id=1", "--count", variable: path).output == "1\n")
        #expect(try run("delete", "Patient/9", variable: path).status == .incomplete)
        #expect(try run("info", variable: path).status == .done)
        // The file that is named counts, not the environment's.
        let other = database.folder.file("none.sqlite")
        for arguments in [["info", other], ["find", other, "Patient"], ["info", "--database", other]] {
            let run = try ToolRun(arguments, environment: ["FIRELITE_DATABASE": path])
            #expect(run.status == .failed && run.error.contains("none.sqlite: no such database"), "\(run.error)")
        }
        #expect(try run("info", variable: "").status == .usage)
        // A command that needs no database is not given one.
        #expect(try run("fhirpath", "1 + 1", variable: other).output.contains("2"))
    }

    /// What is wrong with the database is said of the name that was given.
    @Test func foldersAndDevicesAreNoDatabases() throws {
        let folder = try run("info", variable: database.folder.path)
        #expect(folder.status == .failed && folder.error.contains("is a folder"), "\(folder.error)")
        let device = try run("info", variable: "/dev/null")
        #expect(device.status == .usage)
        #expect(device.error.contains("FIRELITE_DATABASE is /dev/null, which is not an ordinary file"), "\(device.error)")
        #expect(try run("info", "--database", "/dev/null").error.contains("--database is /dev/null"))
    }

    @Test func wordsThatAreNearAreSuggested() throws {
        let path = database.path
        #expect(try run("find", path, "Pateint").error.contains("did you mean 'Patient'?"))
        #expect(try run("get", "Pateint/1", variable: path).error.contains("did you mean 'Patient'?"))
        #expect(try run("find", path, "Patient", "gendr=male").error.contains("Patient has no element 'gendr': did you mean 'gender'?"))
        #expect(try run("find", path, "Patient", "deceasd=true").error.contains("did you mean 'deceased'?"))
        #expect(try run("find", path, "Patient", "--limt", "1").error.contains("did you mean --limit?"))
        let typo = try database.folder.write("typo.json", #"{"resourceType":"Patinet","id":"1"}"#)
        for command in ["put", "validate"] {
            let run = try ToolRun([command, typo] + (command == "put" ? ["--database", path] : []))
            #expect((run.output + run.error).contains("found an unknown name: did you mean 'Patient'?"), "\(run.output)\(run.error)")
        }
        #expect(try run("samples", "stats", "--type", "hartRate", variable: path).error.contains("did you mean 'heartRate'?"))
        let zone = try run("samples", "stats", "--type", "heartRate", "--zone", "Europe/Berln", variable: path)
        #expect(zone.error.contains("did you mean 'Europe/Berlin'?"), "\(zone.error)")
        #expect(try run("--vesion").error.contains("did you mean '--version'?"))
        #expect(try run("fnid").error.contains("did you mean 'find'?"))
        #expect(try run("help", "udno").error.contains("did you mean 'undo'?"))
        #expect(try run("find", path, "Patient", "has(Observaton.subject)").error.contains("did you mean 'Observation'?"))
    }

    @Test func wordsOfOptionsAndActionsAreSuggested() throws {
        for (arguments, message) in [
            (["find", "x.sqlite", "Patient", "--format", "tabel"], "firelite find: --format is 'tabel': did you mean 'table'?"),
            (["info", "x.sqlite", "--release", "R4C"], "firelite info: --release is 'R4C': did you mean 'R4'?"),
            (["codes", "lits"], "firelite codes: 'lits' is not add, list or remove: did you mean 'list'?"),
            (["index", "--database", "x.sqlite", "craete"], "'craete' is not list, create or drop: did you mean 'create'?"),
            (["track", "--database", "x.sqlite", "on", "histroy"], "did you mean 'history'?"),
        ] {
            let run = try ToolRun(arguments)
            #expect(run.status == .usage && run.output.isEmpty && run.error.contains(message), "\(run.error)")
        }
        // A word that is near to none gets the command's own message.
        #expect(try run("index", "--database", "x.sqlite", "zzzzzz").error == "firelite index: 'zzzzzz' is not list, create or drop\n")
    }
}
