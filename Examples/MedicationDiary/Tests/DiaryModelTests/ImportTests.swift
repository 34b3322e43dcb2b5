import DiaryModel
import FireLite
import FireLiteR4
import Testing

@Suite struct ImportTests {
    @Test func linesAndBundlesAreStoredResourceByResource() async throws {
        let diary = try Diary.inMemory()
        #expect(try await diary.importFile(at: sample("medications.ndjson")).added == 6)
        #expect(try await diary.importFile(at: sample("october.json")).added == 18)
        #expect(try await diary.store.query(MedicationAdministration.self).count() == 18)
    }

    @Test func importingAgainWritesNothing() async throws {
        let diary = try await diaryWithSample()
        let counts = try await diary.importFile(at: sample("medications.ndjson"))
        #expect((counts.added, counts.updated, counts.unchanged) == (0, 0, 6))
    }

    @Test func aDamagedLineIsNamedAndNothingIsStored() async throws {
        let diary = try Diary.inMemory()
        let text = #"{"resourceType":"Patient","id":"1"}"# + "\n\n" + #"{"resourceType":"MedicationRequest","status":7}"# + "\n"
        let error = await #expect(throws: ImportFault.self) {
            try await withFile(text, named: "damaged.ndjson") { try await diary.importFile(at: $0) }
        }
        #expect(error?.line == 3 && error?.reason.contains("MedicationRequest.status") == true)
        #expect(try await diary.store.query(Patient.self).count() == 0)
    }
}
