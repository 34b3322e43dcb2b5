import FireLiteR4
import FireLiteUI
import Testing

// example FireLiteUI.md
@MainActor
func rename(_ patient: Patient, to family: String, in store: FHIRStore) async {
    let form = FormModel(Draft(patient), in: store)
    form[\.name[0].family] = family
    guard form.canSave else { return print(form.issues) }
    if await !form.save() {
        for clash in form.clashes { print(clash.path, clash.local ?? "–", clash.remote ?? "–") }
        await form.save(preferring: .local)
    }
}
// end

@Suite struct FormExamples {
    @MainActor @Test func aNameIsChanged() async throws {
        let store = try FHIRStore(path: ":memory:", release: .r4)
        try await store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "1"
                    $0.name = [HumanName { $0.family = "A" }]
                })
        }
        let patient = try #require(try await store.resource(Patient.self, id: "1"))
        await rename(patient, to: "B", in: store)
        #expect(try await store.resource(Patient.self, id: "1")?.name.first?.family == "B")
    }
}
