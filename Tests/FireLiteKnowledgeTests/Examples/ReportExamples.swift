import FireLite
import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import Testing

// example ValidatingProfiles.md
func report(_ patient: Patient) throws {
    let knowledge = Knowledge(release: .r4)
    try knowledge.addPackage(at: URL(fileURLWithPath: "us-core-6.1.0.tgz"))
    let validator = FHIRValidator(knowledge: knowledge)
    let profile = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"
    for issue in try validator.validate(patient, against: [profile]) where issue.severity == .error {
        print(issue.messageID, issue.path, issue.message)
    }
}
// end

// example ValidatingProfiles.md
func fromCache(_ cache: URL) throws -> Knowledge {
    let knowledge = Knowledge(release: .r4)
    try knowledge.addPackage("hl7.fhir.us.core#6.1.x", from: PackageCache(folder: cache))
    return knowledge
}
// end

// example ValidatingProfiles.md
func protectedStore(_ knowledge: Knowledge) throws -> FHIRStore {
    let patient = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"
    return try FHIRStore(
        path: "health.sqlite", release: .r4, validation: .profiles(knowledge, against: ["Patient": [patient]]))
}
// end

@Suite struct ReportExamples {
    /// There is no such package here.
    @Test func aPackageThatIsNotThereIsNamed() {
        #expect(throws: (any Error).self) { try report(Patient()) }
    }
}
