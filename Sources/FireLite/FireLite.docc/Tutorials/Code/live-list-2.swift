import FireLiteR4
import FireLiteUI

@MainActor
final class PatientList {
    let patients: LiveQuery<Patient>
    private let store: FHIRStore

    init(_ store: FHIRStore) {
        self.store = store
        patients = LiveQuery(store.query(Patient.self).sort(\.name.family), pageSize: 50)
    }

    func search(_ text: String) {
        let all = store.query(Patient.self).sort(\.name.family)
        patients.query = text.isEmpty ? all : all.where { $0.name.family.contains(text) }
    }
}
