import Foundation
import Testing

@testable import FireLiteCLI

struct SchemaCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            #"{"resourceType":"Patient","id":"1","active":true,"name":[{"given":["A"]}]}"# + "\n" + #"{"resourceType":"Group","id":"1"}"#)
    }

    private func schema(_ arguments: String...) throws -> ToolRun { try ToolRun(["schema", database.path] + arguments) }

    @Test func tablesAreTextAndSQL() throws {
        let text = try schema("Patient").output
        #expect(text.hasPrefix("Patient\n  _k INTEGER\n") && text.contains("\nPatient_name_given (rows of Patient_name)\n"))
        #expect(text.contains("\n  active INTEGER\n") && text.contains("\n  index Patient__id") && !text.contains("Group"))
        let sql = try schema("--format", "sql").output
        #expect(sql.contains("CREATE TABLE \"Patient\"(") || sql.contains("CREATE TABLE Patient("))
        // Another SQLite makes the same tables of it.
        let copy = database.folder.file("copy.sqlite")
        if let shell = ShellProgram("sqlite3") {
            let script = try database.folder.write("schema.sql", sql)
            #expect(try shell.run([copy, ".read \(script)"], in: database.folder) == ShellProgram.Result(output: "", status: 0))
        }
    }

    @Test func picturesHaveTablesAndTheirOwners() throws {
        let mermaid = try schema("Patient", "--format", "mermaid").lines
        #expect(mermaid[0] == "erDiagram" && mermaid.contains("    \"Patient_name\" ||--o{ \"Patient_name_given\" : has"))
        #expect(mermaid.contains("        INTEGER active"))
        let dot = try schema("Patient", "--format", "dot").output
        #expect(dot.hasPrefix("digraph firelite {") && dot.contains("\"Patient\" -> \"Patient_name\";") && dot.hasSuffix("}\n"))
        if let program = ShellProgram("dot") {
            let file = try database.folder.write("schema.dot", dot)
            #expect(try program.run(["-Tplain", "-o", database.folder.file("out"), file], in: database.folder).status == 0)
        }
    }

    @Test func columnsAreAList() throws {
        let csv = try schema("Group", "--format", "csv").output
        #expect(csv.hasPrefix("table,column,type,owner\r\nGroup,_k,INTEGER,\r\n"))
        #expect(try schema("Pateint").error.contains("did you mean 'Patient'?"))
        #expect(try schema("--format", "png").status == .usage)
        let none = try schema("Observation")
        #expect(none.status == .incomplete && none.output.isEmpty && none.error.contains("no tables of Observation"), "\(none.error)")
        let some = try schema("Group", "Observation", "--format", "csv")
        #expect(some.status == .incomplete && some.output == csv && some.error.contains("no tables of Observation:"))
    }
}
