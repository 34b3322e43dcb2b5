import FireLite
import FireLiteR4
import FireLiteReleases
import Foundation
import TestSupport
import Testing

/// JSON in the shapes that HealthKit's clinical records and the encoder of FHIRModels have, there and back.
@Suite struct ClinicalRecordsExamples {
    /// A laboratory result as sources of the Health app send it in R4.
    private static let result = #"""
        {"resourceType": "Observation", "id": "lab-1", "status": "final",
         "category": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/observation-category", "code": "laboratory"}]}],
         "code": {"coding": [{"system": "http://loinc.org", "code": "718-7", "display": "Hemoglobin"}], "text": "Hgb"},
         "subject": {"reference": "https://source.example/fhir/Patient/p"},
         "effectiveDateTime": "2024-03-05T08:15:00-05:00", "issued": "2024-03-05T09:00:00.250-05:00",
         "valueQuantity": {"value": 13.50, "unit": "g/dL", "system": "http://unitsofmeasure.org", "code": "g/dL"},
         "referenceRange": [{"low": {"value": 12.0, "unit": "g/dL"}, "text": "12–16 g/dL"}]}
        """#

    /// A prescription as sources send it in DSTU2, with what that release alone has.
    private static let prescription = #"""
        {"resourceType": "MedicationOrder", "id": "m", "status": "active", "dateWritten": "2016-02-01",
         "patient": {"reference": "Patient/p", "display": "P"},
         "medicationCodeableConcept": {"text": "Amoxicillin"},
         "dosageInstruction": [{"text": "1 a day", "asNeededBoolean": false,
          "doseQuantity": {"value": 250, "unit": "mg"}}]}
        """#

    /// A patient as an encoder on `Codable` writes it: sorted members, escaped slashes, primitives with extensions beside their values.
    private static let encoded = #"""
        {"_birthDate":{"extension":[{"url":"http:\/\/hl7.org\/fhir\/StructureDefinition\/patient-birthTime","valueDateTime":"1970-03-30T14:35:45Z"}]},
        "active":true,"birthDate":"1970-03-30","contact":[{"relationship":[{"text":"mother"}]}],"deceasedBoolean":false,
        "extension":[{"url":"http:\/\/example.org\/score","valueDecimal":0.1}],"gender":"female",
        "id":"p","name":[{"_given":[null,{"id":"g2"}],"family":"O'Neill \u00e9","given":["Ann","B."],"use":"official"}],"resourceType":"Patient"}
        """#

    private func expectSame(_ first: Data, _ second: Data) throws {
        #expect(try JSONContent(String(decoding: first, as: UTF8.self)) == JSONContent(String(decoding: second, as: UTF8.self)))
    }

    @Test func recordsOfTheHealthAppPassThroughAStore() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let json = Data(Self.result.utf8)
        // example ClinicalRecords.md
        let reader = FHIRJSONReader(release: store.release)
        let resource = try reader.resource(from: json)
        try store.write { tx in _ = try tx.upsert([resource]) }
        // end
        let stored = try #require(try store.resource(Observation.self, id: "lab-1"))
        #expect(stored.valueQuantity?.value == "13.50" && stored.code?.text == "Hgb")
        try expectSame(FHIRJSON.data(stored), json)
    }

    @Test func recordsOfDSTU2PassThroughAStore() throws {
        let release = try #require(BundledRelease.named("DSTU2")).release
        let store = try FHIRStore.inMemory(release: release)
        let json = Data(Self.prescription.utf8)
        let resource = try FHIRJSONReader(release: store.release).resource(from: json)
        try store.write { tx in _ = try tx.upsert([resource]) }
        try expectSame(FHIRJSON.data(try #require(try store.resource(typeName: "MedicationOrder", id: "m"))), json)
        // The type is one of DSTU2 alone, so a wrong release is noticed.
        #expect(throws: FHIRDecodingError.self) { try FHIRJSONReader(release: .r4).resource(from: json) }
    }

    @Test func whatAnEncoderOnCodableWritesIsRead() throws {
        let json = Data(Self.encoded.utf8)
        let patient = try FHIRJSON.decode(Patient.self, from: json)
        #expect(patient.name.first?.family == "O'Neill é" && patient.birthDate == "1970-03-30")
        let written = FHIRJSON.data(patient)
        try expectSame(written, json)
        // And what is written here is plain JSON for such a decoder.
        let members = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        #expect(members["resourceType"] as? String == "Patient")
        #expect((members["name"] as? [[String: Any]])?.first?["given"] as? [String] == ["Ann", "B."])
    }

    @Test func faultyRecordsAreSkippedAndCounted() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.json", Self.result)
        try folder.write("b.json", #"{"resourceType": "Observation", "status": ["final"]}"#)
        let files = ["a.json", "b.json"].map { URL(fileURLWithPath: folder.file($0)) }
        let store = try FHIRStore.inMemory(release: .r4)
        // example ClinicalRecords.md
        var options = ImportOptions()
        options.onFault = .skip
        let result = try store.importResources(from: files, options: options)
        print(result.counts.stored, result.counts.rejected)
        // end
        #expect(result.counts.stored == 1 && result.counts.rejected == 1)
    }
}
