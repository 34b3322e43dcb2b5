import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// Files that somebody made to harm who opens them: a value or an error, and nothing else happens.
@Suite struct CraftedFileTests {
    private func withFile(
        hasIndexes: Bool = false, _ change: (Connection) throws -> Void, _ body: (_ path: String, _ folder: String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try CraftedFiles.make(path, hasIndexes: hasIndexes, change)
            try body(path, folder)
        }
    }

    /// The files in a folder that a store and what is done with it may leave there.
    private func expectOnlyOwnFiles(_ folder: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let foreign = names.filter { name in !["store.sqlite", "backup.sqlite", "recovered.sqlite"].contains { name.hasPrefix($0) } }
        #expect(foreign.isEmpty, sourceLocation: sourceLocation)
    }

    // MARK: - Names

    /// Statements where a name is expected.
    static let payloads = [
        #"x" USING fts5(v); COMMIT; ATTACH 'FOLDER/stolen' AS s; CREATE TABLE s.t AS SELECT * FROM Patient; BEGIN; --"#,
        #"x"; VACUUM INTO 'FOLDER/stolen'; --"#, #"Patient"; DELETE FROM Patient; --"#, #"x' OR 1=1; --"#, "\u{0}Patient", "", "Patient\n",
        #"Patient" WHERE 0 UNION SELECT 1,2,3 --"#, "sqlite_master", "_resource", #"""#, #"""#,
    ]

