import DiaryModel
import FireLite
import FireLiteR4
import Testing

@Suite struct WritingTests {
    @Test func aDoseRefersToItsPrescriptionAndKeepsTheOffset() async throws {
        let diary = try await diaryWithSample()
        let ramipril = try #require(try await diary.entries(.matching("ramipril")).first)
        #expect(ramipril.lastTaken == nil)
        #expect(try await diary.take(ramipril.id, at: noon, calendar: calendar()).lastTaken == "2026-10-31T13:00:00+01:00")
        let json = try await diary.store.read { try $0.query(MedicationAdministration.self).first().map { FHIRJSON.string($0) } }
        let dose = try MedicationAdministration(json: try #require(json))
        #expect(dose.request?.reference == "MedicationRequest/ramipril")
        #expect(dose.subject?.reference == "Patient/ada")
        #expect(dose.medicationCodeableConcept?.text == "Ramipril 5 mg")
        #expect(dose.validate().isEmpty)
    }

    @Test func aNotedMedicationCanBeTakenAtOnce() async throws {
        let diary = try Diary.inMemory()
        let entry = try await diary.note("Ibuprofen 200 mg", dosage: "1 for headache", at: noon, calendar: calendar())
        try await diary.take(entry.id, at: noon, calendar: calendar())
        let listed = try #require(try await diary.entries().first)
        #expect((listed.name, listed.dosage, listed.status) == ("Ibuprofen 200 mg", "1 for headache", "active"))
        #expect(listed.lastTaken == "2026-10-31T13:00:00+01:00")
        #expect(try await diary.entries(.matching("headache")) == [listed])
        let issues = try await diary.store.read { try $0.query(MedicationStatement.self).all().flatMap { $0.validate() } }
        #expect(issues.isEmpty)
    }

    @Test func anEditChangesTheRecordAndNothingElse() async throws {
        let diary = try await diaryWithSample()
        let metformin = try #require(try await diary.entries(.matching("metformin")).first)
        let edited = try await diary.edit(metformin.id, dosage: "1 tablet with dinner", status: "on-hold")
        #expect((edited.dosage, edited.status) == ("1 tablet with dinner", "on-hold"))
        #expect(try await diary.entries().contains { $0.id == metformin.id } == false)
        let authored = try await diary.store.read { try $0.resource(MedicationRequest.self, id: "metformin")?.authoredOn }
        #expect(authored == "2026-02-03")
    }

    @Test func anUnknownStatusIsRefusedAndTheDosageKept() async throws {
        let diary = try await diaryWithSample()
        let metformin = try #require(try await diary.entries(.matching("metformin")).first)
        let error = await #expect(throws: DiaryError.self) { try await diary.edit(metformin.id, dosage: "none", status: "paused") }
        #expect(error?.localizedDescription.contains("on-hold") == true)
        #expect(try await diary.entries(.matching("metformin")) == [metformin])
        await #expect(throws: DiaryError.noSuchMedication) { try await diary.take("gone") }
    }
}
