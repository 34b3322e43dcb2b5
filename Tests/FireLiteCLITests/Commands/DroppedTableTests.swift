import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite
@testable import FireLiteCLI
@testable import FireLiteKnowledge
@testable import FireLiteRecords
@testable import FireLiteSamples
@testable import FireLiteService
@testable import FireLiteSync
@testable import FireLiteTrust

/// Files of which another program has dropped a table that is no resource type's: `check` names it, and `recover` writes a file that can be used.
struct DroppedTableTests {
    /// What recovery makes again are the tables that the modules define.
    @Test func recoveryKnowsTheTablesOfAllModules() {
        let modules = [
            RecordTables.records.module, RecordTables.appData.module, BlobTables.module, PayloadFileTables.module, BlobKeyTables.module,
            ThumbnailTables.module, SampleTables.module, OutboxTables.module, SubscriptionTable.tables, SyncJournal.tables,
            AuditTables.module, PermissionTables.module, TrustTables.module, PackageTables.module,
        ]
        for module in modules {
            #expect(LibraryModules.tables(of: module.module) == module.tables, "\(module.module)")
            for table in module.tables { #expect(LibraryModules.table(named: table.name) == table) }
        }
        let names = Set(modules.flatMap(\.tables).map(\.name))
        for (table, others) in LibraryModules.dependents { #expect(names.isSuperset(of: others + [table])) }
    }

    // MARK: - A file with everything

    private static let lines = [
        #"{"resourceType":"Patient","id":"1","gender":"female","name":[{"family":"Adams"}]}"#,
        #"{"resourceType":"Binary","id":"b1","contentType":"a/b","data":"\#(Data(repeating: 7, count: 6_000).base64EncodedString())"}"#,
    ]

    /// A database with payloads apart, a change log, records, app data, permissions, samples, an outbox, and indexes.
    private func withEverything(_ body: (ToolDatabase) throws -> Void) throws {
        let database = try ToolDatabase(Self.lines.joined(separator: "\n"))
        let key = database.folder.file("me.pem")
        func run(_ command: String, _ arguments: String...) throws {
            let run = try ToolRun.any([command, "--database", database.path] + arguments)
            #expect(run.status == .done, "\(command): \(run.error)")
        }
        try run("track", "on", "changes")
        try run("blobs", "apart")
        try run("records", "reconcile")
        try run("appdata", "put", "settings", "--input", database.folder.write("in", "hello"))
        try run("sign", "Patient/1", "--signer", "me", "--signing-key", key)
        try run("permit", "--grantor", "me", "--signing-key", key, "--grantee", "clinic", "--type", "Patient", "--id", "clinic-1")
        try run("index", "create", "Patient", "gender")
        let samples = "{\"type\":\"A\",\"start\":\"2026-01-01T00:00:00Z\",\"value\":1}\n"
        try run("samples", "import", database.folder.write("a.ndjson", samples))
        let store = try FHIRStore(path: database.path, release: .r4)
        // Who does not know payloads leaves the file with a note that references are to be found again.
        try store.attachments.resume()
        let server = try #require(URL(string: "https://fhir.example.org/r4"))
        try store.write { tx in _ = try tx.enqueue(.delete("Patient", id: "b"), for: server) }
        try store.close()
        try body(database)
    }

    private func change(_ database: ToolDatabase, _ sql: String) throws {
        try Connection(path: database.path, createsFile: false, isHardened: false).run(sql)
    }

    private func tables(_ path: String) throws -> [String] {
        let connection = try Connection(path: path, isReadOnly: true)
        let statement = try connection.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\\_%' ESCAPE '\\' ORDER BY name")
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0) ?? "") }
        return names
    }

    /// What the new file's `check` finds if a table was lost: what hung on it, and what makes it whole again.
    private static let remains: [String: String] = [
        "_blob": "payload", "_blob_chunk": "payload", "_permission": "_permission", "_samples": "firelite samples refresh",
        "_samples_name": "firelite samples refresh", "_trust_identity": "lost", "_trust_key": "_permission",
    ]
    /// What the resources say all of.
    private static let givenBack: Set<String> = ["_shape"]

    @Test func everyTableThatIsDroppedIsNamedAndTheNewFileCanBeUsed() throws {
        try withEverything { database in
            let all = try tables(database.path)
            let some: Set<String> = ["_meta", "_change", "_index", "_outbox", "_permission", "_blob", "_samples"]
            #expect(all.count > 25 && some.isSubset(of: all))
            let original = try Data(contentsOf: URL(fileURLWithPath: database.path))
            for table in all {
                try original.write(to: URL(fileURLWithPath: database.path))
                try change(database, "DROP TABLE \(table)")
                let check = try database.run("check", [])
                #expect(check.status != .done && (check.output + check.error).contains(table), "\(table): \(check.output) \(check.error)")
                try expectUsableCopy(database, table)
            }
        }
    }

    /// Tables that are empty before their first use: Documentation/Absence.md says what follows.
    private static let emptyAtFirst: Set<String> = [
        "_appdata_annotation", "_appdata_content", "_appdata_key", "_blob_policy", "_change_reader", "_outbox",
        "_outbox_server", "_record", "_record_annotation", "_record_content", "_record_key", "_samples_anchor", "_samples_sent",
        "_samples_series", "_trust_nonce",
    ]

    @Test func everyTableThatIsEmptiedIsAFaultOrLooksUnused() throws {
        try withEverything { database in
            let original = try Data(contentsOf: URL(fileURLWithPath: database.path))
            for table in try tables(database.path) {
                try original.write(to: URL(fileURLWithPath: database.path))
                try change(database, "DELETE FROM \(table)")
                let check = try database.run("check", [])
                #expect(check.status != .done || Self.emptyAtFirst.contains(table), "\(table): \(check.output) \(check.error)")
                // Without settings, the file does not say which release it holds.
                let new = database.folder.file("emptied\(table).sqlite")
                let recover = try ToolRun(["recover", database.path, new] + (table == "_meta" ? ["--release", "R4"] : []))
                #expect(recover.status != .failed, "\(table): \(recover.error)")
                let export = try ToolRun("export", "--database", new, "--type", "Patient", "--output", "-")
                #expect(export.status == .done && export.output.contains("Adams"), "\(table): \(export.error)")
            }
        }
    }

    /// The last columns have other names: no table is the one that its module defines, and nothing is lost.
    @Test func everyTableWithARenamedColumnIsNamedAndCopied() throws {
        try withEverything { database in
            let original = try Data(contentsOf: URL(fileURLWithPath: database.path))
            let all = try tables(database.path).compactMap { LibraryModules.table(named: $0) }
            #expect(all.count > 20)
            for table in all {
                try original.write(to: URL(fileURLWithPath: database.path))
                let rows = try count(table.name, database.path)
                try change(database, "ALTER TABLE \(table.name) RENAME COLUMN \(table.columns.last?.name ?? table.key) TO zz")
                let check = try database.run("check", [])
                let text = "the table \(table.name) of "
                #expect(check.status == .incomplete && check.output.contains(text), "\(check.output) \(check.error)")
                try expectUsableCopy(database, table.name, isWhole: true)
                #expect(try count(table.name, database.folder.file("new\(table.name).sqlite")) >= rows, "\(table.name)")
            }
        }
    }

    /// What another program may do to a table, and whether its rows are kept.
    @Test(arguments: [
        ("ALTER TABLE _permission RENAME COLUMN number TO zz", true), ("ALTER TABLE _permission RENAME COLUMN provenance TO \"z z\"", true),
        ("ALTER TABLE _permission ADD COLUMN zz TEXT", true), ("ALTER TABLE _trust_key ADD COLUMN zz", true),
        ("DROP TABLE _permission; CREATE TABLE _permission(number INTEGER PRIMARY KEY, consent TEXT)", false),
        ("DROP TABLE _permission; CREATE TABLE _permission(number TEXT, zz TEXT)", false),
        ("DROP TABLE _permission; CREATE VIEW _permission AS SELECT 1 AS number", false),
    ]) func aTableWithAnotherDefinitionIsCopiedOrEmpty(_ sql: String, _ isWhole: Bool) throws {
        try withEverything { database in
            let table = sql.contains("_trust_key") ? "_trust_key" : "_permission"
            let rows = try count(table, database.path)
            #expect(rows > 0)
            for statement in sql.split(separator: ";") { try change(database, String(statement)) }
            let check = try database.run("check", [])
            #expect(check.status == .incomplete && check.output.contains("the table \(table) of "), "\(check.output) \(check.error)")
            let new = database.folder.file("new.sqlite")
            let recover = try ToolRun("recover", database.path, new)
            #expect(recover.status == .incomplete && recover.output.contains("\(table): "), "\(recover.output) \(recover.error)")
            #expect(try count(table, new) == (isWhole ? rows : 0))
            #expect(try ToolRun("check", "--database", new).status == (isWhole ? .done : .incomplete))
        }
    }

    private func count(_ table: String, _ path: String) throws -> Int64 {
        try Connection(path: path, isReadOnly: true).integer("SELECT count(*) FROM \(table)") ?? 0
    }

    private func expectUsableCopy(_ database: ToolDatabase, _ table: String, isWhole: Bool = false) throws {
        let new = database.folder.file("new\(table).sqlite")
        let recover = try ToolRun("recover", database.path, new)
        let isGivenBack = Self.givenBack.contains(table)
        #expect(recover.status == (isGivenBack ? .done : .incomplete), "\(table): \(recover.output) \(recover.error)")
        #expect(isGivenBack || recover.output.contains(table), "\(table): \(recover.output)")
        let check = try ToolRun("check", "--database", new)
        if !isWhole, let remains = Self.remains[table] {
            #expect(check.status == .done || check.output.contains(remains), "\(table): \(check.output) \(check.error)")
        } else {
            #expect(check.output == "sound\n" && check.error.isEmpty, "\(table): \(check.output) \(check.error)")
        }
        // No command says that the file is not a sound store.
        let export = try ToolRun("export", "--database", new, "--type", "Patient", "--output", "-")
        #expect(export.status == .done && export.output.contains("Adams") && export.error.isEmpty, "\(table): \(export.error)")
        let patch = try ToolRun("patch", "--database", new, "Patient/1", "gender=male")
        #expect(patch.status == .done, "\(table): \(patch.error)")
        let whole = try ToolRun("export", "--database", new, "--output", "-", "--on-error", "skip")
        #expect(whole.output.contains(#""gender":"male""#), "\(table): \(whole.error)")
    }

    // MARK: - Declared indexes

    @Test(arguments: ["DROP TABLE _index", "DELETE FROM _index"]) func lostDeclarationsAreNamed(_ sql: String) throws {
        let database = try ToolDatabase(Self.lines[0])
        #expect(try database.run("index", ["create", "Patient", "gender"]).status == .done)
        try change(database, sql)
        let text = "_index: the declaration of the index Patient__gender is missing"
        let check = try database.run("check", [])
        #expect(check.status == .incomplete && check.output.contains(text), "\(check.output) \(check.error)")
        let new = database.folder.file("new.sqlite")
        let recover = try ToolRun("recover", database.path, new)
        #expect(recover.status == .incomplete && recover.output.contains(text), "\(recover.output) \(recover.error)")
        #expect(try ToolRun("check", "--database", new).output == "sound\n")
        // What is created again is whole again.
        #expect(try database.run("index", ["create", "Patient", "gender"]).status == .done)
        #expect(try database.run("check", []).output == "sound\n")
    }

    /// The triggers of a full-text index are the library's own, but nothing in the file says so any more.
    @Test(.enabled(if: ToolRun.hasFullText), arguments: ["DROP TABLE _index", "DELETE FROM _index"])
    func lostDeclarationsOfFullTextAreNamed(_ sql: String) throws {
        let database = try ToolDatabase(Self.lines[0])
        let store = try FHIRStore(path: database.path, release: .r4)
        try store.createFullTextIndex(Patient.self) { [$0.name.family] }
        try store.close()
        try change(database, sql)
        let check = try database.run("check", [])
        #expect(check.status == .incomplete && check.output.contains("the table _index, which declares"), "\(check.output) \(check.error)")
        let recover = try ToolRun("recover", database.path, database.folder.file("new.sqlite"))
        #expect(recover.status == .incomplete && recover.output.contains("_text_Patient"), "\(recover.output) \(recover.error)")
        #expect(try ToolRun("check", "--database", database.folder.file("new.sqlite")).output == "sound\n")
    }
}
