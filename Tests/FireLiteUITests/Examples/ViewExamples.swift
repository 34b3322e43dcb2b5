// Compiled on Apple's systems, and by Scripts/check-apple.py with stand-ins.
#if canImport(SwiftUI)
    import FireLiteR4Names
    import FireLiteUI
    import SwiftUI

    // example SwiftUIViews.md
    struct PatientList: View {
        @FHIRResults(R4.Patient.self, where: { $0.active }, sort: \.name.family, pageSize: 50, animation: .default) private var patients
        @FHIRValue({ try $0.query(R4.Patient.self).where { $0.active }.count() }) private var count

        var body: some View {
            List {
                if case .failed(let error) = $patients.state { Text(error.localizedDescription) }
                ForEach(patients) { patient in
                    Text(patient.name.first?.displayText ?? "–")
                        .onAppear { if patient === patients.last { $patients.loadMore() } }
                }
            }
            .navigationTitle("\(count ?? 0) patients")
            .toolbar { Button("By age") { $patients.query = { $0.where { $0.active }.sort(\.birthDate) } } }
        }
    }
    // end

    // example SwiftUIViews.md
    struct PatientScreen: View {
        @FHIRRecord private var patient: R4.Patient?
        @FHIRResults private var observations: [R4.Observation]
        @FHIRValue private var visits: Int?

        init(id: String) {
            _patient = FHIRRecord(R4.Patient.self, id: id)
            _observations = FHIRResults(
                R4.Observation.self, where: { $0.subject.refers(to: R4.Patient.self, id: id) },
                sort: \.effectiveDateTime, order: .reverse, limit: 100)
            _visits = FHIRValue(id: id) { tx in
                try tx.query(R4.Encounter.self).where { $0.subject.refers(to: R4.Patient.self, id: id) }.count()
            }
        }

        var body: some View {
            List {
                Text(patient?.name.first?.displayText ?? "–")
                Text("\(visits ?? 0) visits")
                ForEach(observations) { observation in Text(observation.code?.displayText ?? "–") }
            }
        }
    }
    // end

    // Each form of the initializers.
    private struct EveryForm: View {
        @FHIRResults(R4.Patient.self) private var all
        @FHIRResults(R4.Patient.self, sort: \.birthDate) private var byAge
        @FHIRResults(R4.Patient.self, where: { $0.active }) private var active
        @FHIRResults(R4.Patient.self, where: { $0.active }, sort: { $0.birthDate.descending }) private var activeByAge
        @FHIRResults(R4.Patient.self, where: { $0.gender == .female }, sort: { $0.birthDate.ascending }, limit: 3) private var women
        @FHIRResults(R4.Patient.self, where: { $0.gender == .female && $0.active }, sort: \.birthDate, order: .reverse) private var three
        @FHIRRecord(R4.Patient.self, id: "1") private var patient
        @FHIRRecord(R4.Patient.self, id: "1", animation: .default) private var animatedPatient
        @FHIRValue(id: 1, { try $0.count(R4.Patient.self) }) private var count
        @FHIRValue({ try $0.count(R4.Patient.self) }, animation: .default) private var animatedCount
        @FHIRValue(id: 1, { try $0.count(R4.Patient.self) }, animation: .default) private var animatedCountByID

        var body: some View {
            List {
                Text(patient?.id ?? "\(count ?? 0)")
                Text(animatedPatient?.id ?? "\(animatedCount ?? animatedCountByID ?? 0)")
                ForEach([all, byAge, active, activeByAge, women, three].flatMap { $0 }) { Text($0.id ?? "–") }
            }
        }
    }
#endif
