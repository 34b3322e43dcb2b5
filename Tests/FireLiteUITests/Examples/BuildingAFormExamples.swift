import FireLiteR4
import FireLiteUI
import Foundation
import Testing

// example BuildingAForm.md
@MainActor
func form(for id: String, in store: FHIRStore) async throws -> FormModel<Patient>? {
    guard let patient = try await store.resource(Patient.self, id: id) else { return nil }
    return FormModel(Draft(patient), in: store)
}
// end

// example BuildingAForm.md
extension Patient {
    /// The family name in the first `name`; setting it adds a name if there is none.
    var familyName: String? {
        get { name.first?.family }
        set {
            if name.isEmpty { name = [HumanName()] }
            name[0].family = newValue
        }
    }
}
// end

// example BuildingAForm.md
extension FormModel<Patient> {
    func enter(_ name: String, born birthDate: FHIRDate?) {
        self[\.familyName] = name
        self[\.birthDate] = birthDate
    }

    /// Adds a phone number; one undo removes it.
    func addPhone(_ number: String) {
        change {
            $0.telecom.append(
                ContactPoint {
                    $0.system = .phone
                    $0.value = number
                })
        }
    }
}
// end

// example BuildingAForm.md
extension FormModel<Patient> {
    /// The messages to show below the date of birth.
    var birthDateMessages: [String] { issues(at: "birthDate").map(\.message) }
}
// end

// example BuildingAForm.md
extension FormModel<Patient> {
    /// A form with a rule that FHIR does not have: nobody is born tomorrow.
    static func ofSomebodyBorn(_ patient: Patient, in store: FHIRStore) -> FormModel<Patient> {
        FormModel(Draft(patient), in: store) { patient in
            guard let birthDate = patient.birthDate?.date, birthDate > Date() else { return [] }
            return [FHIRIssue(path: "Patient.birthDate", severity: .error, code: .constraint, message: "the date is in the future")]
        }
    }
}
// end

// example BuildingAForm.md
extension FormModel<Patient> {
    /// Saves the form. If there is a conflict, returns both values of each element to show side by side.
    func saveOrCompare() async -> [(element: String, mine: String, theirs: String)] {
        await save() ? [] : clashes.map { ($0.path, $0.local ?? "–", $0.remote ?? "–") }
    }

    /// Saves after the user has chosen to keep their own values.
    func keepMine() async -> Bool { await save(preferring: .local) }
}
// end

@Suite @MainActor struct BuildingAFormExamples {
    /// The names of the changed elements, without positions.
    private func elements(_ form: FormModel<Patient>) -> [String] { form.changes.map { String($0.path.prefix { $0 != "[" }) } }

    @Test func theFormOfThePageIsEditedAndSaved() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try await store.write { tx in _ = try tx.add(Patient { $0.id = "1" }) }
        #expect(try await form(for: "2", in: store) == nil)
        let edited = try #require(try await form(for: "1", in: store))
        edited.enter("Miller", born: "1970-01-01")
        edited.addPhone("1")
        #expect(Set(elements(edited)) == ["birthDate", "name", "telecom"])
        #expect(edited.birthDateMessages.isEmpty && edited.canSave)
        edited.undo()
        edited.undo()
        #expect(elements(edited) == ["name"])
        edited.redo()
        #expect(await edited.saveOrCompare().isEmpty)
        edited.enter("Jones", born: nil)
        try await store.write { tx in try #require(try tx.resource(Patient.self, id: "1")).familyName = "Smith" }
        let lines = await edited.saveOrCompare()
        #expect(lines.map(\.element) == ["name[0].family"] && lines.map(\.theirs) == ["\"Smith\""])
        #expect(await edited.keepMine())
        let stored = try #require(try await store.resource(Patient.self, id: "1"))
        #expect(stored.familyName == "Jones" && stored.birthDate == nil)
    }
}
