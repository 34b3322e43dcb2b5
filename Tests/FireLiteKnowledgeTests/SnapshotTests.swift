import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Snapshots are generated as the authors of published guides have them.
@Suite struct SnapshotTests {
    private static let packages = ["us-core-3.1.1", "us-core-6.1.0", "ips-1.1.0"].compactMap {
        SharedArchive("packages/\($0).tgz")?.url.path
    }

    @Test(.enabled(if: !packages.isEmpty, "the packages are not beside the package, in ../shared/data/packages"))
    func generatedSnapshotsAreThoseOfThePackages() throws {
        var (same, readings, all) = (0, 0, 0)
        var differences: [String] = []
        for path in Self.packages {
            let knowledge = Knowledge(release: .r4)
            try knowledge.addPackage(at: path)
            for definition in knowledge.definitions(ofType: "StructureDefinition") where definition.source.contains("package/") {
                all += 1
                do {
                    let comparison = try SnapshotComparison(definition, knowledge)
                    if comparison.differences.isEmpty, comparison.readings.isEmpty { same += 1 }
                    if comparison.differences.isEmpty, !comparison.readings.isEmpty { readings += 1 }
                    let found = comparison.differences + comparison.readings.map { "(reading) " + $0 }
                    if !found.isEmpty { differences.append("\(definition.url ?? ""): \(found.count) \(found.prefix(4))") }
                } catch {
                    differences.append("\(definition.url ?? ""): \(error)")
                }
            }
        }
        if ProcessInfo.processInfo.environment["FIRELITE_SNAPSHOTS"] != nil {
            print("\(same) of \(all), \(readings) more by the other reading of choices")
            for line in differences { print("  \(line)") }
        }
        #expect(all == 125)
        #expect((same + readings) * 100 >= all * Self.percent, "\(same) and \(readings) of \(all) are the same")
    }

    /// All but one, whose base is in another package.
    private static let percent = 99

    @Test func aMillionSlicesAreRefused() throws {
        let slices = (0..<60_000).map { #"{"id":"Patient.name:s\#($0)","path":"Patient.name","sliceName":"s\#($0)"}"# }.joined(
            separator: ",")
        let knowledge = Knowledge(release: .r4)
        try knowledge.add(
            Data(
                """
                {"resourceType":"StructureDefinition","url":"http://a.org/p","kind":"resource","type":"Patient","derivation":"constraint",
                "baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","differential":{"element":[\(slices)]}}
                """.utf8), source: "test")
        let resource = try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient"}"#.utf8), release: .r4)
        let issues = try FHIRValidator(knowledge: knowledge).validate(resource, against: ["http://a.org/p"])
        #expect(issues.map(\.messageID) == [.brokenDefinition])
    }
}
