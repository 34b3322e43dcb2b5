import FireLite
import FireLiteR4Names
import Observation

/// Waits until `value` is true of what it reads, whenever that changes.
@MainActor func untilTrue(_ value: @escaping @MainActor () -> Bool) async {
    let (changes, changed) = AsyncStream<Void>.makeStream()
    var iterator = changes.makeAsyncIterator()
    while !withObservationTracking(value, onChange: { changed.yield() }) { await iterator.next() }
}

// The editing of the views below, which runs without SwiftUI: see LiveExamples.
// example LiveResults.md
extension LiveResource<R4.Patient> {
    func toggleActive(in store: FHIRStore) throws {
        guard let patient = resource else { return }
        try store.write { _ in patient.active = patient.active != true }
    }
}
// end

#if canImport(SwiftUI)
    import SwiftUI

    // example LiveResults.md
    struct PatientList: View {
        let store: FHIRStore
        let patients: LiveQuery<R4.Patient>

        var body: some View {
            List(patients.results) { patient in
                NavigationLink(patient.name.first?.family ?? "–") {
                    PatientDetail(store: store, id: patient.id ?? "")
                }
                .onAppear { if patient === patients.results.last { patients.loadMore() } }
            }
            .overlay { if patients.isLoading { ProgressView() } }
        }
    }

    struct PatientDetail: View {
        let store: FHIRStore
        let id: String
        @State private var patient: LiveResource<R4.Patient>?
        @State private var message = ""

        var body: some View {
            Form {
                Text(patient?.resource?.name.first?.family ?? "–")
                Button(patient?.resource?.active == true ? "Deactivate" : "Activate") {
                    do { try patient?.toggleActive(in: store) } catch { message = error.localizedDescription }
                }
                Text(message)
            }
            .onAppear { patient = LiveResource(R4.Patient.self, id: id, in: store) }
        }
    }
// end
#endif
