import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// HL7's example resources read and write back as they were. They are not part of the package: without them nothing is tested.
@Suite(.enabled(if: OfficialExamples.archive != nil, "the archive examples-R4.tar.xz is not beside the package, in ../shared/data"))
struct OfficialExamplesTests {
    @Test func readAndWrittenBackEqual() throws {
        let files = try OfficialExamples.files()
        #expect(files.count > 400)
        let reader = FHIRJSONReader(release: .r4)
        for (name, json) in files {
            let resource = try reader.resource(from: json)
            let written = FHIRJSON.data(resource)
            let tree = try JSONTree(json)
            #expect(try tree.difference(to: JSONTree(written)) == nil, "\(name)")
            #expect(try tree.difference(to: JSONTree(FHIRJSON.data(resource, pretty: true))) == nil, "\(name)")
            #expect(try reader.resource(from: written) == resource, "\(name)")
            #expect(resource.copy() == resource, "\(name)")
            let lenient = try FHIRJSON.lenientResource(from: json, release: .r4)
            #expect(lenient.resource == resource && lenient.issues.isEmpty, "\(name)")
        }
    }

    @Test func throughFoundationsCoders() throws {
        for (name, json) in try OfficialExamples.files() {
            let resource = try FHIRJSON.resource(from: json, release: .r4)
            let decoded = try JSONDecoder().decode(Resource.self, from: json)
            let tree = try JSONTree(json).mappingNumbers { "\(Decimal(string: $0) ?? .nan)" }
            let (first, second) = (try JSONTree(JSONEncoder().encode(resource)), try JSONTree(JSONEncoder().encode(decoded)))
            #expect(tree.difference(to: first.mappingNumbers { "\(Decimal(string: $0) ?? .nan)" }) == nil, "\(name)")
            #expect(first.difference(to: second) == nil, "\(name)")
        }
    }

    /// What `validate()` finds in them is wrong with them.
    @Test func fewHaveIssues() throws {
        let known: Set = ["DeviceMetric-example.json", "MedicationRequest-medrx0301.json", "Questionnaire-qs1.json"]
        for (name, json) in try OfficialExamples.files() {
            let issues = try FHIRJSON.resource(from: json, release: .r4).validate()
            #expect(issues.isEmpty != known.contains(name), "\(name): \(issues)")
        }
    }
}

/// The archive with the examples, and what is in it.
enum OfficialExamples {
    static var archive: URL? {
        let archive = PackageFolder.url.deletingLastPathComponent().appendingPathComponent("shared/data/examples-R4.tar.xz")
        return FileManager.default.fileExists(atPath: archive.path) ? archive : nil
    }

    private static let unpacked = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("FireLite-examples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", archive?.path ?? "", "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        guard tar.terminationStatus == 0, let paths = FileManager.default.enumerator(atPath: folder.path) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        var files: [(name: String, json: Data)] = []
        for case let path as String in paths where path.hasSuffix(".json") {
            files.append((URL(fileURLWithPath: path).lastPathComponent, try Data(contentsOf: folder.appendingPathComponent(path))))
        }
        return files.sorted { $0.name < $1.name }
    }

    static func files() throws -> [(name: String, json: Data)] { try unpacked.get() }
}
