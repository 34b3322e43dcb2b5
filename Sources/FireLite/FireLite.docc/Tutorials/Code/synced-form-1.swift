import FireLiteR4
import FireLiteUI

@MainActor
final class Editor {
    let form: FormModel<Patient>

    init(_ patient: Patient, in store: FHIRStore) {
        form = FormModel(Draft(patient), in: store)
    }

    func enter(birthDate: FHIRDate?) {
        form[\.birthDate] = birthDate
    }
}