    @Test(arguments: payloads, ["type", "source", "columns", "name", "kind"])
    func noStatementComesFromADeclaration(payload: String, column: String) throws {
        // By day every other one has indexes.
        let isOdd = Self.payloads.firstIndex(of: payload).map { $0 % 2 == 1 } ?? false
        for hasIndexes in [false, true] where Effort.isNightly || hasIndexes == isOdd {
            try withFile(hasIndexes: hasIndexes) { connection in
                let folder = URL(fileURLWithPath: connection.path).deletingLastPathComponent().path
                try connection.run(
                    "CREATE TABLE IF NOT EXISTS _index(name TEXT PRIMARY KEY, kind TEXT, type TEXT, source TEXT, columns TEXT) WITHOUT ROWID"
                )
                for kind in ["values", "fullText", "set"] {
                    try connection.run("INSERT OR REPLACE INTO _index VALUES ('\(kind)', '\(kind)', 'Patient', 'Patient_name', 'family')")
                }
                let statement = try connection.prepare("UPDATE OR REPLACE _index SET \(column) = ?")
                statement.bind(1, payload.replacingOccurrences(of: "FOLDER", with: folder))
                try statement.run()
            } _: { path, folder in
                #expect(try Connection(path: path).integer("SELECT count(*) FROM Patient") == 6)
                // Triggers that no declaration accounts for any more are refused, as any others.
                if !hasIndexes {
                    let faults = try FHIRStore(path: path, release: .r4).check().map(\.text)
                    if column == "type" { #expect(faults.contains { $0.hasPrefix("_index: ") }) }
                }
                CraftedFiles.tryEverything(path, folder)
                try expectOnlyOwnFiles(folder)
            }
        }
    }

    @Test func namesAreQuoted() {
        #expect(quoted("Patient") == "\"Patient\"")
        #expect(quoted("a\"b\"\"") == "\"a\"\"b\"\"\"\"\"")
        #expect(quoted("") == "\"\"")
    }

    @Test func oneStatementIsRunAtATime() throws {
        let connection = try Connection(path: ":memory:")
        #expect(throws: SQLiteError.self) { try connection.run("CREATE TABLE a(b); CREATE TABLE c(d)") }
        #expect(try connection.integer("SELECT count(*) FROM sqlite_master") == 0)
        try connection.run("CREATE TABLE a(b); ")
        #expect(try connection.integer("SELECT count(*) FROM sqlite_master") == 1)
    }

    @Test func noOtherFileIsAttached() throws {
        try withFile { _ in
        } _: { path, folder in
            let store = try FHIRStore(path: path, release: .r4)
            #expect(throws: FHIRStoreError.self) { try store.sql("ATTACH '\(folder)/other' AS other") }
            let connection = try Connection(path: path)
            for statement in ["ATTACH '\(folder)/other' AS other", "VACUUM INTO '\(folder)/other'"] {
                #expect(throws: SQLiteError.self) { try connection.run(statement) }
            }
            try expectOnlyOwnFiles(folder)
            try store.vacuum()
            try expectSound(store)
        }
    }

    // MARK: - Rows

    /// Rows that own themselves, at once and by way of others, share a number, or have an owner that comes to nothing.
    static let rows = [
        "UPDATE Patient SET _parent = 0, _member = 'contained' WHERE _parent IS NULL",
        "UPDATE Patient SET _parent = 1, _member = 'contained' WHERE _parent IS NULL",
        "UPDATE Questionnaire_item SET _parent = _k & 16777215", "UPDATE Questionnaire_item SET _parent = 3 - (_k & 16777215)",
        "UPDATE Organization SET _parent = _k & 16777215", "UPDATE Organization SET _parent = -1",
        "UPDATE Organization SET _parent = 4294967296",
        "UPDATE Organization SET _member = 'contained.contained'", "UPDATE Organization SET _member = 'managingOrganization.contained'",
        "UPDATE Patient_name SET _parent = 9223372036854775807", "UPDATE Patient_name SET _ord = -9223372036854775808",
        "UPDATE Organization SET _k = _k & ~16777215", "UPDATE Patient_name SET _k = _k & ~16777215 WHERE _ord = 0",
        "INSERT INTO Observation(_k, _parent, _member) SELECT _k, 0, 'contained' FROM Patient",
        "UPDATE Patient_name_given SET value = x'FF00'", "UPDATE Observation SET valueQuantity_value = 'x'",
        "UPDATE Observation SET valueQuantity_value = 9e999", "UPDATE Observation SET valueQuantity_value_literal = '1}, \"x\": ['",
        "UPDATE Observation SET effectiveDateTime = x'00'", "UPDATE Observation SET effectiveDateTime_offset = 9223372036854775807",
        "UPDATE Observation SET effectiveDateTime = 5", "UPDATE Observation_component SET valueBoolean = 7",
        "UPDATE Observation_component SET valueBoolean = 'true'", "UPDATE Patient SET id = 5.5", "UPDATE Patient SET id = x'70'",
    ]

    @Test(arguments: rows) func aRowThatWasNotWrittenIsAnError(_ sql: String) throws {
        try withFile { connection in
            if !(try connection.prepare("PRAGMA table_info(Patient)").contains("_member")) {
                try connection.run("ALTER TABLE Patient ADD COLUMN \"_member\" TEXT")
            }
            if !(try connection.prepare("PRAGMA table_info(Observation)").contains("_member")) {
                try connection.run("ALTER TABLE Observation ADD COLUMN \"_member\" TEXT")
            }
            if !(try connection.prepare("PRAGMA table_info(Observation)").contains("valueQuantity_value_literal")) {
                try connection.run("ALTER TABLE Observation ADD COLUMN \"valueQuantity_value_literal\" TEXT")
            }
            try connection.run(sql)
        } _: { path, folder in
            #expect(CraftedFiles.tryEverything(path, folder) > 0)
            try expectOnlyOwnFiles(folder)
        }
    }

    @Test(arguments: ["Organization", "Questionnaire_item"]) func aChainOfRowsIsNoDeeperThanJSON(table: String) throws {
        try withFile { connection in
            let member = table == "Organization" ? "'contained'" : "NULL"
            let type = table == "Organization" ? "Patient" : "Questionnaire"
            if table != "Organization" { try connection.run("ALTER TABLE Questionnaire_item ADD COLUMN \"_member\" TEXT") }
            try connection.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO \(table)(_k, _parent, _ord, _member) SELECT root << 24 | i, CASE i WHEN 100 THEN 1 ELSE i - 1 END, 0, \(member)
                FROM n, (SELECT _k >> 24 AS root FROM \(type) LIMIT 1)
                """)
        } _: { path, folder in
            #expect(CraftedFiles.tryEverything(path, folder) > 0)
        }
    }

    @Test func whatIsTooDeepForReadingIsNotWritten() throws {
        func questionnaire(_ depth: Int) -> Questionnaire {
            var item = QuestionnaireItem { $0.linkId = "last" }
            for _ in 1..<depth {
                let inner = item
                item = QuestionnaireItem { $0.item = [inner] }
            }
            return Questionnaire {
                $0.id = "q"; $0.item = [item]
            }
        }
        try withStore { store in
            try store.write { tx in try tx.add(questionnaire(127)) }
            #expect(try store.resource(Questionnaire.self, id: "q") == questionnaire(127))
            let error = #expect(throws: FHIRStoreError.self) { try store.write { tx in try tx.add(questionnaire(128)) } }
            #expect(error?.code == .tooLarge)
            #expect(try store.count(Questionnaire.self) == 1)
        }
    }

    // MARK: - Catalog

    static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'release' AS key, i AS value FROM n WHERE i < 0"

    static let catalogs: [(sql: [String], says: String)] = [
        (["ALTER TABLE _meta RENAME TO other", "CREATE VIEW _meta AS \(endless)"], "_meta"),
        (["ALTER TABLE _shape RENAME TO other", "CREATE VIEW _shape AS SELECT 1 AS shape, '' AS type, '' AS tables"], "_shape"),
        (["ALTER TABLE _resource RENAME TO other", "CREATE VIEW _resource AS SELECT * FROM other"], "_resource"),
        (["CREATE TRIGGER t AFTER INSERT ON _resource BEGIN DELETE FROM Patient; UPDATE Patient_name SET family = 'X'; END"], "trigger t"),
        (["CREATE TRIGGER t AFTER UPDATE ON Patient BEGIN DELETE FROM Observation; END"], "trigger t"),
        (["CREATE VIEW v AS SELECT 1 AS a", "CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN DELETE FROM Patient; END"], "trigger t"),
        (["ALTER TABLE Patient RENAME TO p", "CREATE VIRTUAL TABLE Patient USING fts5(a)"], "table Patient"),
        (
            ["CREATE TABLE Account(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, \"id\" TEXT CHECK (length(id) < 5))"],
            "table Account"
        ),
        (
            ["CREATE TABLE Account(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, \"id\" TEXT DEFAULT (hex(zeroblob(1000))))"],
            "table Account"
        ),
        (["CREATE TABLE Account(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, \"id\" TEXT) WITHOUT ROWID"], "table Account"),
        (["CREATE TABLE Account(_k INTEGER, _parent INTEGER, _ord INTEGER, \"id\" TEXT)"], "table Account"),
        (["CREATE TABLE Account(id TEXT)"], "table Account"),
    ]

    @Test(arguments: catalogs.indices) func aCatalogThatWasNotWrittenIsRefused(number: Int) throws {
        let (sql, says) = Self.catalogs[number]
        if sql.joined().contains("fts5"), !Library.hasFullText { return }
        try withFile { connection in
            try connection.execute("PRAGMA legacy_alter_table = ON")
            for statement in sql { try connection.run(statement) }
        } _: { path, folder in
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let error = #expect(throws: FHIRStoreError.self) { _ = try FHIRStore(path: path, release: .r4) }
            #expect(error?.code == .notAStore && error?.message.contains(says) == true, "\(error.map { "\($0)" } ?? "")")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            CraftedFiles.tryEverything(path, folder)
            try expectOnlyOwnFiles(folder)
        }
    }

    /// A trigger with the name of one of the library's and another text.
    @Test(.enabled(if: Library.hasFullText)) func aTriggerOfTheLibraryHasItsExactText() throws {
        try withFile(hasIndexes: true) { connection in
            let sql = try #require(try connection.text("SELECT sql FROM sqlite_master WHERE name = '_text_Patient__Patient_name__insert'"))
            try connection.run("DROP TRIGGER \"_text_Patient__Patient_name__insert\"")
            try connection.run(sql.replacingOccurrences(of: " END", with: " DELETE FROM Observation; END"))
        } _: { path, _ in
            #expect(throws: FHIRStoreError.self) { _ = try FHIRStore(path: path, release: .r4) }
        }
        try withFile(hasIndexes: true) { _ in
        } _: { path, folder in
            #expect(CraftedFiles.tryEverything(path, folder) == 0)
        }
        try withFile(hasIndexes: true) {
            try $0.run("DROP TRIGGER \"_text_Patient__Patient_name__insert\"")
        } _: { path, _ in
            let faults = try FHIRStore(path: path, release: .r4).check().map(\.text)
            #expect(faults.contains { $0.contains("is missing") })
        }
    }

    /// Another process changes the catalog while the store is open.
    @Test func aTriggerThatComesLaterIsRefused() throws {
        try withFile { _ in
        } _: { path, _ in
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.count(Patient.self) == 6)
            let other = try Connection(path: path, isHardened: false)
            try other.run("CREATE TRIGGER t AFTER INSERT ON _resource BEGIN DELETE FROM Patient; END")
            #expect(throws: FHIRStoreError.self) { try store.write { tx in try tx.add(Patient { $0.id = "new" }) } }
            try other.run("DROP TRIGGER t")
            try store.write { tx in try tx.add(Patient { $0.id = "new" }) }
            #expect(try store.count(Patient.self) == 7)
        }
    }

    @Test func viewsAndTablesOfOthersAreNamedAndLeftAlone() throws {
        try withFile {
            try $0.execute("CREATE VIEW families AS SELECT family FROM Patient_name WHERE family IS NOT NULL; CREATE TABLE _other(a)")
        } _: { path, folder in
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.statistics().others == ["table _other", "view families"])
            #expect(try store.sql("SELECT count(*) AS n FROM families").first?["n"].integer == 6)
            try expectSound(store)
            // There is no full-text index to match words with.
            #expect(CraftedFiles.tryEverything(path, folder) == 2)
        }
    }

    // MARK: - Numbers and sizes

    static let numbers = [
        "UPDATE _meta SET value = 9223372036854775807 WHERE key = 'nextRoot'",
        "UPDATE _meta SET value = 549755813888 WHERE key = 'nextRoot'",
        "UPDATE _meta SET value = -1 WHERE key = 'nextRoot'", "UPDATE _meta SET value = 1e300 WHERE key = 'nextRoot'",
        "DELETE FROM _meta WHERE key = 'nextRoot'",
        "UPDATE _resource SET revision = 9223372036854775807", "UPDATE _resource SET nodes = 9223372036854775807",
        "UPDATE _resource SET nodes = -1",
        "UPDATE _resource SET nodes = 16777216", "UPDATE _resource SET root = 9223372036854775807 WHERE root = 3",
        "UPDATE _resource SET root = -root",
        "UPDATE _resource SET shape = 9223372036854775807", "UPDATE _resource SET shape = -1",
        "UPDATE _resource SET digest = zeroblob(1000000)",
        "UPDATE _resource SET digest = 5, pk = x'00' WHERE root = 1", "UPDATE _shape SET tables = '' WHERE shape = 1",
        "UPDATE _shape SET tables = tables || ' ' || tables",
        "UPDATE _shape SET tables = 'Patient Patient Patient' WHERE shape = 1",
        "UPDATE _shape SET tables = replace(hex(zeroblob(100000)), '0', 'Patient ') WHERE shape = 1",
        "UPDATE _shape SET tables = NULL", "UPDATE _shape SET tables = 'Observation' WHERE shape = 1",
        "UPDATE Patient SET _k = 9223372036854775807 WHERE id = 'p1'",
        "UPDATE Patient SET _k = -_k", "UPDATE _meta SET value = 'x' WHERE key = 'identity'",
        "UPDATE _meta SET value = 9e999 WHERE key = 'digestKey'",
        "PRAGMA user_version = -5", "PRAGMA user_version = 2147483647", "PRAGMA user_version = 0",
    ]

    // One of them takes as long as all the others.
    @Test(arguments: Effort.isNightly ? numbers : numbers.filter { !$0.contains("zeroblob(100000)") })
    func aNumberOfTheFileIsChecked(_ sql: String) throws {
        try withFile { connection in
            try connection.execute("PRAGMA ignore_check_constraints = ON")
            try connection.run(sql)
        } _: { path, folder in
            CraftedFiles.tryEverything(path, folder)
            try expectOnlyOwnFiles(folder)
            // No row has a negative key afterwards that had none before, and what is recovered continues within the limits.
            if FileManager.default.fileExists(atPath: folder + "/recovered.sqlite") {
                let next = try Connection(path: folder + "/recovered.sqlite").integer("SELECT value FROM _meta WHERE key = 'nextRoot'") ?? 0
                #expect(next > 0 && next <= 1 << 39)
            }
        }
    }

    @Test func aCellLongerThanATextMayBeIsRefusedUnread() throws {
        try withFile {
            try $0.run("UPDATE Patient_name SET family = CAST(zeroblob(300000000) AS TEXT) WHERE family = 'Family 1'")
        } _: { path, _ in
            let store = try FHIRStore(path: path, release: .r4)
            let error = #expect(throws: FHIRStoreError.self) { try store.resource(Patient.self, id: "p1") }
            #expect(error?.code == .tooLarge)
            #expect(try store.resource(Patient.self, id: "p2") != nil)
        }
    }
}

extension Statement {
    /// Whether the statement's second column ever is a text.
    fileprivate func contains(_ name: String) throws -> Bool {
        defer { reset() }
        while try step() { if text(1) == name { return true } }
        return false
    }
}
