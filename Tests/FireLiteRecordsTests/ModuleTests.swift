import FireLiteR4
import FireLiteRecords
import Testing

@Suite struct RecordsModuleTests {
    @Test func aStoreOpensWithTheModule() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let patient = Patient { $0.id = "1" }
        try store.write { try $0.upsert(patient) }
        #expect(try store.query(Patient.self).count() == 1)
    }
}
