import FireLiteCore
import FireLiteR4
import Foundation
import Testing

/// The release's names lead to the classes that programs use by their Swift names.
@Suite struct TypedClassTests {
    @Test func namesLeadToClasses() {
        #expect(FHIRRelease.r4.name == "R4")
        #expect(FHIRRelease.r4.resourceType(named: "Patient") == Patient.self)
        #expect(FHIRRelease.r4.type(named: "Patient.contact") == PatientContact.self)
        #expect(FHIRRelease.r4.type(named: "HumanName") == HumanName.self)
    }

    @Test func codersTakeTheReleaseFromTheClass() throws {
        let json = #"{"resourceType":"Patient","id":"1","active":true}"#
        let patient = try #require(try JSONDecoder().decode(Resource.self, from: Data(json.utf8)) as? Patient)
        #expect(patient.active == true && FHIRJSON.string(patient) == json)
    }
}
