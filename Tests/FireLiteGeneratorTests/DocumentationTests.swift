import Foundation
import Testing

@testable import FireLiteGenerator

/// Whoever looks a generated name up in Xcode finds a sentence about it.
struct DocumentationTests {
    /// Lines with a public declaration, or a case of a public enum, that no doc comment stands before.
    private func undocumented(_ code: String) -> [String] {
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        return zip([""] + lines, lines).compactMap { before, line in
            let words = line.split(separator: " ")
            let isPublic = words.contains("public") && !line.hasPrefix("//")
            // Not `case 0:` or `case .a(let value):` of a switch.
            let isCase = words.first == "case" && line.contains("(") && !line.contains(":")
            return (isPublic || isCase) && !before.hasPrefix("///") ? line : nil
        }
    }

    @Test func everyPublicDeclarationOfAReleaseHasAComment() throws {
        let digest = Fixtures.package + "/Generator/Definitions/R4.digest"
        let templates = try TemplateLibrary(folder: Fixtures.templates)
        for release in [try DigestReader.read(try SourceFile(path: digest)), try Fixtures.mini()] {
            var declarations = 0
            for file in try FilePlanner.plan(NamingPass.name(release), templates: templates) {
                #expect(undocumented(file.content) == [], "\(file.path)")
                declarations += file.content.components(separatedBy: "public ").count - 1
            }
            #expect(declarations > 100)
        }
    }

    /// The check finds what it is for.
    @Test func declarationsWithoutACommentAreFound() {
        let code = """
            /// Documented.
            public final class A: B {
                public var a: Int { 1 }
                /// Documented.
                public func upsert(a newValue: Int) {}

                public init() {}
            }
            /// Documented.
            public enum C {
                case a(Int)
                /// Documented.
                case b(Int)
                func d() { switch self { case .a(let value): break } }
            }
            """
        #expect(undocumented(code) == ["public var a: Int { 1 }", "public init() {}", "case a(Int)"])
    }

    /// What only the store's modules use is the package's, and what only generated code uses has an underscore.
    @Test func whatUsersDoNotNeedIsNotPublic() throws {
        let folder = Fixtures.package + "/Sources/FireLiteCore"
        let sources = try FileTree.files(in: folder).filter { $0.path.hasSuffix(".swift") }.map { file in
            String(decoding: try SourceFile(path: folder + "/" + file.path).bytes, as: UTF8.self)
        }
        for name in Self.inner {
            let declarations = sources.flatMap { $0.split(separator: "\n") }.filter { line in
                let heads = ["struct", "enum", "class"].map { "\($0) \(name)" }
                return line.hasSuffix("{") && !line.contains("//") && heads.contains { line.contains($0 + ":") || line.contains($0 + " {") }
            }
            #expect(declarations.count == 1 && declarations.allSatisfy { $0.contains("package ") }, "\(name): \(declarations)")
        }
        for name in ["_ObjectExtras", "_PackedLiteral", "_TypeGroup", "init(_layoutTable: UnsafeRawPointer)", "init(_class type: "] {
            #expect(sources.contains { $0.contains(name) }, "\(name)")
        }
    }

    private static let inner = [
        "SlotValue", "ElementSlot", "AnnotatedPrimitive", "AnnotatedList", "ElementEntry", "LayoutTable", "TemporalWord", "DecimalWord",
        "PrimitiveStorage", "ObjectFlags", "ContentDigest",
    ]

    /// Every line `swift run Generator …` or `swift package generate-fhir-models …` of the pages has options that exist and go together.
    @Test func everyGeneratorLineOfThePagesIsUnderstood() throws {
        let pages = [
            "README.md", "Templates/README.md", "Generator/FireLiteGenerator/FireLiteGenerator.docc/GeneratingModels.md",
            "Examples/SlimModels/README.md",
        ]
        var count = 0
        var pluginCount = 0
        for page in pages {
            let text = String(decoding: try SourceFile(path: "\(Fixtures.package)/\(page)").bytes, as: UTF8.self)
            for line in text.replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n") {
                let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
                if words.starts(with: ["swift", "package"]), let verb = words.firstIndex(of: "generate-fhir-models") {
                    // The plugin turns targets into folders, and names the module.
                    var arguments = words[(verb + 1)...].map { ["--target": "--output", "--names-target": "--names"][$0] ?? $0 }
                    if arguments.contains("--names") { arguments += ["--module", "Models"] }
                    #expect(throws: Never.self, "\(page): \(line)") { try Options.parse(arguments) }
                    pluginCount += 1
                }
                guard words.starts(with: ["swift", "run", "Generator"]) else { continue }
                #expect(throws: Never.self, "\(page): \(line)") { try Options.parse(Array(words.dropFirst(3))) }
                count += 1
            }
        }
        #expect(count >= 9 && pluginCount >= 3)
    }
}
