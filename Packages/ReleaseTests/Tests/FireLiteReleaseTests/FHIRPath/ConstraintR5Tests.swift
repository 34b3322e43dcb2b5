import FireLiteCore
import FireLiteFHIRPath
import FireLiteR5
import Foundation
import Testing

struct ConstraintR5Tests {
    @Test func generatedClassesHaveTheConstraintsOfTheirRelease() throws {
        let constraints = FHIRPathConstraints.defined(by: .r5)
        #expect(constraints.unusable.isEmpty)
        let patient = try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","contact":[{"gender":"male"}]}"#.utf8), release: .r5)
        #expect(patient.validate(constraints: constraints).map(\.key) == ["pat-1"])
    }
}
