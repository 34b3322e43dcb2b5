import FireLiteR4
import FireLiteUI

// example FireLiteUI.md
@MainActor
func search(_ store: FHIRStore, for text: String, in patients: LiveQuery<Patient>) {
    patients.query = store.query(Patient.self).where { $0.name.family.contains(text) }.sort(\.birthDate)
}
// end
