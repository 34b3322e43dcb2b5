import FireLite
import FireLiteR4

/// What a list of patients shows. It follows the store; its objects belong to the main actor.
@MainActor
public final class PatientListModel {
    public private(set) var patients: [Patient] = []
    public private(set) var message: String?
    private let store: FHIRStore

    public init(_ store: FHIRStore) { self.store = store }

    /// Follows the active patients until the task ends: `.task { await model.follow() }` in SwiftUI.
    ///
    /// - Parameter shown: called after each update.
    public func follow(shown: @MainActor (PatientListModel) -> Void = { _ in }) async {
        let query = store.query(Patient.self).where { $0.active == true }.sort { $0.birthDate.ascending }
        do {
            for try await patients in query.updates(every: .zero) {
                self.patients = patients
                shown(self)
            }
        } catch is CancellationError {
        } catch {
            message = "\(error)"
        }
    }

    /// Changes an object of the list where it is.
    public func setGender(of patient: Patient, _ gender: AdministrativeGender) throws {
        try store.write { _ in patient.gender = gender }
    }

    /// Adds a patient without blocking the main thread.
    public func add(family: String) async throws {
        // A closure written here belongs to the main actor, and so would a patient made with it.
        try await store.write { tx in
            try tx.add(
                Patient {
                    $0.active = true
                    $0.name = [HumanName { $0.family = family }]
                })
        }
    }
}
