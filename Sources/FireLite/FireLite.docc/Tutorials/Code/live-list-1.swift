import FireLiteR4
import FireLiteUI

@MainActor
final class PatientList {
    let patients: LiveQuery<Patient>

    init(_ store: FHIRStore) {
        patients = LiveQuery(store.query(Patient.self).sort(\.name.family), pageSize: 50)
    }
}
