import FireLite
import FireLiteR4
import Testing

/// What an upsert must leave alone.
@Suite struct UpsertIdentityTests {
    private func patient(_ family: String, readsPKs: Bool) -> Patient {
        let patient = Patient {
            $0.id = "1"
            $0.name = [HumanName { $0.family = family }]
            $0.maritalStatus = CodeableConcept { $0.text = family }
        }
        if readsPKs { _ = (patient.pk, patient.name[0].pk, patient.maritalStatus?.pk) }
        return patient
    }

    /// The argument is not adopted: neither its pks, where somebody has read them, come into the store, nor do the stored ones go.
    @Test(arguments: [(false, true), (true, false), (true, true)])
    func pksAreTheStoredOnes(storedReads: Bool, incomingReads: Bool) throws {
        try withStore { store in
            let first = patient("A", readsPKs: storedReads)
            try store.write { tx in try tx.add(first) }
            let pks = [first.pk, first.name[0].pk, first.maritalStatus?.pk]
            let incoming = patient("B", readsPKs: incomingReads)
            incoming.name.append(HumanName { $0.family = "C" })
            let newPK = incomingReads ? incoming.name[1].pk : nil
            try store.write { tx in _ = try tx.upsert([incoming]) }
            let fetched = try #require(try store.resource(Patient.self, id: "1"))
            #expect(fetched == incoming)
            #expect([fetched.pk, fetched.name[0].pk, fetched.maritalStatus?.pk] == pks)
            #expect(fetched.name[1].pk != newPK)
        }
    }

    @Test func aRemovedElementTakesItsPKWithIt() throws {
        try withStore { store in
            try store.write { tx in try tx.add(patient("A", readsPKs: true)) }
            try store.write { tx in _ = try tx.upsert([Patient { $0.id = "1" }]) }
            let fetched = try #require(try store.resource(Patient.self, id: "1"))
            #expect(fetched.maritalStatus == nil)
            #expect(fetched.name.isEmpty)
        }
    }

    /// One object twice is one resource, with an id or without.
    @Test(arguments: [nil, "1"])
    func anObjectGivenTwiceIsStoredOnce(id: String?) throws {
        try withStore { store in
            let patient = Patient { $0.id = id }
            let result = try store.write { tx in try tx.upsert([patient, patient]) }
            #expect(try store.count(Patient.self) == 1)
            #expect(result[0] === patient && result[1] === patient)
            try store.write { _ in patient.active = true }
            #expect(try store.resource(Patient.self, pk: patient.pk)?.active == true)
        }
    }
}
