import FireLite
import FireLiteR4

/// The patients of an app. Callers hand objects over and get fresh ones; nothing blocks a thread of Swift's pool.
public actor PatientRepository {
    private let store: FHIRStore
    /// The number of patients that this repository has stored.
    public private(set) var stored = 0

    public init(_ store: FHIRStore) { self.store = store }

    /// Stores a patient that the caller does not use afterwards, and returns the stored one, which is the caller's.
    public func save(_ patient: sending Patient) async throws -> sending Patient {
        let saved = try await store.write { tx in try tx.upsert(patient) }
        stored += 1
        return saved
    }

    /// Stores patients in one write. Nothing is stored if the task is cancelled.
    public func save(_ patients: sending [Patient]) async throws -> Int {
        let count = patients.count
        try await store.write { tx in _ = try tx.upsert(patients) }
        stored += count
        return count
    }

    public func patient(_ id: String) async throws -> sending Patient? { try await store.resource(Patient.self, id: id) }

    /// Changes a patient in one write, whatever others write meanwhile.
    public func rename(_ id: String, to family: String) async throws {
        try await store.write { tx in
            guard let patient = try tx.resource(Patient.self, id: id) else { return }
            patient.name = [HumanName { $0.family = family }]
        }
    }

    /// Gives each patient that meets a condition to `body`, which runs on a thread of the store.
    public func deactivateAll(bornBefore date: QueryDate) async throws -> Int {
        try await store.query(Patient.self).where { $0.birthDate < date }.update { $0.active = false }
    }
}
