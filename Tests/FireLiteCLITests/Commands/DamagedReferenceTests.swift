import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// Files whose payloads are kept apart, and of which another program has changed rows or dropped a table: nothing is lost on top of that.
struct DamagedReferenceTests {
    private static let bytes = Data(repeating: 7, count: 6_000)
    private static let lines = [
        #"{"resourceType":"Patient","id":"1","gender":"female"}"#,
        #"{"resourceType":"Binary","id":"b1","contentType":"a/b","data":"\#(bytes.base64EncodedString())"}"#,
    ]

    /// A database with one payload, in a file.
    private func database() throws -> ToolDatabase {
        let database = try ToolDatabase(Self.lines.joined(separator: "\n"))
        let apart = try database.run("blobs", ["apart", "--in-files", "5000"])
        #expect(apart.status == .done, "\(apart.error)")
        try #require(try files(database.path) == [Self.bytes])
        return database
    }

    private func change(_ database: ToolDatabase, _ sql: String) throws {
        try Connection(path: database.path, createsFile: false, isHardened: false).run(sql)
    }

    private func count(_ database: ToolDatabase, _ table: String) throws -> Int64? {
        try Connection(path: database.path, isReadOnly: true).integer("SELECT count(*) FROM \(table)")
    }

    /// The contents of the payloads in files.
    private func files(_ path: String) throws -> [Data] {
        let folder = path + "-payloads"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
            try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0))
        }
    }

    // MARK: - Collecting

    @Test(arguments: [
        "UPDATE Binary SET data = replace(data, 'blob:', 'blab:')", "UPDATE Binary SET data = NULL",
        "UPDATE Binary SET _k = _k + (1000 << 24)", "DELETE FROM Binary", "DELETE FROM _resource", "DELETE FROM _shape",
        "DROP TABLE Binary", "ALTER TABLE Binary RENAME TO Binary2",
    ])
    func whatADamagedResourceMayNeedIsNotCollected(_ sql: String) throws {
        let database = try database()
        try change(database, sql)
        for _ in 0..<2 {
            let check = try database.run("check", [])
            #expect(check.status != .done && !check.output.contains("collect the payloads"), "\(check.output) \(check.error)")
            let collect = try database.run("blobs", ["collect"])
            #expect(collect.status != .done && !collect.error.isEmpty, "\(collect.output) \(collect.error)")
            #expect(try files(database.path) == [Self.bytes])
            #expect(try count(database, "_blob") == 1 && count(database, "_blob_reference") == 1)
        }
    }

    /// What cannot be decided is said, and once the rows are right again, collecting works.
    @Test func collectingSaysWhyAndGoesOnAfterARepair() throws {
        let database = try database()
        try change(database, "UPDATE Binary SET data = replace(data, 'blob:', 'blab:')")
        let collect = try database.run("blobs", ["collect"])
        #expect(collect.status == .incomplete, "\(collect.error)")
        let reason = "no payload is deleted, as resources are damaged: the rows of the resource with number"
        #expect(collect.output.contains(reason), "\(collect.output)")
        try change(database, "UPDATE Binary SET data = replace(data, 'blab:', 'blob:')")
        #expect(try database.run("blobs", ["collect"]).status == .done)
        #expect(try database.run("check", []).output == "sound\n")
        #expect(try files(database.path) == [Self.bytes])
    }

    // MARK: - Backups

    @Test(arguments: ["_blobfile", "_blobfile_policy", "_blob_reference", "_blob_policy"])
    func aBackupNamesATableThatIsLostAndHasTheFiles(_ table: String) throws {
        let database = try database()
        try change(database, "DROP TABLE \(table)")
        let copy = database.folder.file("copy.sqlite")
        let backup = try database.run("backup", ["--json", copy])
        #expect(backup.status == .incomplete, "\(backup.output) \(backup.error)")
        #expect(backup.output.contains("the table \(table) of ") && backup.error.contains(table), "\(backup.output) \(backup.error)")
        #expect(try files(copy) == [Self.bytes])
    }

    // MARK: - Rows without an owner

    @Test(arguments: ["_appdata", "_record"]) func rowsWithoutAnOwnerAreFoundAndLeftOut(_ owner: String) throws {
        let database = try ToolDatabase(Self.lines[0])
        let input = try database.folder.write("in", "hello")
        #expect(try database.run("appdata", ["put", "settings", "--input", input]).status == .done)
        #expect(try database.run("records", ["reconcile"]).status == .done)
        let table = owner == "_record" ? "_record_annotation" : "_appdata_content"
        let key = owner == "_record" ? "root" : "number"
        try change(database, "INSERT INTO \(owner)_annotation(owner, text, keyed) SELECT \(key), 'x', 0 FROM \(owner)")
        #expect(try database.run("check", []).output == "sound\n")
        try change(database, "DELETE FROM \(owner)")
        let check = try database.run("check", [])
        #expect(check.status == .incomplete, "\(check.output) \(check.error)")
        #expect(check.output.contains("\(table): 1 row belongs to no row of \(owner)"), "\(check.output)")
        let new = database.folder.file("new.sqlite")
        let recover = try ToolRun("recover", database.path, new)
        #expect(recover.status == .incomplete, "\(recover.output) \(recover.error)")
        #expect(recover.output.contains("\(table): 1 row was left out"), "\(recover.output)")
        #expect(try ToolRun("check", "--database", new).output == "sound\n")
    }
}
