import FireLite
import SlimModelsNames
import Testing

/// A file that imports the aliases and not the classes.
struct NamesTests {
    @Test func classesAreThoseOfTheModule() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let patient = R4.Patient {
            $0.id = "1"
            $0.name = [R4.PersonName { $0.family = "Baloney" }]
            $0.gender = R4.Gender.male
        }
        try store.write { tx in _ = try tx.upsert(patient) }
        let stored = try #require(try store.query(R4.Patient.self).all().first)
        #expect(stored.spokenName == "Baloney" && stored.gender == .male)
        #expect(R4.EmergencyContact().name == nil)
    }

    /// Swift's own `Task`, which `FireLiteR4` would hide.
    @Test func otherNamesKeepTheirMeaning() async { #expect(await Task { 1 }.value == 1) }
}
