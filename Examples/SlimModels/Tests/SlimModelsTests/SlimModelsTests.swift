import FireLite
import Foundation
import SlimModels
import Testing

struct SlimModelsTests {
    private let json = Data(
        """
        {"resourceType":"Patient","id":"1","meta":{"profile":["http://x/p|1"]},"name":[{"family":"Baloney","given":["Joey"]}],\
        "gender":"male","contact":[{"name":{"family":"Major"}}],"link":[{"other":{"reference":"Patient/2"},"type":"seealso"}]}
        """.utf8)

    @Test func aReplacedClassIsThatOfEveryObject() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let patient = try FHIRJSON.decode(Patient.self, from: json)
        try store.write { tx in _ = try tx.upsert(patient.copy()) }
        let stored = try #require(try store.resources(Patient.self, ids: ["1"]).first)
        for patient in [patient, patient.copy(), stored] {
            #expect(type(of: patient.name[0] as FHIRObject) == PersonName.self)
            #expect(patient.contact[0].name.map { type(of: $0 as FHIRObject) == PersonName.self } == true)
            #expect(patient.spokenName == "Joey Baloney")
            #expect(patient as FHIRObject is Individual)
        }
        #expect(FHIRJSON.data(stored) == json)
        #expect(stored == patient)
    }

    @Test func namesAreThoseOfTheSettings() throws {
        let patient = try FHIRJSON.decode(Patient.self, from: json)
        #expect(patient.gender == Gender.male)
        let contact: EmergencyContact = patient.contact[0]
        #expect(contact.name?.family == "Major")
        #expect(patient.link[0].type == "seealso")
        #expect(patient.meta?.profile.map(\.url) == ["http://x/p"])
        let observation = Observation { $0.result = .string("x") }
        #expect(observation.valueString == "x")
        #expect(String(decoding: FHIRJSON.data(observation), as: UTF8.self) == #"{"resourceType":"Observation","valueString":"x"}"#)
    }

    @Test func theReleaseHasTheFiveResources() {
        let names = Set(FHIRRelease.r4.resourceTypes.map { $0.init().resourceType })
        #expect(names == ["Patient", "Observation", "Condition", "Encounter", "MedicationRequest"])
        #expect(FHIRRelease.r4.type(named: "HumanName") == PersonName.self)
    }
}
