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
        #expect(try ToolRun("check", "--database", folder.file("new.sqlite")).output == "sound\n")
        let again = try ToolRun("recover", database, folder.file("new.sqlite"))
        #expect(again.status == .failed && again.error.contains("exists already"))
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
        #expect(run.output.contains("_appdata_content: 1 rows that were copied are on pages that do not match their checksums"))
        #expect(try ToolRun("appdata", "--database", folder.file("new.sqlite"), "get", "settings").output == "jello, settings")
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

    @Test func filesThatAreNoDatabaseAreRefused() throws {
        let run = try ToolRun("recover", try folder.write("text", String(repeating: "text ", count: 500)), folder.file("new.sqlite"))
        #expect(run.status == .failed)
        #expect(try folder.names == ["text"])
    }

    @Test func backupsAreCopiesAndVacuumShrinksTheFile() throws {
        try store(50)
        let copy = folder.file("copy.sqlite")
        #expect(try ToolRun("backup", "--database", database, copy).output == "copied to \(copy)\n")
        let again = try ToolRun("backup", "--database", database, copy)
        #expect(again.status == .failed && again.error.contains("exists already"))
        #expect(try ToolRun("backup", "--database", database, "--replace", copy).status == .done)
        #expect(try ToolRun("vacuum", "--database", copy).output.hasPrefix("before "))
        #expect(
            try ToolRun("export", "--database", copy, "--output", "-").output
                == ToolRun("export", "--database", database, "--output", "-").output)
    }
}
