import FireLiteClient
import FireLiteR4Names
import FireLiteSync
import FireLiteUI
import Observation

/// A screen that edits one patient and sends the changes to a FHIR server. It needs no SwiftUI, so it is tested on Linux too.
///
/// FHIR's types come from `FireLiteR4Names`, as `R4.Patient`: `Task` and `Observation` are Swift's own here.
@MainActor @Observable
public final class PatientEditor {
    /// What the fields show and change.
    public let form: FormModel<R4.Patient>
    /// Why the server does not have the changes yet; nil if it has.
    public private(set) var syncError: (any Error)?
    @ObservationIgnored private let synchronizer: Synchronizer

    /// Fetches the patient from the server, and opens a form for it.
    ///
    /// - Throws: `FHIRClientError`, `SyncError`, `FHIRStoreError`; ``Missing`` if neither the server nor the store has the patient.
    public init(id: String, in store: FHIRStore, _ client: FHIRClient) async throws {
        synchronizer = Synchronizer(store, client, scope: .types("Patient"))
        try await synchronizer.sync()
        guard let patient = try await store.resource(R4.Patient.self, id: id) else { throw Missing() }
        form = FormModel(Draft(patient), in: store)
    }

    /// There is no such patient.
    public struct Missing: Error {}

    /// Saves the form and sends what the store has changed. Without a connection the changes stay in the store and go with the next call.
    ///
    /// - Parameter side: whose value an element gets that somebody else has changed meanwhile.
    /// - Returns: whether the form was saved; ``FormModel/clashes`` has the elements that need a decision.
    @discardableResult
    public func save(preferring side: ThreeWayMerge.Side? = nil) async -> Bool {
        // What the server has by now, so that a conflict shows while the form is open.
        await sync()
        if form.hasChanges {
            guard await form.save(preferring: side) else { return false }
            await sync()
        }
        return true
    }

    private func sync() async {
        do {
            try await synchronizer.sync()
            syncError = nil
        } catch { syncError = error }
    }
}

// Key paths of a form may lead to properties of your own, here to the first of elements that repeat.

extension R4.Patient {
    /// The family name of the first name.
    public var familyName: String? {
        get { name.first?.family }
        set {
            if name.isEmpty { name = [R4.HumanName()] }
            name[0].family = newValue
        }
    }

    /// The city of the first address.
    public var city: String? {
        get { address.first?.city }
        set {
            if address.isEmpty { address = [R4.Address()] }
            address[0].city = newValue
        }
    }
}
