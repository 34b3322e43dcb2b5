import Foundation
import Testing

@testable import GeneratorKit

struct CommandTests {
    private let package: TemporaryPackage

    init() throws { package = try TemporaryPackage() }

    private var root: String { package.folder.path }

    // MARK: - Generating

    @Test func generatesEveryDigestAndThenNothingMore() throws {
        #expect(package.run("--check").status == 1)
        let first = package.run()
        #expect(first.status == 0 && first.error.isEmpty)
        let (code, tests) = ("\(root)/Sources/FireLiteMini/Generated", "\(root)/Tests/FireLiteMiniGeneratedTests/Generated")
        #expect(first.output == "FHIR Mini 9.9.0: 21 files in \(code)\nFHIR Mini 9.9.0: 5 tests in \(tests)\n26 files written, 0 removed")
        #expect(package.run().output.hasSuffix("0 files written, 0 removed"))
        let check = package.run("--check")
        #expect(check.status == 0)
        #expect(check.output == "FHIR Mini 9.9.0: 21 files in \(code), up to date\nFHIR Mini 9.9.0: 5 tests in \(tests), up to date")
    }

    @Test func staleFilesGoAndOthersStay() throws {
        _ = package.run()
        let folder = "Sources/FireLiteMini/Generated"
        let task = try package.folder.read("\(folder)/Resources/Task.swift")
        try package.folder.write("\(folder)/Resources/Gone.swift", "// Old. \(OutputFolder.mark)\n")
        try package.folder.write("\(folder)/Resources/Mine.swift", "// Written by hand.\n")
        try package.folder.write("\(folder)/Resources/Task.swift", task + "// changed\n")
        try FileManager.default.removeItem(atPath: "\(root)/\(folder)/Codes/TaskUse.swift")

        let check = package.run("--check")
        #expect(check.status == 1)
        #expect(
            check.output.split(separator: "\n") == [
                "differs: \(root)/\(folder)/Resources/Task.swift", "missing: \(root)/\(folder)/Codes/TaskUse.swift",
                "superfluous: \(root)/\(folder)/Resources/Gone.swift",
            ])
        #expect(check.error == "Generator: 3 generated files are out of date, run `swift run Generator`")
        #expect(try package.folder.read("\(folder)/Resources/Task.swift") == task + "// changed\n")

