import Foundation
import Testing

@testable import FireLiteGenerator

struct CommandTests {
    private let package: TemporaryPackage

    init() throws { package = try TemporaryPackage() }

    private var root: String { package.folder.path }

    // MARK: - Generating

    @Test func generatesEveryDigestAndThenNothingMore() throws {
        #expect(package.run("--check").status == 1)
        let first = package.run()
        #expect(first.status == 0 && first.error.isEmpty)
        let code = "\(root)/Sources/FireLiteMini/Generated"
        let layouts = "\(root)/Sources/FireLiteReleases/Generated"
        let search = "\(root)/Sources/FireLiteSearch/Generated"
        let constraints = "\(root)/Sources/FireLiteFHIRPath/Generated"
        let knowledge = "\(root)/Sources/FireLiteKnowledge/Generated"
        let parts = [
            "FHIR Mini 9.9.0: 21 files in \(code)", "layouts: 1 files in \(layouts)", "search parameters: 1 files in \(search)",
            "constraints: 1 files in \(constraints)", "bindings: 1 files in \(knowledge)",
        ]
        #expect(first.output == parts.joined(separator: "\n") + "\n25 files written, 0 removed")
        #expect(package.run().output.hasSuffix("0 files written, 0 removed"))
        let check = package.run("--check")
        #expect(check.status == 0)
        #expect(check.output == parts.map { $0 + ", up to date" }.joined(separator: "\n"))
    }

    @Test func staleFilesGo() throws {
        _ = package.run()
        let folder = "Sources/FireLiteMini/Generated"
        let task = try package.folder.read("\(folder)/Resources/Task.swift")
        try package.folder.write("\(folder)/Resources/Gone.swift", "// Old. \(OutputFolder.mark)\n")
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

    @Test func namesOfASlimModuleGoIntoAModuleOfTheirOwn() throws {
        let arguments = [
            "--release", "Mini", "--resources", "Layout,TaskValue", "--output", root + "/Slim", "--names", root + "/Names", "--module",
            "My_Models",
        ]
        let outcome = GeneratorCommand.run(arguments, in: root)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.contains("\nFHIR Mini 9.9.0: names of My_Models in \(root)/Names/Names.swift\n"))
        let lines = try package.folder.read("Names/Names.swift").split(separator: "\n").map(String.init)
        #expect(lines.first == "// FHIR Mini 9.9.0. \(OutputFolder.mark)")
        #expect(lines.contains("import My_Models") && lines.contains("public enum Mini {"))
        #expect(lines.contains("    public typealias LayoutType = My_Models.LayoutType"))
        #expect(!lines.contains("    public typealias Task = My_Models.Task"))
        // Each alias names a type of the module.
        let names = lines.compactMap { $0.split(separator: " ").last }.filter { $0.hasPrefix("My_Models.") }.map { $0.dropFirst(10) }
        let code = try package.folder.files().filter { $0.hasPrefix("Slim/") }.map { try package.folder.read($0) }.joined()
        #expect(names.count > 5)
        for name in names { #expect(["class", "enum", "struct"].contains { code.contains("\($0) \(name)") }, "\(name)") }
        #expect(GeneratorCommand.run(arguments + ["--check"], in: root).status == 0)
        try FileManager.default.removeItem(atPath: root + "/Names/Names.swift")
        let check = GeneratorCommand.run(arguments + ["--check"], in: root)
        #expect(check.status == 1 && check.output == "missing: \(root)/Names/Names.swift")
    }

    /// A replaced class has an alias, too: its instances are of the class that replaces it.
    @Test func namesIncludeReplacements() throws {
        try package.folder.write("s.json", #"{"release": "Mini", "types": {"Reference": "Link"}}"#)
        let outcome = package.run("--settings", root + "/s.json", "--output", root + "/Out", "--names", root + "/Names", "--module", "Mine")
        #expect(outcome.status == 0, "\(outcome.error)")
        let names = try package.folder.read("Names/Names.swift")
        #expect(names.contains("typealias Link = Mine.Link\n") && names.contains("typealias Reference = Mine.Reference\n"))
    }

    @Test func namesNeedAFolderAndAModule() throws {
        let both = "--names, a folder for aliases, and --module, the module with the types, need each other, see --help"
        try expectRefusal(both, ["--output", "/no/such", "--names", "/no/names"])
        try expectRefusal(both, ["--output", "/no/such", "--module", "Mine"])
        try expectRefusal(
            "--names needs --output, the folder for the code of the module, see --help", ["--names", "/no/such", "--module", "Mine"])
        try expectRefusal("--module needs the name of a module, not `My-Models`", ["--names", "/no/such", "--module", "My-Models"])
        for (names, output) in [("/no/such", "/no/such"), ("/no/such/names", "/no/such"), ("/no", "/no/such/../such")] {
            try expectRefusal(
                "--names needs a folder of another target: `\(names)` and --output, `\(output)`, contain one another",
                ["--names", names, "--module", "Mine", "--output", output])
        }
        try expectRefusal(
            "the module `Task` has a type of that name, so aliases cannot name its types: rename one of them",
            ["--release", "Mini", "--output", root + "/Out", "--names", root + "/Names", "--module", "Task"])
    }

    /// With layouts alone no code is written; with both options both are.
    @Test func layoutsGoIntoAFileOfTheirOwn() throws {
        let layouts = root + "/mini.layouts"
        #expect(
            package.run("--release", "Mini", "--layouts", layouts).output
                == "FHIR Mini 9.9.0: layouts in \(layouts)\n1 files written, 0 removed")
        let alone = try package.folder.read("mini.layouts")
        #expect(!alone.isEmpty)
        try FileManager.default.removeItem(atPath: layouts)
        let both = package.run("--release", "Mini", "--layouts", layouts, "--output", root + "/Out")
        #expect(
            both.output
                == "FHIR Mini 9.9.0: layouts in \(layouts)\nFHIR Mini 9.9.0: 21 files in \(root)/Out\n22 files written, 0 removed")
        #expect(try package.folder.read("mini.layouts") == alone)
    }

