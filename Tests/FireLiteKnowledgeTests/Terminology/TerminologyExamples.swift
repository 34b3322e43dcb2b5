import FireLiteCore
import FireLiteKnowledge
import FireLiteReleases
import Foundation

/// Definitions that the tests of terminology share.
enum TerminologyExamples {
    static let release = FHIRRelease.bundled("R5")!
    static let colors = "http://example.org/colors"

    /// A system with a hierarchy, an inactive, an abstract and a German concept.
    static let system = """
        {"resourceType":"CodeSystem","url":"\(colors)","version":"1.0.0","name":"Colors","status":"active","language":"en",
         "content":"complete","caseSensitive":true,"property":[{"code":"warmth","type":"integer"}],"concept":[
          {"code":"color","display":"Color","property":[{"code":"notSelectable","valueBoolean":true}],"concept":[
           {"code":"red","display":"Red","designation":[{"language":"de","value":"Rot"}],"property":[{"code":"warmth","valueInteger":9}],
            "concept":[{"code":"crimson","display":"Crimson"}]},
           {"code":"blue","display":"Blue","definition":"Like the sky","property":[{"code":"warmth","valueInteger":1}]},
           {"code":"mauve","display":"Mauve","property":[{"code":"status","valueCode":"retired"}]}]}]}
        """

    static func valueSet(_ name: String, _ compose: String) -> String {
        #"{"resourceType":"ValueSet","url":"http://example.org/\#(name)","version":"1.0.0","status":"active","compose":\#(compose)}"#
    }

    static func terminology(_ definitions: String...) throws -> Terminology {
        var terminology = Terminology(release: release)
        for definition in [system] + definitions { try terminology.add(contentsOf: Data(definition.utf8)) }
        return terminology
    }

    static func codes(_ terminology: Terminology, _ valueSet: String) throws -> [String] {
        try terminology.expand("http://example.org/\(valueSet)").codes.map(\.code)
    }
}
