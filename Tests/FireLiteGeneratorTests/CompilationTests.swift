import Foundation
import TestSupport
import Testing

@testable import FireLiteGenerator

/// What is generated compiles, whatever the definitions call things. Needs the runtime's module beside the tests, and a compiler.
@Suite(.enabled(if: Effort.isNightly && Compiler.isThere, "nightly, with swiftc")) struct CompilationTests {
    private func expectCompiles(_ release: ReleaseDefinition) throws {
        let named = NamingPass.name(release)
        try RuntimeLimits.check(named)
        let folder = try TemporaryFolder()
        for file in try FilePlanner.plan(named, templates: TemplateLibrary(folder: Fixtures.templates)) {
            try folder.write(file.path, file.content)
        }
        for inPackage in [true, false] {
            let errors = try Compiler.errors(in: folder.files().map { folder.path + "/" + $0 }, inPackage: inPackage)
            #expect(errors.isEmpty, "in the package: \(inPackage), \(errors)")
        }
    }

    @Test func awkwardNamesCompile() throws { try expectCompiles(Fixtures.mini()) }

    /// Classes of one's own above generated ones, and below them instead of them.
    @Test func handwrittenTypesCompile() throws {
        let release = try Fixtures.mini()
        let settings = try SettingsReader.read(
            SourceFile(
                name: "s.json",
                bytes: Array(
                    """
                    {"classes": {"Task": "Chore"}, "properties": {"Task.value[x]": "class", "Task.for": "init_"},
                     "bases": {"Task": "Job", "Resource": "Root", "Element": "Part", "Task.input": "Piece"},
                     "types": {"Reference": "Link", "Task.input": "Ingredient", "uri": "WebAddress", "Task.pk": "WebAddress"}}
                    """.utf8)))
        let checker = SettingsChecker(settings, release)
        try checker.check()
        let named = NamingPass.name(release, settings: settings)
        try checker.check(named)
        let folder = try TemporaryFolder()
        let templates = try TemplateLibrary(folder: Fixtures.templates)
        for file in try FilePlanner.plan(named, templates: templates, settings: settings, hasExtensions: true) {
            try folder.write(file.path, file.content)
        }
        try folder.write(
            "Mine.swift",
            """
            import FireLiteCore
            public class Root: FHIRResource {}
            public class Part: FHIRObject {}
            public class Job: DomainResource {}
            public class Piece: BackboneElement {}
            public final class Link: Reference { public var isLocal: Bool { reference?.hasPrefix("#") == true } }
            public final class Ingredient: TaskInputElement {}
            public struct WebAddress: FHIRCode {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var _codes: String { "" }
            }
            func use(_ chore: Chore) -> [Any?] { [chore.init_?.isLocal, chore.self_?.rawValue, chore.input as [Ingredient], chore as Root] }
            """)
        let errors = try Compiler.errors(in: folder.files().map { folder.path + "/" + $0 }, inPackage: false)
        #expect(errors.isEmpty, "\(errors)")
    }

    /// Some types of each release, as an app would generate them.
    @Test(arguments: ["DSTU2", "STU3", "R4", "R4B", "R5"])
    func slimModulesOfEveryReleaseCompile(release: String) throws {
        let folder = try TemporaryFolder()
        let outcome = GeneratorCommand.run(
            ["--release", release, "--resources", "Patient,Observation", "--output", folder.path], in: Fixtures.package)
        #expect(outcome.status == 0, "\(outcome.error)")
        let errors = try Compiler.errors(in: folder.files().map { folder.path + "/" + $0 }, inPackage: false)
        #expect(errors.isEmpty, "\(errors)")
    }

    /// Aliases compile with the module that they name; a file that imports only them has the classes beside Swift's own types.
    @Test func namesOfASlimModuleCompile() throws {
        let folder = try TemporaryFolder()
        let outcome = GeneratorCommand.run(
            [
                "--release", "R4", "--resources", "Task,Patient", "--output", folder.path + "/Models", "--names", folder.path + "/Names",
                "--module", "Models",
            ], in: Fixtures.package)
        #expect(outcome.status == 0, "\(outcome.error)")
        let models = try folder.files().filter { $0.hasPrefix("Models/") }.map { folder.path + "/" + $0 }
        try Compiler.makeModule("Models", of: models, in: folder.path)
        try Compiler.makeModule("Names", of: [folder.path + "/Names/Names.swift"], in: folder.path)
        try folder.write(
            "Use.swift",
            """
            import Names
            func use(_ task: R4.Task) -> Task<Int, Never> {
                let count = task.input.count
                return Task { count }
            }
            """)
        let errors = try Compiler.errors(in: [folder.path + "/Use.swift"], inPackage: false, modules: folder.path)
        #expect(errors.isEmpty, "\(errors)")
    }

    /// Elements with the name of every member of the runtime, of the generated variables and of Swift's types.
    @Test func elementsNamedAsTheRuntimesMembersCompile() throws {
        let names = try RuntimeMembers.all().map(\.name).filter { !$0.hasPrefix("_") && $0 != "id" && $0 != "==" }
        let more = [
            "thingLayout", "odd", "codes0", "layout", "Layout", "String", "newValue", "Self", "Type", "init", "upsert", "debugDescription",
            "description",
            "customMirror", "short",
        ]
        let elements = Set(names + more).sorted()
        #expect(elements.contains("slots") && elements.count > 60)
        let thing = elements.map { "  \($0) 0..1 string" }.joined(separator: "\n")
        try expectCompiles(digest("datatype Part Element http://x/Part\n\(thing)\nresource Thing Resource http://x/Thing\n\(thing)"))
    }

    /// Types that differ by case, or are called as what generated code uses.
    @Test func typesThatMeetCompile() throws {
        let types = ["PATIENT", "Patient", "PatientType", "PatientLayout", "PatientTypes", "PatientTests"].map { name in
            """
            resource \(name) Resource http://x/\(name)
              a 0..1 ID
              A 0..1 string
              part 0..1 \(name).part
            backbone \(name).part BackboneElement
              c[x] 0..1 string|boolean
            """
        }
        let used = ReservedWords.runtimeTypes.subtracting(["ID"]).sorted().map { "datatype \($0) Element http://x/\($0)\n  a 0..1 ID" }
        let release = try digest((["datatype ID Element http://x/ID", "  a 0..1 string"] + types + used).joined(separator: "\n"))
        try expectCompiles(release)
        let files = try FilePlanner.plan(NamingPass.name(release), templates: TemplateLibrary(folder: Fixtures.templates)).map(\.path)
        #expect(Set(files.map { $0.lowercased() }).count == files.count)
    }

    private func digest(_ lines: String) throws -> ReleaseDefinition {
        let text = """
            FireLite digest 1
            release Odd 1.0
            primitive boolean Element http://x/boolean
            primitive id string http://x/id
            primitive string Element http://x/string
            abstract datatype Element - http://x/Element
              id 0..1 string
            abstract datatype BackboneElement Element http://x/BackboneElement
            abstract resource Resource - http://x/Resource
              id 0..1 id
            \(lines)
            """
        return try DigestReader.read(SourceFile(name: "x.digest", bytes: Array(text.utf8)))
    }
}

