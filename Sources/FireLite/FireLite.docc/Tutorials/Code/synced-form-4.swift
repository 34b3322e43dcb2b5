import FireLiteClient
import FireLitePreviews
import FireLiteR4
import FireLiteSync
import FireLiteUI

@MainActor
final class Editor {
    let form: FormModel<Patient>
    private let synchronizer: Synchronizer

    init(_ patient: Patient, in store: FHIRStore, _ client: FHIRClient) {
        form = FormModel(Draft(patient), in: store)
        synchronizer = Synchronizer(store, client, scope: .types("Patient"))
    }

    func enter(birthDate: FHIRDate?) {
        form[\.birthDate] = birthDate
    }

    /// Saves, or returns what both sides have.
    func save() async -> [ElementClash] {
        guard form.canSave, await !form.save() else { return [] }
        return form.clashes
    }

    func send() async throws {
        try await synchronizer.sync()
    }
}

/// Edits the first patient and says what the server has afterwards.
@MainActor
func tryIt() async throws -> FHIRDate? {
    let server = try PreviewServer(.inMemory(release: .r4))
    let store = try FHIRStore.preview(patients: 1)
    guard let patient = try await store.query(Patient.self).first(), let id = patient.id else { return nil }
    let editor = Editor(patient, in: store, try server.client())
    editor.enter(birthDate: "1970-01-01")
    guard await editor.save().isEmpty else { return nil }
    try await editor.send()
    return try await server.store.resource(Patient.self, id: id)?.birthDate
}
