import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLiteCLI

/// Commands on a database of which another program has dropped a table of a type.
struct LostTableCommandTests {
    static let tables = ["Patient", "Patient_name"]
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            #"{"resourceType":"Patient","id":"p","name":[{"family":"Adams"}]}"# + "\n"
                + #"{"resourceType":"Organization","id":"o","name":"Ward"}"#)
    }

    private func drop(_ table: String) throws {
        try Connection(path: database.path, createsFile: false, isHardened: false).run("DROP TABLE \(table)")
    }

    @Test(arguments: tables) func nothingIsLeftOutWithoutAWord(_ table: String) throws {
        try drop(table)
        let export = try database.run("export", ["--output", database.folder.file("exported")])
        #expect(export.status == .failed && export.error.contains("has lost the table \(table)"), "\(export.output) \(export.error)")
        for (command, arguments) in [("get", ["Patient/p"]), ("find", ["Patient"]), ("export", ["--type", "Patient", "--output", "-"])] {
            let run = try database.run(command, arguments)
            #expect(run.status == .failed && run.error.contains("no Patient is read or written"), "\(command): \(run.output) \(run.error)")
            #expect(run.error.contains("`firelite recover`"), "\(command): \(run.error)")
        }
        let other = try database.run("export", ["--type", "Organization", "--output", "-"])
        #expect(other.status == .done && other.output.contains("Ward"), "\(other.error)")
        #expect(try database.run("get", ["Organization/o"]).status == .done)
    }

    @Test(arguments: tables) func checkNamesTheTableAndRecoverSavesTheRest(_ table: String) throws {
        try drop(table)
        let check = try database.run("check", [])
        let text = "the table \(table) is missing, and with it rows of 1 resource of the type Patient"
        #expect(check.status == .incomplete && check.output.contains(text), "\(check.output) \(check.error)")
        let new = database.folder.file("new.sqlite")
        let recover = try ToolRun("recover", database.path, new)
        #expect(recover.status == .incomplete && recover.output.contains("recovered 1, lost 1"), "\(recover.output) \(recover.error)")
        #expect(recover.output.contains("the table \(table) is missing"), "\(recover.output)")
        #expect(try ToolRun("check", "--database", new).output == "sound\n")
        #expect(try ToolRun("get", "--database", new, "Organization/o").status == .done)
    }
}