/// The Swift compiler, for a look at whether code compiles.
private enum Compiler {
    /// The folder with the products of the build these tests are from; nil if it has no module of the runtime.
    private static let products = ProcessInfo.processInfo.arguments.lazy
        .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        .first { FileManager.default.fileExists(atPath: $0 + "/Modules/FireLiteCore.swiftmodule") }

    static let isThere = products != nil && (try? run(["--version"]))?.status == 0

    /// - Parameters:
    ///   - inPackage: Whether the code sees what the runtime shows to its own package only.
    ///   - modules: A folder with more modules.
    static func errors(in files: [String], inPackage: Bool, modules: String? = nil) throws -> [String] {
        let products = try #require(products)
        let package = URL(fileURLWithPath: Fixtures.package).lastPathComponent.lowercased()
        let outcome = try run(
            ["-typecheck", "-swift-version", "6", "-module-name", "FireLiteOdd", "-I", products + "/Modules"]
                + ["-Xcc", "-fmodule-map-file=\(products)/CFireLitePrefetch.build/module.modulemap"]
                + (modules.map { ["-I", $0] } ?? []) + (inPackage ? ["-package-name", package] : []) + files)
        let lines = outcome.text.split(separator: "\n").filter { $0.hasPrefix("/") && $0.contains("error:") }.map(String.init)
        return outcome.status == 0 ? lines : lines + ["status \(outcome.status)"]
    }

    /// Makes a module of files, beside others in a folder.
    static func makeModule(_ name: String, of files: [String], in folder: String) throws {
        let products = try #require(products)
        let outcome = try run(
            ["-emit-module", "-swift-version", "6", "-module-name", name, "-o", "\(folder)/\(name).swiftmodule", "-I", folder]
                + ["-I", products + "/Modules", "-Xcc", "-fmodule-map-file=\(products)/CFireLitePrefetch.build/module.modulemap"] + files)
        try #require(outcome.status == 0, "\(outcome.text)")
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
