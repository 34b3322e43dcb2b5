import FireLiteR4
import Testing

@testable import FireLiteUI

@MainActor
struct FormModelTests {
    private let store: FHIRStore

    init() throws {
        store = try FHIRStore(path: ":memory:", release: .r4)
        try store.track(.history)
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "1"
                    $0.gender = .male
                    $0.name = [HumanName { $0.family = "Miller" }]
                })
        }
    }

    private func form() throws -> FormModel<Patient> {
        FormModel(Draft(try #require(try store.read { try $0.resource(Patient.self, id: "1") })), in: store)
    }

    @Test func editsAreValidatedAsTheyAreMade() throws {
        let form = try form()
        #expect(form.issues.isEmpty && !form.canSave)
        form[\.gender] = "sometimes"
        #expect(form.issues(at: "gender").count == 1 && form.issues(at: "gen").isEmpty && !form.canSave)
        form[\.gender] = .female
        #expect(form.issues.isEmpty && form.canSave)
        #expect(form.changes.map(\.path) == ["gender"])
    }

    /// Rules of the app count like FHIR's; what cannot be checked is not saved.
    @Test func rulesOfTheAppAreCheckedToo() async throws {
        struct NoRules: Error {}
        let stored = try #require(try await store.resource(Patient.self, id: "1"))
        let form = FormModel(Draft(stored), in: store) { patient in
            if patient.active == nil { throw NoRules() }
            guard patient.name.isEmpty else { return [] }
            return [FHIRIssue(path: "Patient.name", severity: .error, code: .missing, message: "a name is needed")]
        }
        #expect(form.issues.map(\.code) == [.unchecked])
        form[\.gender] = .other
        #expect(form.hasChanges && !form.canSave)
        form.change { $0.active = true }
        #expect(form.canSave)
        form.change { $0.name = [] }
        #expect(form.issues(at: "name").map(\.message) == ["a name is needed"] && !form.canSave)
        form.undo()
        #expect(await form.save())
    }

    @Test func furtherEditsOfOneElementAreOneStep() throws {
        let form = try form()
        for text in ["J", "Jo", "Jon"] { form[\.name[0].family] = text }
        form[\.gender] = .other
        form.undo()
        #expect(form[\.gender] == .male && form[\.name[0].family] == "Jon")
        form.undo()
        #expect(form[\.name[0].family] == "Miller" && !form.canUndo && form.canRedo && !form.hasChanges)
        form.redo()
        #expect(form[\.name[0].family] == "Jon")
        form.change { $0.active = true }
        #expect(!form.canRedo)
        form.revert()
        #expect(!form.hasChanges)
        form.undo()
        #expect(form[\.active] == true)
    }

    @Test func aConflictShowsBothSidesAndIsDecided() async throws {
        let form = try form()
        form[\.name[0].family] = "Mine"
        form[\.active] = true
        try await store.write { tx in
            let patient = try #require(try tx.resource(Patient.self, id: "1"))
            patient.name[0].family = "Theirs"
        }
        #expect(await !form.save())
        #expect(form.clashes.map(\.path) == ["name[0].family"] && form.error != nil)
        #expect(form.clashes.first?.local == "\"Mine\"" && form.clashes.first?.remote == "\"Theirs\"")
        #expect(form[\.name[0].family] == "Mine" && form.canUndo)
        #expect(await form.save(preferring: .local))
        #expect(form.clashes.isEmpty && form.error == nil && !form.canUndo && !form.hasChanges)
        let stored = try await store.resource(Patient.self, id: "1")
        #expect(stored?.name.first?.family == "Mine" && stored?.active == true)
    }

    // MARK: - Undo over the history

    @Test func stepsAreTakenBackAndMadeAgain() throws {
        let undo = HistoryUndo(store)
        func family() throws -> String? { try store.read { try $0.resource(Patient.self, id: "1")?.name.first?.family } }
        try undo.perform("Rename", on: [("Patient", "1")]) { tx in

            let patient = try #require(try tx.resource(Patient.self, id: "1"))
            patient.name[0].family = "New"
        }
        try undo.perform("Delete", on: [("Patient", "1")]) { tx in _ = try tx.delete(Patient.self, id: "1") }
        #expect(try family() == nil && undo.undoName == "Delete")
        try undo.undo()
        #expect(try family() == "New" && undo.redoName == "Delete")
        try undo.undo()
        #expect(try family() == "Miller" && undo.undoName == nil)
        try undo.redo()
        #expect(try family() == "New")
        try undo.redo()
        #expect(try family() == nil)
        try undo.undo()
        try undo.undo()
        #expect(try family() == "Miller")
    }

    @Test func whatOthersChangedSinceIsNotOverwritten() throws {
        let undo = HistoryUndo(store)
        try undo.perform("Rename", on: [("Patient", "1")]) { tx in
            let patient = try #require(try tx.resource(Patient.self, id: "1"))
            patient.active = true
        }
        try store.write { tx in
            let patient = try #require(try tx.resource(Patient.self, id: "1"))
            patient.gender = .other
        }
        #expect(throws: FHIRStoreError.self) { try undo.undo() }
        #expect(undo.undoName == "Rename")
        #expect(try store.read { try $0.resource(Patient.self, id: "1")?.gender } == .other)
    }

    @Test func aDroppedStepLeavesTheOneBeforeIt() throws {
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "2"
                    $0.gender = .female
                })
        }
        let undo = HistoryUndo(store)
        for (name, id) in [("First", "2"), ("Second", "1")] {
            try undo.perform(name, on: [("Patient", id)]) { tx in
                let patient = try #require(try tx.resource(Patient.self, id: id))
                patient.active = true
            }
        }
        try store.write { tx in
            let patient = try #require(try tx.resource(Patient.self, id: "1"))
            patient.gender = .other
        }
        #expect(throws: FHIRStoreError.self) { try undo.undo() }
        undo.drop(isUndo: true)
        #expect(undo.undoName == "First" && undo.redoName == nil)
        try undo.undo()
        #expect(try store.read { try $0.resource(Patient.self, id: "2")?.active } == nil)
        undo.drop(isUndo: false)
        #expect(undo.undoName == nil && undo.redoName == nil)
        // There is nothing left to drop.
        undo.drop(isUndo: true)
        #expect(undo.undoName == nil)
    }
}