    @Test func definitionsGiveTheSameCodeAsTheDigest() throws {
        _ = package.run()
        #expect(package.run("--check", "--definitions", Fixtures.definitions, "--release", "Mini").status == 0)
    }

    /// What an import leaves out and what it misses is said, whatever becomes of the run.
    @Test func skippedAndMissingDefinitionsAreSaid() throws {
        _ = package.run()
        let mini = "FHIR Mini 9.9.0: "
        let skipped = mini + "skipped 2 profiles and 1 logical model, which define no type"
        let whole = package.run("--definitions", Fixtures.definitions, "--release", "Mini")
        #expect(whole.output.split(separator: "\n").first.map(String.init) == skipped)
        // The same definitions, with a logical model more and without their ValueSets.
        let folder = root + "/Definitions"
        for file in try FileTree.files(in: Fixtures.definitions) where file.path.hasSuffix(".json") {
            let text = String(decoding: try SourceFile(path: Fixtures.definitions + "/" + file.path).bytes, as: UTF8.self)
            if !text.contains("\"ValueSet\"") { try package.folder.write("Definitions/" + file.path, text) }
        }
        try package.folder.write("Definitions/m.json", #"{"resourceType": "StructureDefinition", "url": "http://x/M", "kind": "logical"}"#)
        let bare = package.run("--definitions", folder, "--release", "Mini", "--check")
        #expect(bare.status == 1)
        #expect(
            bare.output.split(separator: "\n").prefix(2).map(String.init) == [
                mini + "skipped 2 profiles and 2 logical models, which define no type",
                mini + "none of the 5 ValueSets of required bindings is in \(folder): every code is a `String`",
            ])
        try package.folder.write(
            "Definitions/v.json", #"{"resourceType": "ValueSet", "url": "http://example.org/fhir/ValueSet/task-use"}"#)
        #expect(
            package.run("--definitions", folder, "--release", "Mini", "--check").output.contains(
                mini + "4 of 5 ValueSets of required bindings are not in \(folder), their codes are `String`: "))
    }

    @Test func digestIsUpdatedOnlyWhenAsked() throws {
        let digest = try package.folder.read("Generator/Definitions/Mini.digest")
        try package.folder.write("Generator/Definitions/Mini.digest", digest + "\n")
        _ = package.run("--definitions", Fixtures.definitions, "--release", "Mini")
        #expect(try package.folder.read("Generator/Definitions/Mini.digest") == digest + "\n")
        let check = package.run("--definitions", Fixtures.definitions, "--release", "Mini", "--update-digest", "--check")
        #expect(check.output.hasSuffix("\ndiffers: \(root)/Generator/Definitions/Mini.digest"))
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
            "--release", "--definitions", "--update-digest", "--resources", "--check", "--templates", "--output", "--names", "--module",
            "--help",
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
        (["--release", "R9"], "unknown release R9; there are digests of: Mini"),
        (["--release", "../R4"], "--release needs a name, not `../R4`"),
        (["--update-digest"], "--update-digest needs --definitions, see --help"),
        (["--resources", "Nope", "--output", "/no/such"], "no resource `Nope` in FHIR Mini 9.9.0"),
        (["--resources", "Task,"], "--resources needs names separated by commas, not `Task,`"),
        (["--definitions", "/no/such"], "/no/such: no such definitions folder"),
        (["--templates", "/no/such"], "/no/such: cannot read this folder of templates: No such file or directory"),
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
            "\(root)/Generator/Definitions/Other.digest:2:1: this is a digest of Mini: rename it to Mini.digest", [])
        try FileManager.default.removeItem(atPath: root + "/Generator/Definitions/Other.digest")
        try expectRefusal("\(root)/Generator/Definitions: no digest in this folder", [])
    }

    @Test func oneOutputForOneRelease() throws {
        let digest = try package.folder.read("Generator/Definitions/Mini.digest")
        let other = digest.split(separator: "release Mini", omittingEmptySubsequences: false).joined(separator: "release Maxi")
        try package.folder.write("Generator/Definitions/Maxi.digest", other)
        try expectRefusal("--output takes one release, choose it with --release: Maxi, Mini", ["--output", root + "/Out"])
    }
}
