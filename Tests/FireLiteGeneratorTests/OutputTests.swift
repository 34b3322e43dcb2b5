import Foundation
import Testing

@testable import FireLiteGenerator

/// What happens to the files that are there already.
struct OutputTests {
    private let package: TemporaryPackage

    init() throws { package = try TemporaryPackage() }

    private var root: String { package.folder.path }
    private let reason = "nothing is written to a folder with such files, move them or choose another folder"

    /// Every file and its content.
    private func snapshot() throws -> [String: String] {
        var content: [String: String] = [:]
        for name in try package.folder.files() { content[name] = try package.folder.read(name) }
        return content
    }

    private func expectRefusal(_ expected: String, _ arguments: String...) throws {
        let before = try snapshot()
        for more in [[], ["--check"]] {
            let outcome = GeneratorCommand.run(arguments + more, in: root)
            #expect(outcome == .init(status: 2, output: "", error: "Generator: " + expected))
        }
        #expect(try snapshot() == before)
    }

    // MARK: - Files of others

    @Test func filesThatWereNotGeneratedAreAnError() throws {
        try package.folder.write("Out/Resources/Task.swift", "// Mine.\n")
        try expectRefusal("\(root)/Out/Resources/Task.swift: this file was not generated: \(reason)", "--output", root + "/Out")
        try package.folder.write("Out/Mine.swift", "// Mine.\n")
        try package.folder.write("Out/notes.txt", "")
        try expectRefusal(
            "\(root)/Out/Mine.swift: this file was not generated, nor were 2 more files in \(root)/Out: \(reason)", "--output",
            root + "/Out")
    }

    /// A marked text that is no Swift file, and a link to one that is.
    @Test func onlySwiftFilesAreTheGenerators() throws {
        let marked = "// \(OutputFolder.mark)\n"
        try package.folder.write("Out/README.md", marked)
        try expectRefusal("\(root)/Out/README.md: this file was not generated: \(reason)", "--output", root + "/Out")
        try FileManager.default.removeItem(atPath: root + "/Out/README.md")
        try package.folder.write("Elsewhere.swift", marked)
        try FileManager.default.createSymbolicLink(atPath: root + "/Out/Release.swift", withDestinationPath: root + "/Elsewhere.swift")
        try expectRefusal("\(root)/Out/Release.swift: this file was not generated: \(reason)", "--output", root + "/Out")
        try FileManager.default.removeItem(atPath: root + "/Out/Release.swift")
        try FileManager.default.createSymbolicLink(atPath: root + "/Out/Resources", withDestinationPath: root + "/Generator")
        try expectRefusal("\(root)/Out/Resources: this file was not generated: \(reason)", "--output", root + "/Out")
    }

    @Test func hiddenFilesDoNotCount() throws {
        try package.folder.write("Out/.gitignore", "")
        try package.folder.write("Out/.git/config", "")
        #expect(package.run("--output", root + "/Out").status == 0)
        #expect(try package.folder.files().filter { $0.hasPrefix("Out/.") } == ["Out/.git/config", "Out/.gitignore"])
    }

    @Test func digestsOverwriteDigestsOnly() throws {
        try package.folder.write("Generator/Definitions/Mini.digest", "my own notes\n")
        try expectRefusal(
            "\(root)/Generator/Definitions/Mini.digest: this file is not a digest and is not overwritten", "--definitions",
            Fixtures.definitions,
            "--release", "Mini", "--update-digest")
    }

    @Test func slimModulesNeedAFolder() throws {
        #expect(package.run().status == 0)
        try expectRefusal("--resources needs --output, a folder for the slim module's code, see --help", "--resources", "Task")
    }

    /// On file systems that do not tell `TASK.swift` from `Task.swift` the right one is there in the end.
    @Test func namesThatDifferByCaseAreRenamed() throws {
        #expect(package.run("--output", root + "/Out").status == 0)
        let folder = root + "/Out/Resources/"
        try FileManager.default.moveItem(atPath: folder + "Task.swift", toPath: folder + "TASK.swift")
        #expect(package.run("--output", root + "/Out").status == 0)
        #expect(try package.folder.files().filter { $0.lowercased() == "out/resources/task.swift" } == ["Out/Resources/Task.swift"])
    }

    // MARK: - Line ends

    /// A checkout on Windows changes every line end, of templates and digests, too.
    @Test func lineEndsOfWindowsAreNoDifference() throws {
        #expect(package.run().status == 0)
        let before = try snapshot()
        for (name, content) in before {
            try package.folder.write(name, content.unicodeScalars.map { $0 == "\n" ? "\r\n" : String($0) }.joined())
        }
        let changed = try snapshot()
        let check = package.run("--check")
        #expect(check.status == 0, "\(check.output) \(check.error)")
        #expect(package.run().output.hasSuffix("0 files written, 0 removed"))
        let digest = package.run("--check", "--definitions", Fixtures.definitions, "--release", "Mini", "--update-digest")
        #expect(digest.status == 0, "\(digest.output) \(digest.error)")
        #expect(try snapshot() == changed)
        // A file that differs elsewhere, too, is a generated one and is written with line feeds.
        let task = "Sources/FireLiteMini/Generated/Resources/Task.swift"
        try package.folder.write(task, try package.folder.read(task) + "// changed\r\n")
        #expect(package.run().output.hasSuffix("1 files written, 0 removed"))
        #expect(try package.folder.read(task) == before[task])
    }

    // MARK: - Reasons of the system

    @Test func errorsCarryTheSystemsReason() throws {
        let file = try package.folder.write("Blocked", "")
        try expectRefusal("\(file): cannot read this folder: Not a directory", "--output", file)
        let below = package.run("--output", file + "/Out")
        #expect(below.status == 2)
        #expect(below.error.hasPrefix("Generator: \(file)/Out/") && below.error.hasSuffix(": cannot write this file: Not a directory"))
        try expectRefusal("/no/such: cannot read this folder of templates: No such file or directory", "--templates", "/no/such")
        try package.folder.write("Definitions/a.json/b.txt", "")
        #expect(
            message { _ = try SourceFile(path: root + "/Definitions/a.json") }
                == "\(root)/Definitions/a.json: cannot read this file: Is a directory")
    }
}
