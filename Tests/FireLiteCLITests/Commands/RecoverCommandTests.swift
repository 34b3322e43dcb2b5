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
