import FireLiteDSTU2
import FireLiteR4
import FireLiteR5
import FireLiteSTU3
import Foundation
import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// The examples of Releases.md.
@Suite struct ReleasesExamples {
    @Test func oneStoreOneRelease() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            // example Releases.md
            let store = try FHIRStore(path: path, release: .stu3)
            print(store.release)  // STU3
            // end
            #expect("\(store.release)" == "STU3")
            #expect(try store.sql("SELECT value FROM _meta WHERE key = 'release'").first?[0].text == "STU3")
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: .r4) }
            #expect(error?.code == .wrongRelease)
        }
    }

    @Test func severalReleases() throws {
        try withTemporaryFolder { folder in
            let (oldPath, newPath) = (folder + "/old.sqlite", folder + "/new.sqlite")
            for (path, release) in [(oldPath, FHIRRelease.dstu2), (newPath, .r4)] {
                let store = try FHIRStore(path: path, release: release)
                let json = Data(#"{"resourceType":"Patient","id":"1","gender":"female"}"#.utf8)
                try store.write { tx in try tx.add(FHIRJSON.resource(from: json, release: release)) }
            }
            // example Releases.md
            typealias OldPatient = FireLiteDSTU2.Patient
            typealias NewPatient = FireLiteR4.Patient

            let fromHealthApp = try FHIRStore(path: oldPath, release: .dstu2)
            let fromServer = try FHIRStore(path: newPath, release: .r4)
            let female = try fromHealthApp.query(OldPatient.self)
                .where { $0.gender == .female }.ids()
            let known = try fromServer.resources(NewPatient.self, ids: female)
            // end
            #expect(known.map(\.id) == ["1"])
            let old = try #require(try fromHealthApp.resource(OldPatient.self, id: "1"))
            // example Releases.md
            let moved = try NewPatient(json: FHIRJSON.data(old))
            // end
            #expect(moved == known.first)
            let animal = OldPatient {
                $0.animal = FireLiteDSTU2.PatientAnimal { $0.species = FireLiteDSTU2.CodeableConcept { $0.text = "dog" } }
            }
            let error = #expect(throws: FHIRDecodingError.self) { try NewPatient(json: FHIRJSON.data(animal)) }
            #expect(error.map { "\($0)" }?.contains("Patient.animal") == true)
        }
    }

    @Test func readersKnowTheRelease() throws {
        let data = Data(#"{"resourceType":"MedicationOrder","id":"1"}"#.utf8)
        // example Releases.md
        let reader = FHIRJSONReader(release: .dstu2)
        let resource = try reader.resource(from: data)
        // end
        #expect(resource is MedicationOrder)
        #expect(throws: FHIRDecodingError.self) { try FHIRJSONReader(release: .r4).resource(from: data) }
    }

    @Test func conditionsGoThroughACodeableReference() throws {
        let store = try FHIRStore.inMemory(release: .r5)
        let medication = FireLiteR5.Medication { $0.id = "m" }
        let request = FireLiteR5.MedicationRequest {
            $0.id = "1"
            $0.medication = FireLiteR5.CodeableReference { $0.reference = FireLiteR5.Reference(to: medication) }
        }
        try store.write { tx in try tx.upsert([medication, request]) }
        let requests = store.query(FireLiteR5.MedicationRequest.self)
        #expect(try requests.where { $0.medication.reference.refers(to: medication) }.ids() == ["1"])
    }

    @Test func releasesAsData() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let text = try #require(BundledRelease.named("R5")).layouts
            let json = Data(#"{"resourceType":"Patient","id":"1","active":true}"#.utf8)
            // example Releases.md
            let release = try FHIRRelease(layouts: text)
            let store = try FHIRStore(path: path, release: release)
            try store.write { tx in
                try tx.upsert(FHIRJSON.resource(from: json, release: release))
            }
            let patient = try store.resource(typeName: "Patient", id: "1")
            // end
            #expect(patient.map { FHIRJSON.data($0) } == json)
            try store.close()
            #expect(try FHIRStore.releaseName(ofFileAt: URL(fileURLWithPath: path)) == "R5")
        }
    }
}

private func withTemporaryFolder(_ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try body(folder.path)
}
