import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// A folder in the form of `~/.fhir/packages` is read when it is named.
@Suite struct PackageCacheTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try add("a.b", "1.0.0", dependencies: #"{"hl7.fhir.r4.core":"4.0.1","c.d":"2.1.x","e.f":"1.0.0"}"#)
        for version in ["2.0.0", "2.1.0", "2.1.10", "2.1.9", "2.2.0-ballot", "current"] { try add("c.d", version, dependencies: "{}") }
        try FileManager.default.createDirectory(atPath: folder.file("broken#1.0.0"), withIntermediateDirectories: true)
    }

    private func add(_ name: String, _ version: String, dependencies: String) throws {
        let path = "\(name)#\(version)/package"
        try FileManager.default.createDirectory(atPath: folder.file(path), withIntermediateDirectories: true)
        try folder.write("\(path)/package.json", #"{"name":"\#(name)","version":"\#(version)","dependencies":\#(dependencies)}"#)
        let url = "http://\(name)/v"
        try folder.write(
            "\(path)/ValueSet-v.json", #"{"resourceType":"ValueSet","url":"\#(url)","version":"\#(version)","status":"active"}"#)
    }

    @Test(
        arguments: [
            (nil, "2.1.10"), ("latest", "2.1.10"), ("2.1.x", "2.1.10"), ("2.x", "2.1.10"), ("2.0.x", "2.0.0"), ("2.0.0", "2.0.0"),
            ("current", "current"), ("2.2.0-ballot", "2.2.0-ballot"), ("2.2.x", "2.2.0-ballot"), ("3.x", nil), ("2.1", nil), ("dev", nil),
        ] as [(String?, String?)])
    func rangesNameTheNewestVersion(_ wanted: String?, _ found: String?) throws {
        #expect(try PackageCache(folder: folder.path).package(named: "c.d", version: wanted)?.version == found)
    }

    @Test func packagesThatAreNotUnpackedAreSkipped() throws {
        #expect(try PackageCache(folder: folder.path).packages().allSatisfy { $0.name != "broken" })
    }

    @Test func dependenciesAreAddedAndMissingOnesNamed() throws {
        let knowledge = Knowledge(release: .r4)
        let added = try knowledge.addPackage("a.b", from: PackageCache(folder: folder.path))
        #expect(added.map(\.key) == ["a.b#1.0.0", "c.d#2.1.10"])
        #expect(knowledge.missingDependencies == ["e.f#1.0.0"])
    }

    @Test func anAbsentPackageIsAnErrorThatNamesIt() throws {
        let error = #expect(throws: KnowledgeError.self) {
            try Knowledge(release: .r4).addPackage("x.y#1.0.0", from: PackageCache(folder: folder.path))
        }
        #expect(error?.code == .missing && error?.message.contains("x.y#1.0.0") == true)
        let absent = #expect(throws: KnowledgeError.self) { try PackageCache(folder: folder.file("absent")).packages() }
        #expect(absent?.code == .file)
    }
}
