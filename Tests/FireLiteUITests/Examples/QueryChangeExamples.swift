// example FireLiteUI.md
import FireLiteR4
import FireLiteUI

@MainActor
func search(_ store: FHIRStore, for text: String, in patients: LiveQuery<Patient>) {
    patients.query = store.query(Patient.self).where { $0.name.family.contains(text) }.sort(\.birthDate)
}
// end
