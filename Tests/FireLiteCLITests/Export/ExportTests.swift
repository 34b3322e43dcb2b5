import FireLite
import Foundation
import Testing

@testable import FireLiteCLI

struct ExportTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let given = try folder.write("given.ndjson", Self.lines.joined(separator: "\n"))
        _ = try ToolRun("import", "--database", database, given)
        try FileManager.default.removeItem(atPath: given)
    }

    private static let lines = [
        #"{"resourceType":"Group","id":"1"}"#,
        #"{"resourceType":"Observation","id":"1","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.50}}"#,
        #"{"resourceType":"Patient","id":"1","name":[{"given":["Ada",null],"_given":[null,{"id":"g"}]}]}"#,
        #"{"resourceType":"Patient","id":"2","contained":[{"resourceType":"Group","id":"c"}]}"#,
    ]

    private var database: String { folder.file("test.sqlite") }
    private var databaseFiles: [String] { ["test.sqlite", "test.sqlite-shm", "test.sqlite-wal"] }

    private func read(_ name: String) throws -> [String] {
        let text = try folder.read(name)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return text.split(separator: "\n").map(String.init)
    }

    @Test func standardOutputGetsEverything() throws {
        let run = try ToolRun("export", "--database", database, "--output", "-")
        #expect(run.status == .done && run.error.isEmpty)
        #expect(run.lines == Self.lines)
        #expect(
            try ToolRun("export", "--database", database, "--output", "-", "--type", "Group", "--type", "Group").lines == [Self.lines[0]])
    }

    @Test func aFolderGetsAFileForEachType() throws {
        let run = try ToolRun("export", "--database", database, "--output", folder.file("a/b"))
        #expect(run.status == .done && run.error.isEmpty)
        #expect(run.output.hasPrefix("exported 4, files 3, seconds "))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("a/b")).sorted() == [
                "Group.ndjson", "Observation.ndjson", "Patient.ndjson",
            ])
        #expect(try read("a/b/Patient.ndjson") == Array(Self.lines[2...]))
        #expect(try read("a/b/Group.ndjson") == [Self.lines[0]])
    }

    @Test func askedForTypesGetAFileInAnyCase() throws {
        let output = folder.file("out")
        #expect(try ToolRun("export", "--database", database, "--output", output, "--type", "Patient", "--type", "Device").status == .done)
        #expect(try FileManager.default.contentsOfDirectory(atPath: output).sorted() == ["Device.ndjson", "Patient.ndjson"])
        #expect(try read("out/Device.ndjson") == [])
    }

    @Test func filesAreReplaced() throws {
        try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: true)
        try folder.write("out/Group.ndjson", "old\nlines\n")
        try folder.write("out/other", "mine")
        #expect(try ToolRun("export", "--database", database, "--output", folder.file("out")).status == .done)
        #expect(try read("out/Group.ndjson") == [Self.lines[0]])
        #expect(try folder.read("out/other") == "mine")
    }

    @Test func filesOfTypesThatAreGoneAreNamed() throws {
        let output = folder.file("out")
        _ = try ToolRun("export", "--database", database, "--output", output)
        #expect(try ToolRun("delete", "--database", database, "Group/1").status == .done)
        let run = try ToolRun("export", "--database", database, "--output", output)
        #expect(run.status == .done)
        #expect(
            run.error == "firelite export: \(output)/Group.ndjson is of an earlier export, and was left as it is\n")
        #expect(try ToolRun("export", "--database", database, "--output", output, "--type", "Patient").error.isEmpty)
    }

    @Test func whatIsExportedImportsAsTheSame() throws {
        let output = folder.file("out")
        #expect(try ToolRun("export", "--database", database, "--output", output).status == .done)
        let files = try FileManager.default.contentsOfDirectory(atPath: output).map { "\(output)/\($0)" }
        let again = try ToolRun(["import", "--database", database] + files)
        #expect(again.counts == "added 0, updated 0, unchanged 4, rejected 0")
        let copy = try ToolRun(["import", "--database", folder.file("copy.sqlite")] + files)
        #expect(copy.counts == "added 4, updated 0, unchanged 0, rejected 0")
        #expect(Set(try ToolRun("export", "--database", folder.file("copy.sqlite"), "--output", "-").lines) == Set(Self.lines))
    }

    @Test func aFolderThatCannotBeIsAFailure() throws {
        try folder.write("file", "")
        let run = try ToolRun("export", "--database", database, "--output", folder.file("file"))
        #expect(run.status == .usage)
        let reason = "which cannot be written to: it is not a folder: name a folder"
        #expect(run.error == "firelite export: --output is \(folder.file("file")), \(reason)\n")
    }

    @Test func nothingIsLeftOfAnExportThatFails() throws {
        let output = try ExportFolder(path: folder.file("out"), database: database)
        try output.write("A") { try $0.write("a") }
        #expect(throws: ToolError.incomplete("no")) { try output.write("B") { _ in throw ToolError.incomplete("no") } }
        let pending = try FileManager.default.contentsOfDirectory(atPath: folder.file("out"))
        #expect(pending.count == 1 && pending[0].hasPrefix(".firelite-") && pending[0].hasSuffix(".partial"))
        try withFolder { try $0.write("C") { try $0.write("c") } }
        withExtendedLifetime(output) {}
    }

    private func withFolder(_ body: (ExportFolder) throws -> Void) throws {
        do { try body(ExportFolder(path: folder.file("gone"), database: database)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("gone")) == [])
    }
}
