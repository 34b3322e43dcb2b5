#if canImport(SwiftUI)
    import FireLiteR4Names
    import FireLiteUI
    import SwiftUI

    struct PatientListView: View {
        @FHIRResults(R4.Patient.self, { $0.sort(\.name.family) }, pageSize: 50, animation: .default) private var patients
        @FHIRValue({ try $0.query(R4.Patient.self).where { $0.active }.count() }) private var activeCount
        @State private var text = ""

        var body: some View {
            List(patients) { patient in
                Text(patient.name.first?.displayText ?? "–")
            }
            .navigationTitle("\(activeCount ?? 0) active")
            .searchable(text: $text)
            .onChange(of: text) {
                $patients.query = { query in
                    let all = query.sort(\.name.family)
                    return text.isEmpty ? all : all.where { $0.name.family.contains(text) }
                }
            }
        }
    }
#endif
