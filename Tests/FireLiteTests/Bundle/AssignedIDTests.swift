import FireLite
import FireLiteR4
import Foundation
import Testing

/// Resources without an id, and what refers to them, outside of the store.
@Suite(.soundStores) struct AssignedIDTests {
    /// What referred to a resource without an id refers to it after a way through JSON.
    @Test func referencesFollowTheIDs() throws {
        try withStore { store in
            let patient = Patient { $0.birthDate = "1970-01-01" }
            let named = Patient { $0.id = "named" }
            try store.write { tx in
                try tx.add(patient)
                try tx.add(named)
                try tx.add(
                    Observation {
                        $0.id = "o"
                        $0.subject = Reference(to: patient)
                        $0.performer = [Reference(to: named), Reference { $0.reference = "urn:uuid:\(patient.pk)#part" }]
                        $0.focus = [Reference { $0.reference = "urn:uuid:00000000-0000-0000-0000-000000000000" }]
                        $0.note = [Annotation { $0.text = "urn:uuid:\(patient.pk)" }]
                    })
            }
            let texts = try store.read { tx in
                var texts: [Data] = []
                for type in ["Patient", "Observation"] {
                    try tx.forEach(typeName: type) { texts.append(FHIRJSON.data(try tx.withAssignedIDs($0))) }
                }
                return texts
            }
            let copy = try freshStore()
            try copy.write { tx in for text in texts { try tx.upsert(FHIRJSON.resource(from: text, release: .r4)) } }
            let observation = try #require(try copy.resource(Observation.self, id: "o"))
            #expect(observation.subject?.reference == "Patient/\(patient.pk)")
            #expect(observation.performer.map(\.reference) == ["Patient/named", "Patient/\(patient.pk)#part"])
            // What leads nowhere stays, and so does text that is no reference.
            #expect(observation.focus[0].reference == "urn:uuid:00000000-0000-0000-0000-000000000000")
            #expect(observation.note[0].text == "urn:uuid:\(patient.pk)")
            let found = try #require(try observation.subject?.resolve(in: copy) as? Patient)
            #expect(found.id == patient.pk && found.birthDate == "1970-01-01")
            // The store is as it was.
            #expect(try store.resource(Patient.self, pk: patient.pk)?.id == nil)
        }
    }

    /// A resource that has got an id since it was referred to by pk is referred to by that id.
    @Test func anIDThatCameLater() throws {
        try withStore { store in
            let patient = Patient { _ in }
            let observation = Observation { $0.subject = Reference(to: patient) }
            try store.write { tx in
                try tx.add(patient)
                try tx.add(observation)
                patient.id = "late"
            }
            let copy = try store.read { try $0.withAssignedIDs(observation) }
            #expect(copy.subject?.reference == "Patient/late")
            #expect(copy.id == observation.pk && observation.id == nil)
        }
    }

    @Test func whatNeedsNothingIsNotCopied() throws {
        try withStore { store in
            try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            let patient = try #require(try store.resource(Patient.self, id: "1"))
            #expect(try store.read { try $0.withAssignedIDs(patient) } === patient)
        }
    }

    /// A pk that FHIR does not allow as an id, or that is taken, gives way; in references, too.
    @Test(arguments: ["not an id", "taken"]) func aPKThatCannotBeAnID(_ pk: String) throws {
        try withStore { store in
            let patient = Patient { $0.pk = pk }
            try store.write { tx in
                try tx.add(patient)
                try tx.add(Patient { $0.id = "taken" })
                try tx.add(
                    Observation {
                        $0.id = "o"; $0.subject = Reference { $0.reference = "urn:uuid:\(pk)" }
                    })
            }
            try store.read { tx in
                let id = try #require(try tx.withAssignedIDs(patient).id)
                #expect(id != pk && id.utf8.count == 36)
                if pk == "taken" {
                    let observation = try #require(try tx.resource(Observation.self, id: "o"))
                    #expect(try tx.withAssignedIDs(observation).subject?.reference == "Patient/\(id)")
                }
            }
        }
    }
}
