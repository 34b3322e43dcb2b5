import Foundation
import Testing

@testable import FireLiteCLI

/// No command writes over the database, whatever name is given for a new file.
struct FileTargetTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let given = try folder.write("given.ndjson", #"{"resourceType":"Patient","id":"1"}"#)
        _ = try ToolRun("import", "--database", folder.file("test.sqlite"), given)
        try FileManager.default.linkItem(atPath: folder.file("test.sqlite"), toPath: folder.file("hard"))
    }

    private static let targets = ["test.sqlite", "test.sqlite-wal", "test.sqlite-shm", "test.sqlite-journal", "hard"]

    private func expectUntouched(_ body: () throws -> ToolRun) throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("test.sqlite")))
        let names = try folder.names
        let run = try body()
        #expect(run.status != .done && run.error.split(separator: "\n").count == 1, "\(run.error)")
        #expect(try folder.names == names)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("test.sqlite"))) == before)
        #expect(try ToolRun("check", "--database", folder.file("test.sqlite")).output == "sound\n")
    }

    @Test(arguments: targets) func rejectsNeverOverwriteADatabase(_ target: String) throws {
        let bad = try folder.write("bad.ndjson", "{")
        try expectUntouched {
            try ToolRun(
                "import", "--database", folder.file("test.sqlite"), "--on-error", "skip", "--rejects", folder.file(target), bad)
        }
    }

    /// Also where the database is not there yet.
    @Test func rejectsNeverOverwriteANewDatabase() throws {
        let run = try ToolRun(
            "import", "--database", folder.file("new.sqlite"), "--rejects", folder.file("new.sqlite-wal"), folder.file("given.ndjson"))
        #expect(run.status == .usage)
        #expect(try !folder.names.contains { $0.hasPrefix("new") })
    }

    @Test(arguments: targets) func backupsNeverOverwriteTheDatabase(_ target: String) throws {
        try expectUntouched { try ToolRun("backup", "--replace", "--database", folder.file("test.sqlite"), folder.file(target)) }
    }

    /// A database of the name that the export gives one of its files, also an encrypted one.
    @Test(arguments: [true, false]) func exportsReplaceTextsOnly(isEncrypted: Bool) throws {
        var content = try Data(contentsOf: URL(fileURLWithPath: folder.file("test.sqlite")))
        if isEncrypted { content = Data((0..<8_192).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }) }
        try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: false)
        try folder.write("out/Patient.ndjson", content)
        try expectUntouched { try ToolRun("export", "--database", folder.file("test.sqlite"), "--output", folder.file("out")) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("out/Patient.ndjson"))) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")) == ["Patient.ndjson"])
        try folder.write("out/Patient.ndjson", Data("{}\n".utf8))
        #expect(try ToolRun("export", "--database", folder.file("test.sqlite"), "--output", folder.file("out")).status == .done)
        #expect(try String(contentsOfFile: folder.file("out/Patient.ndjson"), encoding: .utf8).contains(#""id":"1""#))
    }

    /// Files whose size an encrypted database could have, and others.
    @Test(arguments: [512, 700, 8_192, 8_700, 10_240]) func backupsReplaceDatabasesOnly(_ size: Int) throws {
        let text = String(repeating: #"{"resourceType":"Patient","id":"1"}"# + "\n", count: 300)
        let content = Data(text.utf8.prefix(size))
        try folder.write("archive.tar", content)
        try expectUntouched { try ToolRun("backup", "--replace", "--database", folder.file("test.sqlite"), folder.file("archive.tar")) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("archive.tar"))) == content)
    }

    @Test(arguments: targets) func recoveryNeverOverwritesTheDatabase(_ target: String) throws {
        try expectUntouched { try ToolRun("recover", folder.file("test.sqlite"), folder.file(target)) }
    }

    @Test func exportsNeverOverwriteTheDatabase() throws {
        let database = folder.file("out/Patient.ndjson")
        try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: folder.file("test.sqlite"), toPath: database)
        let run = try ToolRun("export", "--database", database, "--output", folder.file("out"))
        #expect(run.status == .failed && run.error.contains("is the database itself"))
        #expect(try ToolRun("check", "--database", database).output == "sound\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")) == ["Patient.ndjson"])
    }

    /// A link that was planted for the rejects is refused, and what it leads to stays.
    @Test func aPlantedLinkIsRefused() throws {
        try folder.write("victim", "mine")
        try FileManager.default.createSymbolicLink(atPath: folder.file("r.ndjson"), withDestinationPath: folder.file("victim"))
        let bad = try folder.write("bad.ndjson", "{")
        try expectUntouched {
            try ToolRun(
                "import", "--database", folder.file("test.sqlite"), "--on-error", "skip", "--rejects", folder.file("r.ndjson"), bad)
        }
        #expect(try folder.read("victim") == "mine")
    }

    @Test func newFoldersAreForTheirOwner() throws {
        #expect(try ToolRun("export", "--database", folder.file("test.sqlite"), "--output", folder.file("a/b")).status == .done)
        for name in ["a", "a/b"] {
            #expect(try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int == 0o700)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("a/b/Patient.ndjson"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }
}
