import FireLiteCore
import Foundation
import TestSupport
import Testing

/// README.md lists every class of FHIR whose name a module of Swift's toolchain has too: what the toolchain's own list of symbols says.
@Suite(.enabled(if: Effort.isNightly && SymbolGraph.isThere, "nightly, with the toolchain of Linux")) struct NameCollisionTests {
    /// The modules that a file has without asking, or with `import Foundation` or `import Testing`.
    private static let modules = [
        "Swift", "_Concurrency", "_StringProcessing", "Foundation", "FoundationEssentials", "FoundationInternationalization", "Testing",
        "RegexBuilder",
    ]

    @Test func readmeListsEveryNameThatSwiftHasToo() throws {
        let generated = try Self.types(in: "Sources/FireLiteR4/Generated")
        #expect(generated.count > 900 && generated.isSuperset(of: ["Task", "Bundle", "AdministrativeGender", "ObservationValue"]))
        let shared = try Self.swiftNames().intersection(generated)
        #expect(shared.isSuperset(of: ["Task", "Range", "Duration", "Bundle"]))
        let section = try Self.section("README.md")
        for name in shared.sorted() { #expect(section.contains("`\(name)`"), "README.md does not say that Swift has \(name) too") }
    }

    /// Releases.md lists what the modules of other releases share with Swift, or with the library, besides.
    @Test func releasesPageListsWhatR4DoesNotHave() throws {
        let others = try Self.swiftNames().union(Self.ownNames())
        let section = try Self.section("README.md") + Self.section("Releases.md")
        var found: Set<String> = []
        for release in ["DSTU2", "STU3", "R4B", "R5"] {
            let shared = try Self.types(in: "Sources/FireLite\(release)/Generated").intersection(others)
            for name in shared.sorted() {
                #expect(section.contains("`\(name)`"), "\(release): no page says that \(name) is a name of others too")
            }
            found.formUnion(shared)
        }
        #expect(found.isSuperset(of: ["Sequence", "PrimitiveType", "Task"]))
    }

    /// The library's own names are nobody else's.
    @Test func theLibrarysNamesAreItsOwn() throws {
        let own = try Self.ownNames()
        #expect(own.isSuperset(of: ["FHIRObject", "FHIRStore", "StoreIndexSet"]))
        for module in Self.modules { #expect(try SymbolGraph.types(of: module).isDisjoint(with: own), "\(module)") }
    }

    private static func ownNames() throws -> Set<String> { try types(in: "Sources/FireLiteCore").union(types(in: "Sources/FireLite")) }

    private static func swiftNames() throws -> Set<String> {
        try modules.reduce(into: []) { names, module in
            let own = try SymbolGraph.types(of: module)
            #expect(!own.isEmpty, "\(module)")
            names.formUnion(own)
        }
    }

    /// The text about name collisions on a page.
    private static func section(_ page: String) throws -> String {
        let text = try #require(try DocumentationPages.pages().first { $0.name == page }?.text, "\(page)")
        return try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("Name collisions") })
    }

    /// The names of the public types in a folder's files.
    private static func types(in folder: String) throws -> Set<String> {
        let path = PackageFolder.url.appendingPathComponent(folder).path
        let files = try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".swift") }
        return try files.reduce(into: []) { names, file in
            for line in try String(contentsOfFile: path + "/" + file, encoding: .utf8).split(separator: "\n") {
                guard line.hasPrefix("public ") || line.hasPrefix("open ") else { continue }
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                guard let keyword = words.firstIndex(where: { ["class", "struct", "enum", "protocol", "actor"].contains($0) }) else {
                    continue
                }
                names.insert(String(words[keyword + 1]))
            }
        }
    }
}

/// The toolchain's list of a module's public symbols.
private enum SymbolGraph {
    private static let compiler =
        ["/usr/bin", "/usr/local/bin"] + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)

    /// The folder of the toolchain; nil where it is not a Linux one, which has its modules in one place.
    private static let toolchain: URL? = compiler.lazy
        .map { URL(fileURLWithPath: $0 + "/swiftc").resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent() }
        .first { folder in
            let paths = [folder.path + "/bin/swift-symbolgraph-extract", folder.path + "/lib/swift/linux/Swift.swiftmodule"]
            return paths.allSatisfy { FileManager.default.fileExists(atPath: $0) }
        }

    static let isThere = toolchain != nil

    /// The names of the types at the top of a module.
    static func types(of module: String) throws -> Set<String> {
        let toolchain = try #require(toolchain)
        let modules = toolchain.path + "/lib/swift/linux"
        let target = try #require(
            try FileManager.default.contentsOfDirectory(atPath: modules + "/Swift.swiftmodule").first { $0.hasSuffix(".swiftmodule") })
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = toolchain.appendingPathComponent("bin/swift-symbolgraph-extract")
        process.arguments = [
            "-module-name", module, "-target", String(target.dropLast(".swiftmodule".count)), "-I", modules, "-output-dir", folder.path,
            "-minimum-access-level", "public",
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(module)")
        // Modules that are part of another one, as _Concurrency is of Swift, have a file named so.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".symbols.json") }
        return try files.reduce(into: []) { names, file in
            let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: folder.appendingPathComponent(file)))
            for symbol in graph.symbols where symbol.pathComponents.count == 1 && kinds.contains(symbol.kind.identifier) {
                names.insert(symbol.pathComponents[0])
            }
        }
    }

    private static let kinds: Set<String> = [
        "swift.class", "swift.struct", "swift.enum", "swift.protocol", "swift.typealias", "swift.actor",
    ]

    private struct Graph: Decodable {
        struct Symbol: Decodable {
            struct Kind: Decodable { let identifier: String }
            let kind: Kind
            let pathComponents: [String]
        }
        let symbols: [Symbol]
    }
}
