import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Packages are read whole, and hostile archives are refused by what is wrong with them.
@Suite struct PackageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let manifest = #"{"name":"a.b","version":"1.0.0","dependencies":{"hl7.fhir.r4.core":"4.0.1","hl7.fhir.uv.x":"1.0.0"}}"#
    private static let valueSet = #"{"resourceType":"ValueSet","url":"http://a.org/v","version":"1.0.0","status":"active"}"#

    private func archive(_ entries: [(path: String, kind: Character, content: String)]) throws -> String {
        try folder.write("p.tgz", TarArchive.data(entries))
    }

    private static let sound: [(path: String, kind: Character, content: String)] = [
        ("package/package.json", "0", manifest), ("package/ValueSet-v.json", "0", valueSet),
    ]

    @Test func aPackageBringsItsDefinitions() throws {
        let knowledge = Knowledge(release: .r4)
        let manifest = try knowledge.addPackage(at: try archive(Self.sound))
        #expect(manifest.key == "a.b#1.0.0" && knowledge.packages == [manifest])
        #expect(knowledge.missingDependencies == ["hl7.fhir.uv.x#1.0.0"])
    }

    @Test(arguments: [
        ("../out.json", "0", "leads out"), ("/etc/out.json", "0", "leads out"), ("package/a\\..\\b.json", "0", "leads out"),
        ("package/link", "2", "link"), ("package/link", "1", "link"), ("package/device", "3", "neither a file nor a folder"),
    ])
    func hostileEntriesAreRefused(_ path: String, _ kind: Character, _ reason: String) throws {
        let file = try archive(Self.sound + [(path, kind, "{}")])
        let error = #expect(throws: KnowledgeError.self) { try Knowledge(release: .r4).addPackage(at: file) }
        #expect(error?.code == .archive && error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func damagedArchivesAreRefused() throws {
        let whole = TarArchive.data(Self.sound)
        for count in [0, 100, 512, 700, whole.count - 1_100] {
            let file = try folder.write("cut.tgz", whole.prefix(count))
            #expect(throws: KnowledgeError.self) { try Knowledge(release: .r4).addPackage(at: file) }
        }
        var changed = whole
        changed[3] ^= 1
        let file = try folder.write("changed.tgz", changed)
        #expect(throws: KnowledgeError.self) { try Knowledge(release: .r4).addPackage(at: file) }
    }

    @Test func aPackageWithoutManifestIsNone() throws {
        let error = #expect(throws: KnowledgeError.self) {
            try Knowledge(release: .r4).addPackage(at: try archive([("package/ValueSet-v.json", "0", Self.valueSet)]))
        }
        #expect(error?.code == .manifest)
    }

    @Test func aFileOfPackagesKeepsAndReplacesThem() throws {
        let path = folder.file("k.sqlite")
        let file = try KnowledgeFile(path: path)
        #expect(try file.addPackage(at: try archive(Self.sound)).definitions == 1)
        #expect(try file.addPackage(at: try archive(Self.sound)).definitions == 1)
        #expect(try file.packages().map(\.key) == ["a.b#1.0.0"])
        let knowledge = Knowledge(release: .r4)
        try knowledge.addKnowledge(at: path)
        #expect(knowledge.packages.map(\.key) == ["a.b#1.0.0"])
        #expect(try file.removePackage(named: "a.b") == 1)
        #expect(try file.packages().isEmpty)
        let other = try folder.write("other.sqlite", "no database")
        #expect(throws: KnowledgeError.self) { try KnowledgeFile(path: other) }
    }
}
