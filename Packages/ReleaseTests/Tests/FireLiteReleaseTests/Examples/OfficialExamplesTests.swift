import Foundation
import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// HL7's example resources of each release go in and come out as they were: through memory, Foundation's coders and a store.
@Suite(.enabled(if: OfficialExamples.isThere, Comment(rawValue: OfficialExamples.absence))) struct OfficialExamplesTests {
    /// The valid examples of a release; of those over 25 KB, which are most of the bytes, all nightly and a few otherwise.
    private static func valid(_ release: FHIRRelease) throws -> [OfficialExamples.Example] {
        let rejected = RejectedExamples.of(release)
        let valid = try OfficialExamples.files(release).filter { rejected[$0.name] == nil }
        let large = Set(Effort.sample(valid.filter { $0.json.count > 25_000 && $0.json.count < 300_000 }, 2).map(\.name))
        return valid.filter { Effort.isNightly || $0.json.count <= 25_000 || large.contains($0.name) }
    }

    // MARK: - Memory

    @Test(arguments: Releases.facts) func readAndWrittenBackEqual(_ facts: Releases.Facts) throws {
        let release = facts.release
        #expect(try OfficialExamples.files(release).count == facts.examples)
        let reader = FHIRJSONReader(release: release)
        for file in Effort.items(try Self.valid(release)) {
            let resource = try reader.resource(from: file.json)
            let written = FHIRJSON.data(resource)
            #expect(try JSONTree(file.json).difference(to: JSONTree(written)) == nil, "\(file.name)")
            #expect(try reader.resource(from: written) == resource, "\(file.name)")
            #expect(resource.copy() == resource, "\(file.name)")
            let lenient = try FHIRJSON.lenientResource(from: file.json, release: release)
            #expect(lenient.resource == resource && lenient.issues.isEmpty, "\(file.name)")
        }
    }

    @Test(arguments: Releases.all) func prettyPrintedTheSame(_ release: FHIRRelease) throws {
        let reader = FHIRJSONReader(release: release)
        for file in Effort.sample(try Self.valid(release), 40) {
            let pretty = FHIRJSON.data(try reader.resource(from: file.json), pretty: true)
            #expect(try JSONTree(file.json).difference(to: JSONTree(pretty)) == nil, "\(file.name)")
        }
    }

    @Test(arguments: Releases.all) func throughFoundationsCoders(_ release: FHIRRelease) throws {
        let decoder = JSONDecoder()
        decoder.userInfo[.fhirRelease] = release
        for file in Effort.sample(try Self.valid(release), 40) {
            let resource = try FHIRJSON.resource(from: file.json, release: release)
            let decoded = try decoder.decode(FHIRResource.self, from: file.json)
            let tree = try JSONTree(file.json).mappingNumbers { "\(Decimal(string: $0) ?? .nan)" }
            let (first, second) = (try JSONTree(JSONEncoder().encode(resource)), try JSONTree(JSONEncoder().encode(decoded)))
            #expect(tree.difference(to: first.mappingNumbers { "\(Decimal(string: $0) ?? .nan)" }) == nil, "\(file.name)")
            #expect(first.difference(to: second) == nil, "\(file.name)")
        }
    }

    @Test(arguments: Releases.all) func examplesThatAreNotValidAreRefusedWithTheReason(_ release: FHIRRelease) throws {
        let rejected = RejectedExamples.of(release)
        for file in try OfficialExamples.files(release) {
            guard let rejection = rejected[file.name] else { continue }
            let error = #expect(throws: FHIRDecodingError.self) { try FHIRJSON.resource(from: file.json, release: release) }
            #expect(error.map { "\($0)" } == rejection.message)
        }
    }

    // MARK: - A store

    /// Imported from files, fetched, exported, and compared each time.
    @Test(arguments: Releases.all) func throughTheStore(_ release: FHIRRelease) throws {
        let folder = try TemporaryFolder()
        let examples = Effort.items(try Self.valid(release))
        var trees: [String: JSONTree] = [:]
        for file in examples {
            try folder.write(file.name, file.json)
            let tree = try JSONTree(file.json)
            trees[Self.key(tree)] = tree
        }
        #expect(trees.count == examples.count)
        let output = try TemporaryFolder()
        let store = try FHIRStore(path: output.file("store.sqlite"), release: release)
        var options = ImportOptions()
        options.keepsBundles = true
        let counts = try store.importResources(from: URL(fileURLWithPath: folder.path), options: options).counts
        #expect(counts.added == examples.count && counts.rejected == 0)
        #expect(try store.check() == [])
        for (key, tree) in trees where !key.hasSuffix("/") {
            let parts = ReferenceParts(key)
            let fetched = try #require(try store.resource(typeName: parts.type ?? "", id: parts.id ?? ""), "\(key)")
            #expect(try tree.difference(to: JSONTree(FHIRJSON.data(fetched))) == nil, "\(key)")
        }
        let exported = output.file("exported")
        #expect(try store.export(to: URL(fileURLWithPath: exported)).exported == examples.count)
        for name in try FileManager.default.contentsOfDirectory(atPath: exported) {
            for line in try Data(contentsOf: URL(fileURLWithPath: exported + "/" + name)).split(separator: UInt8(ascii: "\n")) {
                let tree = try JSONTree(Data(line))
                let key = Self.key(tree)
                let original = trees.removeValue(forKey: key)
                #expect(original != nil && original?.difference(to: tree) == nil, "\(key)")
            }
        }
        #expect(trees.isEmpty)
    }

    /// `Type/id`, or `Type/` for the one example without an id.
    private static func key(_ tree: JSONTree) -> String {
        func text(_ name: String) -> String { if case .string(let text)? = tree[name] { text } else { "" } }
        return "\(text("resourceType"))/\(text("id"))"
    }

    // MARK: - Validity

    /// What `validate()` finds in them is wrong with them.
    @Test(arguments: Releases.all) func fewHaveIssues(_ release: FHIRRelease) throws {
        let reader = FHIRJSONReader(release: release)
        let known = ExampleIssues.of(release)
        for file in try Self.valid(release) {
            let issues = Set(try reader.resource(from: file.json).validate().map(ExampleIssues.text))
            #expect(issues == known[file.name]?.issues ?? [], "\(file.name)")
        }
        let names = Set(try OfficialExamples.files(release).map(\.name))
        #expect(names.isSuperset(of: known.keys) && names.isSuperset(of: RejectedExamples.of(release).keys))
    }
}
