import FireLitePreviews
import FireLiteR4Names
import FireLiteUI
import PatientForm
import Testing

/// The editor against a FHIR server in this process.
@Suite @MainActor struct PatientEditorTests {
    private let server: PreviewServer
    private let store: FHIRStore

    init() throws {
        let served = try FHIRStore.inMemory(release: .r4)
        try served.track(.history)
        server = try PreviewServer(served)
        store = try FHIRStore.inMemory(release: .r4)
        try store.track(.changes)
    }

    /// An editor of a patient that the server has.
    private func editor() async throws -> PatientEditor {
        let patient = R4.Patient {
            $0.id = "1"
            $0.name = [R4.HumanName { $0.family = "Miller" }]
            $0.address = [R4.Address { $0.city = "Bern" }]
        }
        _ = try await server.client().update(patient)
        return try await PatientEditor(id: "1", in: store, server.client { $0.retry.maximumAttempts = 1 })
    }

    /// Somebody else changes the patient.
    private func change(_ body: (R4.Patient) -> Void) async throws {
        let client = try server.client()
        let patient = try await client.read(R4.Patient.self, id: "1")
        body(patient)
        _ = try await client.update(patient)
    }

    private func served() throws -> R4.Patient { try #require(try server.store.resource(R4.Patient.self, id: "1")) }

    @Test func anEditArrivesAtTheServer() async throws {
        let editor = try await editor()
        editor.form[\.familyName] = "Jones"
        #expect(await editor.save())
        #expect(editor.syncError == nil)
        #expect(try served().name.first?.family == "Jones" && served().address.first?.city == "Bern")
    }

    @Test func editsWithoutAConnectionWait() async throws {
        let editor = try await editor()
        server.isOffline = true
        editor.form[\.familyName] = "Jones"
        #expect(await editor.save())
        #expect(editor.syncError != nil)
        #expect(try served().name.first?.family == "Miller")
        server.isOffline = false
        #expect(await editor.save())
        #expect(editor.syncError == nil)
        #expect(try served().name.first?.family == "Jones")
    }

    @Test func editsOfDifferentElementsAreMerged() async throws {
        let editor = try await editor()
        editor.form[\.familyName] = "Jones"
        try await change { $0.city = "Basel" }
        #expect(await editor.save())
        #expect(try served().name.first?.family == "Jones" && served().address.first?.city == "Basel")
        #expect(editor.form[\.city] == "Basel")
    }

    @Test func aConflictIsShownAndDecided() async throws {
        let editor = try await editor()
        editor.form[\.familyName] = "Jones"
        try await change { $0.familyName = "Smith" }
        #expect(await !editor.save())
        #expect(editor.form.clashes.map(\.path) == ["name[0].family"])
        #expect(editor.form.clashes.first?.remote == "\"Smith\"")
        #expect(await editor.save(preferring: .local))
        #expect(try served().name.first?.family == "Jones")
    }

    @Test func patientsThatAreNowhereAreAnError() async throws {
        await #expect(throws: PatientEditor.Missing.self) { _ = try await PatientEditor(id: "2", in: store, server.client()) }
    }
}
