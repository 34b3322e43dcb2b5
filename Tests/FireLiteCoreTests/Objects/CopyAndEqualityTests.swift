import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// `copy()` and `==`.
@Suite struct CopyAndEqualityTests {
    @Test func copiesAreEqualAndShareNothing() throws {
        for type in Effort.sample(FHIRRelease.r4.types, 120) {
            var random = RandomInstance(seed: 7, mode: .everything(round: 0))
            let object = random.object(of: type)
            let copy = object.copyObject()
            try #require(copy == object)
            try #require(Swift.type(of: copy) == type)
            expectNothingShared(copy, object)
            expectSoundOwnership(copy)
            #expect(copy.ownerObject == nil)
            #expect(FHIRJSON.data(copy) == FHIRJSON.data(object))
        }
    }

    @Test func copiesAreIndependent() throws {
        try withEvery(0..<60) { seed in
            var random = RandomInstance(seed: seed)
            let object = random.make(Patient.self)
            let before = FHIRJSON.data(object)
            let copy = object.copy()
            try #require(copy.id == object.id)
            for child in everyObject(in: copy) { for slot in child.layout.elements.indices { child.store(nil, in: slot) } }
            copy.birthDate = "1901"
            try #require(FHIRJSON.data(object) == before)
            try #require(FHIRJSON.string(copy) == #"{"resourceType":"Patient","birthDate":"1901"}"#)
        }
    }

    @Test func pksAreOnesOwn() {
        let patient = Patient { $0.name = [HumanName { $0.text = "a" }] }
        let pk = patient.pk
        #expect(UUID(uuidString: pk) != nil)
        #expect(patient.pk == pk)
        let copy = patient.copy()
        #expect(copy.pk != pk)
        #expect(copy.name[0].pk != patient.name[0].pk)
        #expect(copy == patient)
        copy.pk = "mine"
        #expect(copy.pk == "mine")
        #expect(!FHIRJSON.string(copy).contains("mine"))
        #expect(copy.name[0].copy().pk != copy.name[0].pk)
        #expect(!patient.isManaged)
    }

    @Test func identifiableByPkBesideTheElementId() {
        let patient = Patient { $0.id = "1" }
        let id = patient.id
        #expect(id == Optional("1"))
        let one = "1"
        #expect(patient.id == one)
        #expect([patient].first { $0.id == one } === patient)
        func identity<Value: Identifiable>(_ value: Value) -> Value.ID { value.id }
        #expect(identity(patient) == FHIRObjectID(pk: patient.pk))
        #expect(identity(patient) != identity(patient.copy()))
        let name = HumanName { $0.id = "n" }
        #expect(name.id == "n")
        #expect(identity(name).pk == name.pk)
        let resource: FHIRResource = patient
        #expect(resource.id == one)
    }

    // MARK: - Equality

    @Test func everyElementCounts() throws {
        for type in Effort.sample(FHIRRelease.r4.types, 120) {
            var random = RandomInstance(seed: 11, mode: .everything(round: 1))
            let object = random.object(of: type)
            let copy = object.copyObject()
            for slot in 0..<type._layout.elements.count where object.position(of: slot) != nil {
                let old = copy.value(slot)
                copy.store(nil, in: slot)
                try #require(copy != object)
                try #require(object != copy)
                copy.store(old, in: slot)
            }
            try #require(copy == object)
        }
    }

    @Test func contentCountsAndNothingElse() throws {
        let first = Observation { $0.valueQuantity = Quantity { $0.value = 1.5 } }
        let second = Observation { $0.valueQuantity = Quantity { $0.value = FHIRDecimal("1.50") } }
        #expect(first != second)
        second.valueQuantity?.value = 1.5
        #expect(first == second)
        #expect(
            Patient { $0.name = [HumanName { $0.given = ["a", "b"] }] } != Patient { $0.name = [HumanName { $0.given = ["b", "a"] }] })
        #expect(HumanName { $0.text = "e\u{301}" } != HumanName { $0.text = "\u{E9}" })
        #expect(HumanName { $0.given = ["e\u{301}"] } != HumanName { $0.given = ["\u{E9}"] })
        let precomposed = try HumanName(json: "{\"given\":[null,\"\u{E9}\"]}")
        #expect(try HumanName(json: "{\"given\":[null,\"e\u{301}\"]}") != precomposed)
        #expect(FHIRObject.self != Patient.self)
        let age: FHIRObject = Age { $0.value = 1 }
        #expect(age != Quantity { $0.value = 1 })
    }

    /// JSON has no empty objects, so an object with some is equal to what comes back from its JSON.
    @Test func elementsWithoutContentDoNotCount() throws {
        let patient = Patient { $0.active = true }
        let full = patient.copy()
        full.maritalStatus = CodeableConcept { $0.coding = [Coding { $0.extension = [Extension()] }] }
        full.name = [HumanName(), HumanName { $0.period = Period() }]
        let withElement = full
        withElement[element: \.language] = Element()
        #expect(FHIRJSON.string(full) == #"{"resourceType":"Patient","active":true}"#)
        #expect(try Patient(json: FHIRJSON.string(full)) == full)
        #expect(full == patient)
        #expect(patient == full)
        full.name[1].period?.start = "2020"
        #expect(full != patient)
        #expect(FHIRJSON.string(full) == #"{"resourceType":"Patient","active":true,"name":[{"period":{"start":"2020"}}]}"#)
    }
}
