import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// A package that needs several versions of another names them by aliases.
@Suite struct PackageAliasTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func manifest(_ name: String, _ version: String, _ dependencies: String = "") throws -> PackageManifest {
        try PackageManifest(Data(#"{"name":"\#(name)","version":"\#(version)","dependencies":{\#(dependencies)}}"#.utf8), source: "test")
    }

    @Test(
        arguments: [
            (#""v610@npm:hl7.fhir.us.core":"6.1.0""#, "hl7.fhir.us.core", "6.1.0", "v610"),
            (#""v610":"npm:hl7.fhir.us.core@6.1.0""#, "hl7.fhir.us.core", "6.1.0", "v610"),
            (#""v6":"npm:hl7.fhir.us.core@6.1.x""#, "hl7.fhir.us.core", "6.1.x", "v6"),
            (#""any":"npm:hl7.fhir.us.core""#, "hl7.fhir.us.core", "latest", "any"),
            (#""hl7.fhir.us.core":"6.1.0""#, "hl7.fhir.us.core", "6.1.0", nil),
            (#""@npm:hl7.fhir.us.core":"6.1.0""#, "@npm:hl7.fhir.us.core", "6.1.0", nil),
            (#""a@npm:":"1.0.0""#, "a@npm:", "1.0.0", nil),
        ] as [(String, String, String, String?)])
    func aliasesAreToldFromNames(_ member: String, _ name: String, _ version: String, _ alias: String?) throws {
        let needed = try Self.manifest("a.b", "1.0.0", member).neededPackages
        #expect(needed.map(\.name) == [name] && needed.map(\.version) == [version] && needed.map(\.alias) == [alias])
    }

    @Test func fhirsOwnDefinitionsAreKnownByAnyName() throws {
        #expect(try Self.manifest("a.b", "1.0.0", #""r4@npm:hl7.fhir.r4.core":"4.0.1","hl7.fhir.r4.core":"4.0.1""#).neededPackages.isEmpty)
    }

    @Test func eachVersionBehindAnAliasIsNeeded() throws {
        let guide = try Self.manifest("g.h", "1.0.0", #""a.b":"1.0.0","v2@npm:a.b":"2.0.x","v3":"npm:a.b@3.0.0""#)
        let first = try Self.manifest("a.b", "1.4.0")
        let second = try Self.manifest("a.b", "2.0.7")
        #expect(PackageManifest.missingDependencies(of: [guide]) == ["a.b#1.0.0", "a.b#2.0.x", "a.b#3.0.0"])
        // Any version will do for a name; an alias is for its own.
        #expect(PackageManifest.missingDependencies(of: [guide, first]) == ["a.b#2.0.x", "a.b#3.0.0"])
        #expect(PackageManifest.missingDependencies(of: [guide, first, second]) == ["a.b#3.0.0"])
    }

    @Test func aCacheGivesEveryVersion() throws {
        let cache = folder.file("packages")
        func add(_ name: String, _ version: String, _ dependencies: String = "", _ valueSet: String) throws {
            let path = "\(cache)/\(name)#\(version)/package"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let manifest = #"{"name":"\#(name)","version":"\#(version)","dependencies":{\#(dependencies)}}"#
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(path)/package.json"))
            let text = #"{"resourceType":"ValueSet","url":"http://a.org/\#(valueSet)","version":"\#(version)","status":"active"}"#
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/ValueSet-v.json"))
        }
        try add("g.h", "1.0.0", #""a.b":"1.0.0","v2@npm:a.b":"2.0.x","v9@npm:a.b":"9.0.0""#, "g")
        for version in ["1.0.0", "2.0.1", "2.0.10", "3.0.0"] { try add("a.b", version, "", "v") }
        let knowledge = Knowledge(release: .r4)
        let added = try knowledge.addPackage("g.h", from: PackageCache(folder: cache))
        #expect(added.map(\.key) == ["g.h#1.0.0", "a.b#1.0.0", "a.b#2.0.10"])
        #expect(knowledge.missingDependencies == ["a.b#9.0.0"])
        for version in ["1.0.0", "2.0.10"] {
            #expect(knowledge.definition(Canonical(url: "http://a.org/v", version: version))?.version == version)
        }
        #expect(knowledge.definition(Canonical("http://a.org/v"))?.version == "2.0.10")
    }

    @Test func aFileKeepsTheAliases() throws {
        let path = folder.file("k.sqlite")
        let manifest = #"{"name":"g.h","version":"1.0.0","dependencies":{"v2@npm:a.b":"2.0.0"}}"#
        let archive = try folder.write("p.tgz", TarArchive.data([("package/package.json", "0", manifest)]))
        let file = try KnowledgeFile(path: path)
        try file.addPackage(at: URL(fileURLWithPath: archive))
        #expect(try file.packages().flatMap(\.neededPackages).map(\.alias) == ["v2"])
    }
}
