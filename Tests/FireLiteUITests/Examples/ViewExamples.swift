// Compiled on Apple's systems, and by Scripts/check-apple.py with stand-ins.
#if canImport(SwiftUI)
    import FireLiteR4Names
    import FireLiteUI
    import SwiftUI

    // example FireLiteUI.md
    struct PatientList: View {
        @FHIRResults(R4.Patient.self, { $0.sort(\.name.family) }, pageSize: 50, animation: .default) private var patients
        @FHIRValue({ try $0.count(R4.Patient.self) }) private var count

        var body: some View {
            List {
                if case .failed(let error) = $patients.state { Text(error.localizedDescription) }
                ForEach(patients) { patient in
                    Text(patient.name.first?.displayText ?? "–")
                        .onAppear { if patient === patients.last { $patients.loadMore() } }
                }
            }
            .navigationTitle("\(count ?? 0) patients")
            .toolbar { Button("By age") { $patients.query = { $0.sort(\.birthDate) } } }
        }
    }
// end
#endif
