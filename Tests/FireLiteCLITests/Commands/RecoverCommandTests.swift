import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLiteCLI

struct RecoverCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var database: String { folder.file("test.sqlite") }

    private func store(_ count: Int) throws {
        let lines = (1...count).map { #"{"resourceType":"Patient","id":"secret-\#($0)","birthDate":"1970-01-01"}"# }
        #expect(
            try ToolRun("import", "--database", database, try folder.write("given.ndjson", lines.joined(separator: "\n"))).status == .done)
    }

    /// Changes a stored value behind the store's back.
    private func spoil() throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
        let place = try #require(bytes.range(of: Data("secret-31970-01-01".utf8)))
        bytes[place.upperBound - 1] = UInt8(ascii: "9")
        try bytes.write(to: URL(fileURLWithPath: database))
    }

    @Test func allOfASoundDatabaseIsRecovered() throws {
        try store(3)
        let run = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(run.status == .done && run.error.isEmpty)
        #expect(run.output == "recovered 3, lost 0, not verified 0\n")
        #expect(["-wal", "-shm"].allSatisfy { !FileManager.default.fileExists(atPath: database + $0) })
        #expect(try ToolRun("check", "--database", folder.file("new.sqlite")).output == "sound\n")
        let again = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(again.status == .usage)
        #expect(again.error == "firelite recover: \(folder.file("new.sqlite")) exists already: name a new file\n")
    }

    @Test func aFolderIsNoDamagedDatabase() throws {
        let run = try ToolRun("recover", folder.file(""), folder.file("new.sqlite"))
        #expect(run.status == .failed && run.error.contains(" is a folder: name the file of the damaged database"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("new.sqlite")))
    }

    @Test func aReleaseThatIsNoneIsDamage() throws {
        try store(3)
        try execute("UPDATE _meta SET value = 'inf' WHERE key = 'release'")
        let run = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(run.status == .failed && run.error.contains("'inf'") == false && run.error.contains("FHIR inf"))
        #expect(run.error.contains("if the file is damaged there, the release that it had, such as R4"))
    }

    /// What modules keep has no digests: what is copied from a page that does not match its checksum is said, and nothing counts as whole.
    @Test(.enabled(if: Connection.libraryNumber >= 3_032_000)) func changedRowsOfModulesAreSaid() throws {
        try store(3)
        let put = try ToolRun("appdata", "--database", database, "put", "settings", "--input", folder.write("in", "hello, settings"))
        #expect(put.status == .done, "\(put.error)")
        #expect(try ToolRun("recover", database, folder.file("sound.sqlite")).status == .done)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
        let place = try #require(bytes.range(of: Data("hello, settings".utf8)))
        bytes[place.lowerBound] = UInt8(ascii: "j")
        try bytes.write(to: URL(fileURLWithPath: database))
        let run = try ToolRun("recover", "--json", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete && run.output.contains(#""recovered":3"#) && run.output.contains(#""complete":false"#))
        #expect(run.output.contains("_appdata_content: 1 row that was copied is on pages that do not match their checksums"))
        #expect(try ToolRun("appdata", "--database", folder.file("new.sqlite"), "get", "settings").output == "jello, settings")
    }

    /// Replaces bytes of the file behind the store's back, wherever they are.
    private func replace(_ old: String, _ new: String, in path: String? = nil) throws {
        let url = URL(fileURLWithPath: path ?? database)
        var bytes = try Data(contentsOf: url)
        var isFound = false
        while let place = bytes.range(of: Data(old.utf8)) {
            bytes.replaceSubrange(place, with: Data(new.utf8))
            isFound = true
        }
        #expect(isFound && old.utf8.count == new.utf8.count)
        try bytes.write(to: url)
    }

    /// A database with a history of two changes, all of it in the file itself.
    private func storeHistory() throws {
        try store(3)
        #expect(try ToolRun("track", "--database", database, "on", "history").status == .done)
        for gender in ["female", "other"] {
            #expect(try ToolRun("patch", "--database", database, "Patient/secret-2", "gender=\(gender)").status == .done)
        }
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func execute(_ sql: StaticString) throws {
        let connection = try Connection(path: database, createsFile: false, isHardened: false)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute(sql)
    }

    private func versions(_ file: String) throws -> Int {
        let run = try ToolRun("sql", "--database", folder.file(file), "--format", "csv", "SELECT count(*) FROM _change")
        return run.lines.last.flatMap { Int($0.filter(\.isNumber)) } ?? -1
    }

    /// The store's own tables have no digests: what is copied from pages that do not match their checksums is said, and no change is left out.
    @Test(
        .enabled(if: Connection.libraryNumber >= 3_032_000),
        arguments: [
            ("track.next", "Track.next", "_meta: the store's settings were on pages"),
            ("track.history", "trAck.history", "_meta: the store's settings"),
        ])
    func changedRowsOfTheStoreAreSaid(old: String, new: String, message: String) throws {
        try storeHistory()
        #expect(try ToolRun("recover", database, folder.file("sound.sqlite")).status == .done)
        let expected = try versions("sound.sqlite")
        #expect(expected == 2)
        try replace(old, new)
        let run = try ToolRun("recover", "--json", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete && run.output.contains(#""complete":false"#) && run.output.contains(message), "\(run.output)")
        #expect(try versions("new.sqlite") == expected)
    }

    @Test(.enabled(if: Connection.libraryNumber >= 3_032_000)) func changedChangesAreSaid() throws {
        try storeHistory()
        // The content before a change, and not its digest.
        try replace(#""gender":"female""#, #""gender":"fEmale""#)
        let run = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete && run.output.contains("_change: "), "\(run.output)")
    }

    /// A change that has lost its content is not one of a pruned version as long as its digest is there, and it does not end a recovery.
    @Test(arguments: [false, true]) func changesWithoutTheirContentAreSaid(marksToo: Bool) throws {
        try storeHistory()
        if marksToo {
            try execute("UPDATE _change SET content = NULL, pk = NULL, kind = 2, id = '#0' WHERE seq = (SELECT max(seq) FROM _change)")
        } else {
            try execute("UPDATE _change SET content = NULL WHERE seq = (SELECT max(seq) FROM _change)")
        }
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let check = try ToolRun("check", "--database", database)
        #expect(check.status == .incomplete && check.output.contains("is not what was stored"), "\(check.output)")
        let run = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete && run.output.contains("_change: the changes "), "\(run.output) \(run.error)")
        #expect(try versions("new.sqlite") == 1)
        #expect(try ToolRun("check", "--database", folder.file("new.sqlite")).output == "sound\n")
    }

    /// A store that has tracked something, and has lost the table or what it says of it.
    @Test func lostTablesOfChangesAreSaid() throws {
        try storeHistory()
        try execute("DELETE FROM _meta WHERE key LIKE 'track.%'")
        #expect(try ToolRun("check", "--database", database).output.contains("_meta: what the store tracks is missing"))
        let settings = try ToolRun("recover", database, folder.file("settings.sqlite"))
        #expect(settings.status == .incomplete && settings.output.contains("_meta: what the store tracks is lost"), "\(settings.output)")
        #expect(try versions("settings.sqlite") == 2)
        #expect(try ToolRun("check", "--database", folder.file("settings.sqlite")).output == "sound\n")
        try execute("DROP TABLE _change")
        #expect(try ToolRun("check", "--database", database).output.contains("_change: the table is missing"))
        let run = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete && run.output.contains("_change: the table is lost"), "\(run.output)")
    }

    @Test func aStoreWithoutItsSettingsKeepsItsChanges() throws {
        try storeHistory()
        try execute("DROP TABLE _meta")
        let run = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete, "\(run.output) \(run.error)")
        #expect(try versions("new.sqlite") == 2)
    }

    /// A reference is never taken for the payload: a file that has lost the tables with payloads lacks them.
    @Test func referencesWithoutTablesAreNoPayloads() throws {
        try store(1)
        let data = Data(repeating: 7, count: 6_000).base64EncodedString()
        let binary = #"{"resourceType":"Binary","id":"b1","contentType":"a/b","data":"\#(data)"}"#
        #expect(try ToolRun("blobs", "--database", database, "apart").status == .done)
        #expect(try ToolRun("import", "--database", database, folder.write("binary.ndjson", binary)).status == .done)
        try execute("DROP TABLE _blob; DROP TABLE _blob_reference; DROP TABLE _blob_chunk; PRAGMA wal_checkpoint(TRUNCATE)")
        let run = try ToolRun("recover", "--json", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete && !run.output.contains(#""lackingPayloads":[]"#), "\(run.output) \(run.error)")
        let check = try ToolRun("check", "--database", folder.file("new.sqlite"))
        #expect(check.status == .incomplete && check.output.contains("payload"), "\(check.output)")
        let export = try ToolRun("export", "--database", folder.file("new.sqlite"), "--output", folder.file("exported"))
        #expect(export.status != .done && !export.error.isEmpty)
        let exported = try? String(contentsOfFile: folder.file("exported/Binary.ndjson"), encoding: .utf8)
        #expect(exported?.contains("blob:") != true)
    }

    /// What refers to payloads is read from the resources if the table that says so is lost: until then, no reference passes for a payload.
    @Test func aLostTableOfReferencesIsMadeAgain() throws {
        try store(1)
        let data = Data(repeating: 7, count: 6_000).base64EncodedString()
        let binary = #"{"resourceType":"Binary","id":"b1","contentType":"a/b","data":"\#(data)"}"#
        #expect(try ToolRun("blobs", "--database", database, "apart").status == .done)
        #expect(try ToolRun("import", "--database", database, folder.write("binary.ndjson", binary)).status == .done)
        try execute("DROP TABLE _blob_reference; PRAGMA wal_checkpoint(TRUNCATE)")
        let lost = try ToolRun("export", "--database", database, "--output", folder.file("lost"))
        #expect(lost.status == .failed && lost.error.contains("has lost the table _blob_reference"), "\(lost.output) \(lost.error)")
        let run = try ToolRun("recover", "--json", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete && run.output.contains(#""lackingPayloads":[]"#), "\(run.output) \(run.error)")
        #expect(try ToolRun("check", "--database", folder.file("new.sqlite")).output == "sound\n")
        let export = try ToolRun("export", "--database", folder.file("new.sqlite"), "--output", folder.file("exported"))
        #expect(export.status == .done, "\(export.error)")
        let exported = try String(contentsOfFile: folder.file("exported/Binary.ndjson"), encoding: .utf8)
        #expect(exported.contains(data) && !exported.contains("blob:"))
    }

    /// A file that does not say which modules it has keeps what they have kept, and a check and a recovery say so.
    @Test func tablesOfModulesThatTheFileDoesNotNameAreCopied() throws {
        try store(3)
        _ = try ToolRun("appdata", "--database", database, "put", "settings", "--input", folder.write("in", "hello, settings"))
        do {
            let connection = try Connection(path: database, createsFile: false, isHardened: false)
            try connection.execute("DELETE FROM _meta WHERE key LIKE 'module.%'")
        }
        let check = try ToolRun("check", "--database", database)
        #expect(check.status == .incomplete && check.output.contains("_appdata"), "\(check.output)")
        let run = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete && run.output.contains("_appdata_content: the file does not say any more"), "\(run.output)")
        #expect(try ToolRun("appdata", "--database", folder.file("new.sqlite"), "get", "settings").output == "hello, settings")
        #expect(try ToolRun("check", "--database", folder.file("new.sqlite")).output == "sound\n")
    }

    @Test func idsOnlyWhereAskedFor() throws {
        try store(3)
        try spoil()
        let run = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(run.status == .incomplete)
        #expect(run.output == "lost Patient number 3: its rows do not match their digest\nrecovered 2, lost 1, not verified 0\n")
        #expect(!run.error.contains("secret"))
        let named = try ToolRun("recover", "--ids", database, folder.file("other.sqlite"))
        #expect(named.lines.first == "lost Patient/secret-3: its rows do not match their digest")
    }

    /// SQLite deletes a log beside an empty file.
    @Test func aLogBesideAnEmptyFileIsNamedAndKept() throws {
        let (file, log) = (URL(fileURLWithPath: database), URL(fileURLWithPath: database + "-wal"))
        let content = Data(repeating: 7, count: 5_000)
        let new = folder.file("new.sqlite")
        let patient = try folder.write("a.json", #"{"resourceType":"Patient","id":"a"}"#)
        try Data().write(to: file)
        try content.write(to: log)
        for arguments in [["recover", database, new], ["check", "--database", database], ["get", "--database", database, "Patient/a"]] {
            let run = try ToolRun(arguments)
            #expect(run.status == .failed && run.error.contains("test.sqlite-wal of 5000 bytes"), "\(run.output) \(run.error)")
        }
        #expect(try ToolRun("import", "--database", database, patient).status != .done)
        #expect(try Data(contentsOf: log) == content)
        // A file that is not recognized may belong to its log.
        try Data(count: 8_192).write(to: file)
        let run = try ToolRun("recover", database, new)
        #expect(run.status == .failed && run.error.contains("test.sqlite-wal has 5000 bytes"), "\(run.output) \(run.error)")
        #expect(!FileManager.default.fileExists(atPath: new))
    }

    @Test func filesThatAreNoDatabaseAreRefused() throws {
        let run = try ToolRun("recover", try folder.write("text", String(repeating: "text ", count: 500)), folder.file("new.sqlite"))
        #expect(run.status == .failed)
        #expect(try folder.names == ["text"])
    }

    @Test(.enabled(if: Connection.libraryNumber >= 3_032_000, "needs SQLite 3.32"))
    func aBackupSaysWhatItCouldNotCompare() throws {
        try store(50)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
        bytes.resetBytes(in: 4 * 4_096 - 512..<4 * 4_096)
        try bytes.write(to: URL(fileURLWithPath: database))
        let run = try ToolRun("backup", "--database", database, folder.file("copy.sqlite"))
        #expect(run.status == .incomplete && run.error.contains("the page 4 has no checksum"), "\(run.error)")
        #expect(try folder.names.contains("copy.sqlite"))
    }

    @Test func backupsAreCopiesAndVacuumShrinksTheFile() throws {
        try store(50)
        let copy = folder.file("copy.sqlite")
        #expect(try ToolRun("backup", "--database", database, copy).output == "copied to \(copy)\n")
        let again = try ToolRun("backup", "--database", database, copy)
        #expect(again.status == .usage)
        #expect(again.error == "firelite backup: \(copy) exists already: name a new file, or give --replace\n")
        #expect(try ToolRun("backup", "--database", database, "--replace", copy).status == .done)
        #expect(try ToolRun("vacuum", "--database", copy).output.hasPrefix("before "))
        #expect(
            try ToolRun("export", "--database", copy, "--output", "-").output
                == ToolRun("export", "--database", database, "--output", "-").output)
    }
}
