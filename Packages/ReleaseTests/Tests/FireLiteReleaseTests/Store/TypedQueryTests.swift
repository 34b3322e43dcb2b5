import FireLiteDSTU2
import FireLiteR4
import FireLiteR4B
import FireLiteR5
import FireLiteSTU3
import Testing

@testable import FireLite
@testable import FireLiteCore

/// The same typed queries with the classes of each release: values, dates, choices, references in both directions, full text.
@Suite struct TypedQueryTests {
    @Test func dstu2() throws {
        try check(
            FireLiteDSTU2.Patient.self, FireLiteDSTU2.Observation.self, given: { $0.name.given }, code: { $0.code.coding.code },
            value: { $0.valueQuantity.value }, date: { $0.effectiveDateTime }, subject: { $0.subject })
    }

    @Test func stu3() throws {
        try check(
            FireLiteSTU3.Patient.self, FireLiteSTU3.Observation.self, given: { $0.name.given }, code: { $0.code.coding.code },
            value: { $0.valueQuantity.value }, date: { $0.effectiveDateTime }, subject: { $0.subject })
    }

    @Test func r4() throws {
        try check(
            FireLiteR4.Patient.self, FireLiteR4.Observation.self, given: { $0.name.given }, code: { $0.code.coding.code },
            value: { $0.valueQuantity.value }, date: { $0.effectiveDateTime }, subject: { $0.subject })
    }

    @Test func r4b() throws {
        try check(
            FireLiteR4B.Patient.self, FireLiteR4B.Observation.self, given: { $0.name.given }, code: { $0.code.coding.code },
            value: { $0.valueQuantity.value }, date: { $0.effectiveDateTime }, subject: { $0.subject })
    }

    @Test func r5() throws {
        try check(
            FireLiteR5.Patient.self, FireLiteR5.Observation.self, given: { $0.name.given }, code: { $0.code.coding.code },
            value: { $0.valueQuantity.value }, date: { $0.effectiveDateTime }, subject: { $0.subject })
    }

    private func check<Patient: FHIRResource, Observation: FHIRResource, Reference: FHIRReference>(
        _ patientType: Patient.Type, _ observationType: Observation.Type, given: (ElementPath<Patient>) -> ValueListPath<String>,
        code: (ElementPath<Observation>) -> ValuePath<String>, value: (ElementPath<Observation>) -> ValuePath<FHIRDecimal>,
        date: (ElementPath<Observation>) -> ValuePath<FHIRDateTime>, subject: (ElementPath<Observation>) -> ElementPath<Reference>
    ) throws {
        let store = try FHIRStore.inMemory(release: Patient._layout.release)
        try store.write { tx in
            for (id, name) in [("1", "Peter"), ("2", "José"), ("3", "Ann")] {
                try tx.add(Patient(json: #"{"resourceType":"Patient","id":"\#(id)","name":[{"given":["\#(name)","Maria"]}]}"#))
            }
            for (id, patient, code, value) in [("a", "1", "29463-7", "72.50"), ("b", "1", "8867-4", "80"), ("c", "2", "29463-7", "61.0")] {
                try tx.add(
                    Observation(
                        json: #"{"resourceType":"Observation","id":"\#(id)","code":{"coding":[{"code":"\#(code)"}]},"#
                            + #""subject":{"reference":"Patient/\#(patient)"},"effectiveDateTime":"2015-0\#(patient)-07","#
                            + #""valueQuantity":{"value":\#(value)}}"#))
            }
        }
        for isIndexed in [false, true] {
            if isIndexed {
                for set in [StoreIndexSet.codes, .references, .dates] { try store.createIndexes(set) }
                try store.createFullTextIndex(patientType) { [given($0)] }
            }
            let observations = store.query(observationType)
            let patients = store.query(patientType)
            #expect(try patients.where { given($0) == "Ann" }.ids() == ["3"])
            #expect(try observations.where { code($0) == "29463-7" && value($0) > 70 }.ids() == ["a"])
            #expect(try observations.where { date($0) >= "2015-02" }.ids() == ["c"])
            #expect(try observations.sort { value($0).descending }.ids() == ["b", "a", "c"])
            #expect(try observations.where { subject($0).refers(to: patientType, id: "1") }.ids() == ["a", "b"])
            #expect(try observations.where { subject($0).target(patientType).any { given($0) == "José" } }.ids() == ["c"])
            #expect(try patients.where { $0.isReferred(from: observationType, by: subject) { value($0) < 70 } }.ids() == ["2"])
            if isIndexed { #expect(try patients.matching("jos*").ids() == ["2"]) }
        }
        let observation = try #require(try store.resource(observationType, id: "c"))
        let reference = try #require(observation.layout.element(named: "subject").flatMap { observation._object($0.slot) as Reference? })
        #expect(try reference.resolve(in: store)?.id == "2")
        #expect(try store.check() == [])
    }

    /// R5's CodeableReference is a concept, a reference or both: conditions go through its parts.
    @Test func codeableReferences() throws {
        let store = try FHIRStore.inMemory(release: .r5)
        let medication = FireLiteR5.Medication { $0.id = "m" }
        let request = FireLiteR5.MedicationRequest {
            $0.id = "1"
            $0.medication = FireLiteR5.CodeableReference { $0.reference = FireLiteR5.Reference(to: medication) }
        }
        let other = FireLiteR5.MedicationRequest {
            $0.id = "2"
            $0.medication = FireLiteR5.CodeableReference { $0.concept = FireLiteR5.CodeableConcept { $0.text = "aspirin" } }
        }
        try store.write { tx in try tx.upsert([medication, request, other]) }
        let requests = store.query(FireLiteR5.MedicationRequest.self)
        #expect(try requests.where { $0.medication.reference.refers(to: medication) }.ids() == ["1"])
        #expect(try requests.where { $0.medication.reference.target(FireLiteR5.Medication.self).exists }.ids() == ["1"])
        #expect(try requests.where { $0.medication.concept.text == "aspirin" }.ids() == ["2"])
        let medications = store.query(FireLiteR5.Medication.self)
        #expect(
            try medications.where { $0.isReferred(from: FireLiteR5.MedicationRequest.self, by: { $0.medication.reference }) }.count() == 1)
    }
}