        #expect(package.run().output.hasSuffix("2 files written, 1 removed"))
        #expect(try package.folder.read("\(folder)/Resources/Task.swift") == task)
        let files = try package.folder.files()
        #expect(!files.contains("\(folder)/Resources/Gone.swift"))
        #expect(files.contains("\(folder)/Resources/Mine.swift"))
    }

    /// The tests beside the code are checked, written and cleared out like it.
    @Test func staleTestsGoAndOthersStay() throws {
        _ = package.run()
        let folder = "Tests/FireLiteMiniGeneratedTests/Generated"
        let task = try package.folder.read("\(folder)/TaskTests.swift")
        try package.folder.write("\(folder)/GoneTests.swift", "// Old. \(OutputFolder.mark)\n")
        try package.folder.write("Tests/FireLiteMiniGeneratedTests/Mine.swift", "// Written by hand.\n")
        try package.folder.write("\(folder)/TaskTests.swift", task + "// changed\n")
        let check = package.run("--check")
        #expect(check.status == 1)
        #expect(
            check.output.split(separator: "\n") == [
                "differs: \(root)/\(folder)/TaskTests.swift", "superfluous: \(root)/\(folder)/GoneTests.swift",
            ])
        #expect(package.run("--resources", "Layout").status == 0)
        #expect(
            try package.folder.files().filter { $0.hasPrefix("Tests/") } == [
                "\(folder)/LayoutTypeTests.swift", "Tests/FireLiteMiniGeneratedTests/Mine.swift",
            ])
    }

    @Test func codeElsewhereHasTestsOnlyWhereAsked() throws {
        #expect(package.run("--output", root + "/Out").status == 0)
        #expect(try !package.folder.files().contains { $0.hasSuffix("Tests.swift") })
        #expect(package.run("--output", root + "/Out", "--tests", root + "/OutTests").status == 0)
        #expect(try package.folder.files().filter { $0.hasSuffix("Tests.swift") }.allSatisfy { $0.hasPrefix("OutTests/") })
        #expect(try package.folder.read("OutTests/TaskTests.swift").contains("import FireLiteMini\n"))
    }

    @Test func slimModuleGoesWhereAsked() throws {
        let output = root + "/Slim"
        let outcome = package.run("--release", "Mini", "--resources", "Layout,TaskValue", "--output", output)
        #expect(outcome.status == 0, "\(outcome.error)")
        let files = try package.folder.files().filter { $0.hasPrefix("Slim/") }
        #expect(files.contains("Slim/Resources/LayoutType.swift") && files.contains("Slim/Resources/DomainResource.swift"))
        #expect(!files.contains("Slim/Resources/Task.swift") && !files.contains("Slim/Codes/TaskStatus.swift"))
        #expect(try package.folder.read("Slim/Release.swift").contains("    layoutTypeTypes,\n"))
        #expect(try !package.folder.read("Slim/Release.swift").contains("taskTypes"))
    }

    @Test func definitionsGiveTheSameCodeAsTheDigest() throws {
        _ = package.run()
        #expect(package.run("--check", "--definitions", Fixtures.definitions, "--release", "Mini").status == 0)
    }

    @Test func digestIsUpdatedOnlyWhenAsked() throws {
        let digest = try package.folder.read("Generator/Definitions/Mini.digest")
        try package.folder.write("Generator/Definitions/Mini.digest", digest + "\n")
        _ = package.run("--definitions", Fixtures.definitions, "--release", "Mini")
        #expect(try package.folder.read("Generator/Definitions/Mini.digest") == digest + "\n")
        let check = package.run("--definitions", Fixtures.definitions, "--release", "Mini", "--update-digest", "--check")
        #expect(check.output == "differs: \(root)/Generator/Definitions/Mini.digest")
        #expect(try package.folder.read("Generator/Definitions/Mini.digest") == digest + "\n")
        let update = package.run("--definitions", Fixtures.definitions, "--release", "Mini", "--update-digest")
        #expect(update.status == 0)
        #expect(try package.folder.read("Generator/Definitions/Mini.digest") == digest)
    }

    @Test func otherTemplatesAreUsed() throws {
        let templates = root + "/Mine"
        try package.folder.copyTemplates(to: "Mine")
        let codes = try package.folder.read("Mine/codes.swift.tmpl")
        try package.folder.write(
            "Mine/codes.swift.tmpl", codes + "// {{name}} has {{#members}}{{#isLast}}{{code}}{{/isLast}}{{/members}} last\n")
        #expect(package.run("--templates", templates).status == 0)
        #expect(try package.folder.read("Sources/FireLiteMini/Generated/Codes/TaskUse.swift").hasSuffix("// TaskUse has two last\n"))
    }

    @Test func packageIsFoundUpwards() throws {
        try package.folder.write("a/b/c.txt", "")
        let outcome = GeneratorCommand.run([], in: root + "/a/b")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try package.folder.files().contains("Sources/FireLiteMini/Generated/Release.swift"))
        let outside = try TemporaryFolder()
        #expect(
            GeneratorCommand.run([], in: outside.path).error
                == "Generator: run this inside the package: no Package.swift and Templates from here upwards")
    }

    @Test func helpNamesEveryOption() {
        let help = package.run("--help")
        #expect(help.status == 0 && help.error.isEmpty)
        for option in [
            "--release", "--definitions", "--update-digest", "--resources", "--check", "--templates", "--output", "--tests", "--help",
        ] {
            #expect(help.output.contains("  \(option)"))
        }
    }

    // MARK: - Mistakes

    /// A mistake is one line on standard error and status 2, and writes nothing.
    private func expectRefusal(_ expected: String, _ arguments: [String]) throws {
        let before = try package.folder.files()
        let outcome = GeneratorCommand.run(arguments, in: root)
        #expect(outcome == .init(status: 2, output: "", error: "Generator: " + expected))
        #expect(try package.folder.files() == before)
    }

    @Test(arguments: [
        (["--nope"], "unknown argument --nope, see --help"),
        (["R4"], "unknown argument R4, see --help"),
        (["--release"], "--release needs a value, see --help"),
        (["--release", "--check"], "--release needs a value, see --help"),
        (["--release", "R9"], "unknown release R9, digests there are: Mini"),
        (["--release", "../R4"], "--release needs a name, not `../R4`"),
        (["--update-digest"], "--update-digest needs --definitions, see --help"),
        (["--resources", "Nope"], "no resource `Nope` in FHIR Mini 9.9.0"),
        (["--resources", "Task,"], "--resources needs names separated by commas, not `Task,`"),
        (["--definitions", "/no/such"], "/no/such: no such definitions folder"),
        (["--templates", "/no/such"], "/no/such: cannot read this folder of templates"),
    ])
    func badArguments(arguments: [String], expected: String) throws {
        try expectRefusal(expected, arguments)
    }

    @Test func badTemplates() throws {
        let path = root + "/Templates/codes.swift.tmpl"
        try package.folder.write("Templates/codes.swift.tmpl", "{{> header}}\n\n  {{nope}}\n")
        try expectRefusal("\(path):3:3: no key `nope` here", [])
        try package.folder.write("Templates/codes.swift.tmpl", "{{#members}}")
        try expectRefusal("\(path):1:1: `members` is opened and not closed", [])
        try FileManager.default.removeItem(atPath: path)
        try expectRefusal("\(root)/Templates: no template `codes.swift.tmpl`", [])
    }

    @Test func badDigests() throws {
        let path = root + "/Generator/Definitions/Mini.digest"
        let digest = try package.folder.read("Generator/Definitions/Mini.digest")
        try package.folder.write("Generator/Definitions/Mini.digest", digest + "odd line\n")
        let line = digest.split(separator: "\n", omittingEmptySubsequences: false).count
        try expectRefusal("\(path):\(line):1: unknown definition `odd`", [])
        try FileManager.default.moveItem(atPath: path, toPath: root + "/Generator/Definitions/Other.digest")
        try package.folder.write("Generator/Definitions/Other.digest", digest)
        try expectRefusal(
            "\(root)/Generator/Definitions/Other.digest:2:1: this is a digest of Mini, its file should be named so", [])
        try FileManager.default.removeItem(atPath: root + "/Generator/Definitions/Other.digest")
        try expectRefusal("\(root)/Generator/Definitions: no digest in this folder", [])
    }

    @Test func oneOutputForOneRelease() throws {
        let digest = try package.folder.read("Generator/Definitions/Mini.digest")
        let other = digest.split(separator: "release Mini", omittingEmptySubsequences: false).joined(separator: "release Maxi")
        try package.folder.write("Generator/Definitions/Maxi.digest", other)
        for option in ["--output", "--tests"] {
            try expectRefusal("\(option) takes one release, choose it with --release: Maxi, Mini", [option, root + "/Out"])
        }
    }

    @Test func outputThatCannotBeWritten() throws {
        try package.folder.write("Blocked", "a file where a folder should be")
        let outcome = package.run("--release", "Mini", "--output", root + "/Blocked")
        #expect(outcome.status == 2)
        #expect(outcome.error.hasPrefix("Generator: \(root)/Blocked/") && outcome.error.hasSuffix("cannot write this file"))
    }
}
