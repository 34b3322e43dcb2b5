import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// What packages may be called, and what becomes of files that are none of theirs.
@Suite struct PackageRuleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func manifest(_ name: String, _ version: String) throws -> PackageManifest {
        let json = JSONItem.object(["name": .string(name), "version": .string(version)]).json
        return try PackageManifest(Data(json.utf8), source: "test")
    }

    @Test(arguments: ["hl7.fhir.us.core", "de.basisprofil.r4", "KBV.Basis", "a", "simplifier-core.r4", "a_b.c"])
    func namesOfPackagesAreTaken(_ name: String) throws { #expect(try Self.manifest(name, "1.0.0").name == name) }

    @Test(arguments: [
        "a\u{1B}[31m", "a\nb", "a#1", "a|b", "a/b", "../a", "a..b", ".a", "a.", "a b", "a\u{202E}b", "ä.b", "-a",
        String(repeating: "a", count: 201),
    ])
    func otherNamesAreRefused(_ name: String) {
        let error = #expect(throws: KnowledgeError.self) { try Self.manifest(name, "1.0.0") }
        #expect(error?.code == .manifest && error?.message.contains("the name") == true)
    }

    @Test(arguments: ["1.0.0", "6.1.0-ballot", "current", "2024.0.1", "1.0.0+build.1", "4.0.1_x"])
    func versionsAreTaken(_ version: String) throws { #expect(try Self.manifest("a.b", version).version == version) }

    @Test(arguments: ["1.0.0#", "1/0", "..", "1..0", "1.0\u{7}", "1 0", "1|0"])
    func otherVersionsAreRefused(_ version: String) {
        let error = #expect(throws: KnowledgeError.self) { try Self.manifest("a.b", version) }
        #expect(error?.code == .manifest && error?.message.contains("the version") == true)
    }

    /// A file that was filled by an earlier version can still be listed and cleared.
    @Test func storedNamesAreReadAsTheyAre() throws {
        let path = folder.file("k.sqlite")
        try KnowledgeFile(path: path).addPackage(at: try folder.write("p.tgz", TarArchive.package("a.guide", "1.0.0")))
        let odd = #"{"name":"a#b","version":"1"}"#
        try CodeTables(writing: path).with { try $0.run("UPDATE package SET name = 'a#b', version = '1', manifest = '\(odd)'") }
        #expect(try KnowledgeFile(path: path).packages().map(\.name) == ["a#b"])
        #expect(try KnowledgeFile(path: path).removePackage(named: "a#b") == 1)
    }

    @Test func filesThatAreNoResourcesAreListed() throws {
        let valueSet = #"{"resourceType":"ValueSet","url":"http://a.org/v","status":"active"}"#
        let archive = try folder.write(
            "p.tgz",
            TarArchive.data([
                ("package/package.json", "0", #"{"name":"a.b","version":"1.0.0"}"#), ("package/v.json", "0", valueSet),
                ("package/cut.json", "0", "{\n\"resourceType\":"), ("package/list.json", "0", #"{"a":1}"#),
                ("package/.index.json", "0", "{"),
            ]))
        let knowledge = Knowledge(release: .r4)
        try knowledge.addPackage(at: archive)
        #expect(knowledge.skippedFiles.map(\.file) == ["package/cut.json", "package/list.json"])
        #expect(knowledge.skippedFiles.allSatisfy { $0.package == "a.b#1.0.0" })
        #expect(knowledge.skippedFiles.first?.reason.hasPrefix("line 2: ") == true)
        #expect(knowledge.skippedFiles.last?.reason.hasPrefix("there is no resourceType") == true)
        // The same package again is not listed twice.
        try knowledge.addPackage(at: archive)
        #expect(knowledge.skippedFiles.count == 2)
        let added = try KnowledgeFile(path: folder.file("k.sqlite")).addPackage(at: archive)
        #expect(added.definitions == 1 && added.skipped == knowledge.skippedFiles)
    }

    @Test func aFolderWithoutManifestIsNotRead() throws {
        let path = folder.file("downloads")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // Larger than any file of a package, and it takes no room.
        #expect(FileManager.default.createFile(atPath: path + "/large.json", contents: nil))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/large.json"))
        try file.truncate(atOffset: UInt64(TarReader.maximumFile) + 1)
        try file.close()
        let error = #expect(throws: KnowledgeError.self) { try Knowledge(release: .r4).addPackage(at: path) }
        #expect(error?.code == .manifest, "\(error?.message ?? "")")
    }
}
