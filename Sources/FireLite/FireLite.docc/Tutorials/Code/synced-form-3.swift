import FireLiteClient
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
