import FireLiteCore
import FireLiteReleases
import FireLiteXML
import Foundation
import TestSupport
import Testing

/// HL7's examples of five releases go from JSON to XML and back without a difference.
@Suite struct OfficialXMLTests {
    /// The example that is invalid in JSON: a positiveInt is 0.
    private static let invalid = ["ImplementationGuide-fhir.json"]

    private static let releases = ["DSTU2", "STU3", "R4", "R4B", "R5"]

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
            #expect(files.count > 200)
            // By day some of them, with the one that does not come back.
            let wrong = files.filter { Self.invalid.contains($0.lastPathComponent) }
            for file in Effort.sample(files.filter { !Self.invalid.contains($0.lastPathComponent) }, 200) + wrong {
                counts.all += 1
                let original: FHIRResource
                let text: Data
                do {
                    original = try json.resource(from: Data(contentsOf: file))
                    text = try FHIRXML.data(original)
                } catch let error as FHIRDecodingError {
                    #expect(Self.invalid.contains(file.lastPathComponent), "\(error)")
                    continue
                }
                let read = try xml.resource(from: text)
                // In the JSON of DSTU2 the namespace of a narrative goes without saying.
                let expected = FHIRJSON.string(original).replacingOccurrences(
                    of: #""div":"<div>"#, with: #""div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">"#)
                let isEqual = FHIRJSON.string(read) == expected
                if isEqual { counts.equal += 1 }
                #expect(isEqual, "\(file.lastPathComponent)")
                // Pretty printing adds white space between elements alone.
                let pretty = try FHIRXML.data(original, pretty: true)
                #expect(try FHIRJSON.string(xml.resource(from: pretty)) == expected, "\(file.lastPathComponent)")
                let lenient = try FHIRXML.lenientResource(from: text, release: release)
                #expect(lenient.issues.isEmpty && lenient.resource == read, "\(file.lastPathComponent)")
            }
        }
        #expect(counts.all - counts.equal == (name == "DSTU2" ? 1 : 0))
    }
}
