import FireLite
import FireLiteR4
import Testing

@testable import FireLite

/// What a failed write must bring back beyond what `ManagedObjectTests` has.
@Suite struct RollbackTests {
    private struct Stop: Error {}

    private func stored(in store: FHIRStore) throws -> Patient {
        let patient = Patient {
            $0.id = "1"
            $0.name = ["One", "Two", "Three"].map { family in
                HumanName {
                    $0.family = family
                    $0.given = ["A"]
                    $0.period = Period { $0.start = FHIRDateTime("2020") }
                }
            }
        }
        try store.write { tx in try tx.add(patient) }
        return patient
    }

    private func failingWrite(_ store: FHIRStore, _ body: (WriteTransaction) throws -> Void) {
        #expect(throws: Stop.self) {
            try store.write { tx in
                try body(tx)
                throw Stop()
            }
        }
    }

    /// An element that was taken out is no longer watched, and comes back as it was all the same.
    @Test func whatWasTakenOutAndChangedComesBackAsItWas() throws {
        try withStore { store in
            let patient = try stored(in: store)
            let (json, pks) = (FHIRJSON.string(patient), patient.name.map(\.pk))
            failingWrite(store) { _ in
                let name = patient.name.remove(at: 1)
                name.family = "changed"
                name.period?.start = nil
                name.given = []
            }
            #expect(FHIRJSON.string(patient) == json)
            #expect(patient.name.map(\.pk) == pks)
            #expect(patient.name.map(\.isManaged) == [true, true, true])
            try store.write { _ in patient.name[1].period?.end = FHIRDateTime("2021") }
            #expect(try store.resource(Patient.self, id: "1") == patient)
        }
    }

    /// Taken out, saved without, put back and saved again, an element has a new row, which is gone with the write.
    @Test func replacedContentKeepsItsOldRow() throws {
        try withStore { store in
            let patient = try stored(in: store)
            let pks = patient.name.map(\.pk)
            failingWrite(store) { tx in
                let name = patient.name.remove(at: 0)
                try tx.saveChanges()
                patient.name.append(name)
                try tx.saveChanges()
            }
            #expect(patient.name.map(\.pk) == pks)
            try store.write { _ in patient.name[0].family = "later" }
            let fetched = try #require(try store.resource(Patient.self, id: "1"))
            #expect(fetched.name.map(\.pk) == pks)
            #expect(fetched.name[0].family == "later")
        }
    }

    @Test func whatWasDeletedAndAddedAgainKeepsItsOldRows() throws {
        try withStore { store in
            let patient = try stored(in: store)
            try store.write { _ in patient.name.reverse() }
            let (json, pks) = (FHIRJSON.string(patient), patient.name.map(\.pk))
            failingWrite(store) { tx in
                try tx.delete(patient)
                try tx.add(patient)
                patient.name.removeLast()
            }
            #expect(FHIRJSON.string(patient) == json)
            #expect(patient.name.map(\.pk) == pks)
            try store.write { _ in patient.name[0].family = "later" }
            let fetched = try #require(try store.resource(Patient.self, id: "1"))
            #expect(fetched.name.map(\.pk) == pks)
        }
    }

    @Test func objectsAddedAndDeletedInTheWriteAreUnmanaged() throws {
        try withStore { store in
            let patient = try stored(in: store)
            let name = HumanName { $0.family = "new" }
            failingWrite(store) { _ in
                patient.name.append(name)
                patient.name.removeLast()
            }
            #expect(!name.isManaged)
            name.family = "free"
            try store.write { _ in patient.name.append(name) }
            #expect(try store.resource(Patient.self, id: "1")?.name.last?.family == "free")
        }
    }
}
