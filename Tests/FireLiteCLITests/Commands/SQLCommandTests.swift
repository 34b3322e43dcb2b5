import Foundation
import Testing

@testable import FireLiteCLI

struct SQLCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            """
            {"resourceType":"Patient","id":"1","active":true,"name":[{"family":"=1+1"}]}
            {"resourceType":"Patient","id":"2","name":[{"family":"\\u001b[31mred\\nline"}]}
            """)
    }

    private func sql(_ arguments: String..., isTerminal: Bool = false) throws -> ToolRun {
        try database.run("sql", arguments, isTerminal: isTerminal)
    }

    private static let values = "SELECT 1 AS a, 2.5 AS b, 'x' AS c, NULL AS d, x'00ff' AS a, 9e999 AS e"

    @Test func rowsAreJSON() throws {
        #expect(try sql(Self.values).output == #"{"a":1,"b":2.5,"c":"x","d":null,"a_2":"x'00ff'","e":9e999}"# + "\n")
        #expect(try sql("SELECT id FROM Patient ORDER BY id").output == "{\"id\":\"1\"}\n{\"id\":\"2\"}\n")
    }

    @Test func rowsAreCommaSeparated() throws {
        #expect(try sql(Self.values, "--format", "csv").output == "a,b,c,d,a,e\r\n1,2.5,x,,x'00ff',9e999\r\n")
        #expect(try sql("SELECT id FROM Patient WHERE 0", "--format", "csv").output == "id\r\n")
    }

    @Test func aTerminalGetsATable() throws {
        #expect(
            try sql("SELECT id, active FROM Patient ORDER BY id", isTerminal: true).output == "id  active\n1   1\n2\n")
        let hostile = try sql("SELECT family FROM Patient_name WHERE _k > 0 AND family LIKE '%red%'", isTerminal: true).output
        #expect(hostile == "family\n\\u001b[31mred\\u000aline\n")
    }

    @Test func parametersTakeValues() throws {
        #expect(try sql("SELECT count(*) AS n FROM Patient WHERE id = ?", "2").output == "{\"n\":1}\n")
        #expect(try sql("SELECT count(*) AS n FROM Patient WHERE id = ?").status == .usage)
    }

    @Test(arguments: [
        "DELETE FROM Patient", "UPDATE Patient SET id = 'x'", "SELECT 1; DELETE FROM Patient", "ATTACH 'other.sqlite' AS o", "BEGIN",
        "PRAGMA journal_mode = DELETE", "CREATE TABLE x(y)", "VACUUM INTO 'copy.sqlite'", "SELECT load_extension('x')", "",
        "SELECT 1; SELECT 2",
        "DETACH main", "REINDEX", "ANALYZE", "PRAGMA writable_schema = 1",
    ])
    func onlyOneStatementThatReads(_ statement: String) throws {
        // Not all of the bytes: what closes the import's connections may move its log into the file meanwhile.
        func state() throws -> [String] {
            let header = try Data(contentsOf: URL(fileURLWithPath: database.path)).prefix(20)
            let parts = try ["sqlite_master ORDER BY name", "Patient ORDER BY _k"].map { try sql("SELECT * FROM \($0)").output }
            return ["\(Array(header))"] + parts
        }
        let before = try state()
        let run = try sql(statement)
        #expect(run.status == .usage && run.output.isEmpty)
        #expect(run.error.split(separator: "\n").count == 1)
        #expect(try state() == before)
        #expect(try database.folder.names.allSatisfy { $0.hasPrefix("store.sqlite") || $0 == "in.ndjson" })
        #expect(try sql("SELECT count(*) AS n FROM Patient").output == "{\"n\":2}\n")
    }

    @Test func aWrongStatementIsWrongUsage() throws {
        let run = try sql("SELECT nonsense FROM Patient")
        #expect(run.status == .usage && run.error.contains("no such column: nonsense"))
    }

    @Test func aTypeThatWasNeverStoredIsNamed() throws {
        for (statement, reason) in [
            ("SELECT * FROM Observation", "no such table: Observation: no Observation was ever stored; its table comes with the first one"),
            (
                "SELECT 1 FROM Patient p JOIN main.Patient_contact_telecom c",
                "no such table: main.Patient_contact_telecom: no resource with Patient.contact.telecom was ever stored; the table comes with"
            ),
            (
                "SELECT p.deceasedBoolean FROM Patient p",
                "no such column: p.deceasedBoolean: no resource with Patient.deceasedBoolean was ever stored; the column comes with the first one"
            ),
            ("SELECT maritalStatus_text FROM Patient", "no resource with Patient.maritalStatus.text was ever stored"),
        ] {
            let run = try sql(statement)
            #expect(run.status == .usage && run.error.contains(reason), "\(run.error)")
        }
        // Names of nothing stay as SQLite has them.
        for statement in ["SELECT * FROM Patients", "SELECT nonsense FROM Patient", "SELECT gender FROM _meta"] {
            let run = try sql(statement)
            #expect(run.status == .usage && run.error.contains("no such") && !run.error.contains("ever stored"), "\(run.error)")
        }
    }

    @Test(arguments: [
        ("SELECT * FROM Patint", "no such table: Patint: did you mean 'Patient'?\n"),
        ("SELECT * FROM main.Patient_nmae", "no such table: main.Patient_nmae: did you mean 'Patient_name'?\n"),
        ("SELECT actve FROM Patient", "no such column: actve: did you mean 'active'?\n"),
        ("SELECT n.famly FROM Patient p JOIN Patient_name n ON n._parent = p._k", "no such column: n.famly: did you mean 'family'?\n"),
        ("SELECT famly FROM Patient", "check the statement"),
    ])
    func namesThatAreNearAreSuggested(_ statement: String, _ suggestion: String) throws {
        let run = try sql(statement)
        #expect(run.status == .usage && run.error.contains(suggestion), "\(run.error)")
    }

    @Test func formulasAreNeutralised() throws {
        let statement =
            "WITH v(c) AS (VALUES ('=1+1'), ('+1'), ('-1'), ('-x'), ('@a'), (char(9) || 'a'), (char(13) || 'a'), ('a=b'), (-5)) SELECT c AS '=x' FROM v"
        #expect(
            try sql(statement, "--format", "csv", "--spreadsheet").output
                == "'=x\r\n'=1+1\r\n'+1\r\n-1\r\n'-x\r\n'@a\r\n'\ta\r\n\"'\ra\"\r\na=b\r\n-5\r\n")
        #expect(try sql("SELECT '=1+1' AS x", "--format", "csv").output == "x\r\n=1+1\r\n")
        #expect(try sql("SELECT 1", "--spreadsheet").status == .usage)
    }

    @Test func rowsAreOneObjectWhereAskedFor() throws {
        #expect(try sql("SELECT id FROM Patient ORDER BY id", "--json").output == #"{"rows":[{"id":"1"},{"id":"2"}]}"# + "\n")
        #expect(try sql("SELECT id FROM Patient WHERE 0", "--json").output == #"{"rows":[]}"# + "\n")
    }

    @Test func formulasAfterBlanksAreGuarded() throws {
        for (text, cell) in [(" =1", "' =1"), ("\u{A0}@x", "'\u{A0}@x"), (" a", " a"), ("=1", "'=1")] {
            let run = try sql("SELECT ? AS v", text, "--format", "csv", "--spreadsheet")
            #expect(run.output == "v\r\n\(cell)\r\n", "\(run.output)\(run.error)")
        }
    }

    @Test func missingValuesAreCounted() throws {
        let run = try sql("SELECT ? AS v")
        #expect(run.status == .usage && run.error.contains("the statement has 1 parameter but got 0 arguments"), "\(run.error)")
    }

    @Test func rowsAreLimited() throws {
        let statement = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        #expect(try sql(statement, "--limit", "2", "--skip", "3").output == "{\"i\":4}\n{\"i\":5}\n")
        #expect(try sql("SELECT 1 AS i", "--limit", "0", "--format", "csv").output == "i\r\n")
    }

    @Test func thePlanComesWithTimeAndRows() throws {
        let run = try sql("SELECT id FROM Patient WHERE id <> ?", "1", "--explain")
        #expect(run.status == .done && run.lines.first?.contains("Patient") == true)
        #expect(run.lines.last?.hasPrefix("rows 1, seconds ") == true)
        let json = try sql("SELECT id FROM Patient", "--explain", "--json").output
        #expect(json.contains(#""count":2"#) && json.contains(#""plan":["#))
        let table = try sql("SELECT id FROM Patient", "--explain", "--format", "table").lines
        #expect(table.first == "plan" && table.count > 2 && table.last?.hasPrefix("rows 2, seconds ") == true, "\(table)")
        #expect(try sql("SELECT 1", "--explain", "--format", "csv").status == .usage)
        #expect(try sql("SELECT 1", "--explain", "--limit", "1").status == .usage)
    }
}
