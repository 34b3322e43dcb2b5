import Foundation
import Testing

@testable import FireLiteCLI

struct DemoTests {
    @Test func theDemoRunsToItsEnd() throws {
        let folder = try TemporaryFolder()
        let database = folder.file("demo.sqlite")
        let run = try ToolRun("demo", "--database", database, "--patients", "20", "--seed", "3")
        #expect(run.status == .done && run.error.isEmpty)
        #expect(run.output.contains("One object and its "))
        #expect(run.output.contains("\"resourceType\": \"Patient\""))
        #expect(run.output.contains("Patient_name_given"))
        #expect(run.output.contains("added 1, updated 1, unchanged 19"))
        #expect(run.output.contains("The file is sound"))
        #expect(run.output.contains("sqlite3 -box \(database) "))
        #expect(try ToolRun("check", "--database", database).output == "sound\n")
        #expect(try ToolRun("find", "--database", database, "Patient", "--count").output == "21\n")
        #expect(try ToolRun("validate", "--database", database, "--type", "Patient").status == .done)
        let again = try ToolRun("demo", "--database", database)
        #expect(again.status == .usage)
        #expect(again.error == "firelite demo: \(database) exists already: name a new file\n")
    }
}
