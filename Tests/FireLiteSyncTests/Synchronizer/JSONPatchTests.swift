import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

@Suite struct JSONPatchTests {
    private func patch(_ old: String, _ new: String) -> String {
        JSONPatch.patch(from: old, to: new).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test func everyChangeIsTestedFirst() {
        #expect(patch(#"{"a":1,"b":"x"}"#, #"{"a":1,"b":"x"}"#) == "[]")
        #expect(
            patch(#"{"a":1.0}"#, #"{"a":1.00}"#) == #"[{"op":"test","path":"/a","value":1.0},{"op":"replace","path":"/a","value":1.00}]"#)
        #expect(patch(#"{"a":1}"#, "{}") == #"[{"op":"test","path":"/a","value":1},{"op":"remove","path":"/a"}]"#)
        #expect(patch("{}", #"{"a/b":{"c":[1]}}"#) == #"[{"op":"add","path":"/a~1b","value":{"c":[1]}}]"#)
    }

    @Test func listsKeepTheirPositions() {
        #expect(
            patch(#"{"l":[1,2,3,4]}"#, #"{"l":[1,4]}"#)
                == #"[{"op":"test","path":"/l/2","value":3},{"op":"remove","path":"/l/2"},{"op":"test","path":"/l/1","value":2},{"op":"remove","path":"/l/1"}]"#
        )
        #expect(
            patch(#"{"l":[1,4]}"#, #"{"l":[1,2,3,4]}"#)
                == #"[{"op":"add","path":"/l/1","value":2},{"op":"add","path":"/l/2","value":3}]"#)
    }

    @Test func whatBelongsToTheServerIsLeftOut() {
        #expect(patch(#"{"meta":{"versionId":"1","tag":[1]}}"#, #"{"meta":{"tag":[1]}}"#) == "[]")
    }

    @Test func textsAreRepeatedAsTheyAre() {
        #expect(patch("{}", #"{"t":"a\"b\\c, d}"}"#) == #"[{"op":"add","path":"/t","value":"a\"b\\c, d}"}]"#)
    }

    /// Behaviour 8: FHIRPath Patches, for what they can express here.
    @Test func primitivesHaveFHIRPathPatches() throws {
        let old = samplePatient("a", "One")
        let new = samplePatient("a", "Two")
        new.gender = .female
        new.meta = Meta { $0.versionId = "2" }
        let patch = try #require(FHIRPathPatch.patch(from: old, to: new))
        let parameters = try FHIRJSON.decode(Parameters.self, from: patch)
        let parts = parameters.parameter.filter { $0.name == "operation" }.map { $0.part.map { FHIRJSON.string($0) } }
        #expect(
            parts == [
                [
                    #"{"name":"type","valueCode":"replace"}"#, #"{"name":"path","valueString":"Patient.name[0].family"}"#,
                    #"{"name":"value","valueString":"Two"}"#,
                ],
                [
                    #"{"name":"type","valueCode":"add"}"#, #"{"name":"path","valueString":"Patient"}"#,
                    #"{"name":"name","valueString":"gender"}"#, #"{"name":"value","valueCode":"female"}"#,
                ],
            ])
    }
}
