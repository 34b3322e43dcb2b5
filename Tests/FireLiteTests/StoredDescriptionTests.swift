import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// Text about stored objects, and Foundation's text of errors.
@Suite struct StoredDescriptionTests {
    /// Stored objects have the pk of their place, which the text about them shows without storing it.
    @Test func storedObjectsShowTheirPK() throws {
        try withStore { store in
            let patient = Patient {
                $0.id = "123"; $0.name = [HumanName { $0.family = "MARKER" }]; $0.maritalStatus = CodeableConcept { $0.text = "MARKER" }
            }
            try store.write { tx in try tx.add(patient) }
            let loaded = try #require(try store.resource(Patient.self, id: "123"))
            #expect("\(loaded)" == "Patient/123")
            #expect(String(reflecting: loaded) == "Patient/123 (pk \(loaded.pk), 3 elements, stored)")
            let status = try #require(loaded.maritalStatus)
            for part in [loaded.name[0], status] as [FHIRObject] {
                let pk = part.pk
                #expect("\(part)" == "\(part.layout.name) (pk \(pk))")
                #expect(String(reflecting: part) == "\(part.layout.name) (pk \(pk), 1 element, stored)")
                #expect(part.objectExtras == nil)
            }
        }
    }

    /// Nothing that a stored random resource holds is in the text about it or its parts, and text about it changes nothing.
    @Test func textsAboutStoredObjectsHoldNoValue() throws {
        try withStore { store in
            for seed in Effort.seeds(20) {
                var random = RandomInstance(seed: seed)
                let resource = random.resource(of: .r4)
                try store.write { tx in try tx.add(resource) }
                let before = FHIRJSON.data(resource)
                try expectSilent(resource, seed)
                #expect(FHIRJSON.data(resource) == before)
            }
        }
    }

    private func expectSilent(_ object: FHIRObject, _ seed: UInt64) throws {
        let head = object.layout.name + ((object as? FHIRResource)?.id.map { "/\($0)" } ?? "")
        let count = object.filledSlotCount == 1 ? "1 element" : "\(object.filledSlotCount) elements"
        try #require([head, "\(object.layout.name) (pk \(object.pk))"].contains("\(object)"), "seed \(seed)")
        try #require(String(reflecting: object) == "\(head) (pk \(object.pk), \(count), stored)", "seed \(seed)")
        try object.forEachSlot { slot in try slot.value.forEachChild { try expectSilent($0, seed) } }
    }

    /// Conditions on an element that FHIR calls `description` are about the element.
    @Test func elementsCalledDescriptionAreFound() throws {
        try withStore { store in
            try store.write { tx in
                for text in ["one", "two"] {
                    try tx.add(
                        StructureDefinition {
                            $0.id = text; $0.description = text
                        })
                }
            }
            #expect(try store.query(StructureDefinition.self).where { $0.description == "two" }.all().map(\.id) == ["two"])
        }
    }

    @Test func localizedDescriptionIsTheMessage() throws {
        let error = try #require(throws: FHIRStoreError.self) { try FHIRStore(path: "/no/such/folder/a.sqlite", release: .r4) }
        #expect(error.localizedDescription == error.message && error.localizedDescription == "\(error)")
        let failure: any Error = SQLiteError(code: 1, message: "no such table", sql: "SELECT ?")
        #expect(failure.localizedDescription == "SQLite error 1: no such table in SELECT ?")
    }
}
