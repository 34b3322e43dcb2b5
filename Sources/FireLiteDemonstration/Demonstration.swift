import FireLite
import FireLiteR4
import FireLiteSynthetic
import FireLiteTerminal
import Foundation

/// A tour of the store in a minute, with synthetic data: stores resources, shows one as its rows, finds some, and changes one.
package struct Demonstration {
    private static let batch = 1_000
    private static let jsonWidth = 78

    private let store: FHIRStore
    private let path: String
    private let patients: SyntheticPatients
    private let width: Int
    private let print: (String) throws -> Void

    /// - Parameters:
    ///   - store: an empty store of R4.
    ///   - path: the path of its file, for the texts.
    ///   - width: how many columns a line of the output has.
    ///   - print: writes a text that ends with its line.
    package init(store: FHIRStore, path: String, patients: SyntheticPatients, width: Int, print: @escaping (String) throws -> Void) {
        self.store = store
        self.path = path
        self.patients = patients
        self.width = width
        self.print = print
    }

    package func run() throws {
        let shown = try fill()
        try show(shown)
        try find(shown)
        try change(shown)
        try finish()
    }

    // MARK: - Steps

    /// Makes and stores the resources, and returns the patient to show.
    private func fill() throws -> Patient {
        let clock = ContinuousClock()
        var resources: [FHIRResource] = []
        let making = clock.measure { resources = Array(patients) }
        var types: [String: Int] = [:]
        for resource in resources { types[resource.resourceType, default: 0] += 1 }
        try print("Made \(Figures.count(resources.count, "resource")) of \(Figures.count(types.count, "type")) in \(Self.time(making)):")
        let sorted = types.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        try print("  " + sorted.map { "\(Figures.count($0.value)) \($0.key)" }.joined(separator: ", "))
        let storing = try clock.measure {
            try store.write { transaction in
                for start in stride(from: 0, to: resources.count, by: Self.batch) {
                    try transaction.upsert(Array(resources[start..<min(start + Self.batch, resources.count)]))
                }
            }
        }
        try print("Stored them in \(path) in \(Self.time(storing)), \(Self.rate(resources.count, storing)).")
        let all = resources.compactMap { $0 as? Patient }
        return all.first { $0.name.count > 1 } ?? all[0]
    }

    private func show(_ patient: Patient) throws {
        let rows = try store.read { transaction in try transaction.rows(of: patient) }
        let json = FoldedJSON.lines(FHIRJSON.string(patient), width: Self.jsonWidth)
        try print("\nOne object and its \(rows.count) rows:\n")
        for line in SideBySide.lines(json, RowTables.lines(rows), width: width) { try print(line) }
    }

    private func find(_ patient: Patient) throws {
        let given = patient.name[0].given[0]
        var found: [Patient] = []
        let time = try ContinuousClock().measure { found = try store.query(Patient.self).where { $0.name.given == given }.all() }
        try print("\nPatients with the name \(given): \(found.count) of \(patients.count), in \(Self.time(time)).\n")
        var table = TextTable([.left, .left, .left])
        for patient in found.prefix(5) {
            let name = patient.name.first
            table.add(
                "  " + (patient.id ?? ""), ((name?.given ?? []) + [name?.family ?? ""]).joined(separator: " "),
                patient.birthDate?.literal ?? "")
        }
        if found.count > 5 { table.add("  …") }
        try print(table.text)
    }

    /// Stores all patients again, of which one has changed and one is new.
    private func change(_ patient: Patient) throws {
        var incoming: [Patient] = []
        for case let other as Patient in patients where other.id != patient.id { incoming.append(other) }
        let changed = patient.copy()
        changed.name.append(HumanName { $0.text = "Joe" })
        incoming += [changed, Patient { $0.id = "demo-newcomer" }]
        let clock = ContinuousClock()
        let start = clock.now
        let result = try store.write { transaction in try transaction.upsert(incoming) }
        let time = start.duration(to: clock.now)
        try print(
            "\nStored \(Figures.count(incoming.count, "patient")) again, one changed and one new, in \(Self.time(time)): "
                + "added \(result.added), updated \(result.updated), unchanged \(result.unchanged).")
    }

    private func finish() throws {
        let faults = try store.check()
        let bytes = try store.statistics().fileBytes
        try print("\nThe file is \(faults.isEmpty ? "sound" : "not sound") and \(Figures.bytes(bytes)) large. Look at it:\n")
        let query = "SELECT family, count(*) FROM Patient_name GROUP BY family ORDER BY 2 DESC LIMIT 5"
        try print("  sqlite3 -box \(path) '\(query)'")
        try print("  firelite info --database \(path)")
    }

    // MARK: - Texts

    private static func time(_ duration: Swift.Duration) -> String {
        duration.seconds < 1 ? String(format: "%.1f ms", duration.milliseconds) : "\(Figures.seconds(duration)) s"
    }

    private static func rate(_ count: Int, _ duration: Swift.Duration) -> String {
        "\(Figures.count(Int(Double(count) / max(duration.seconds, 1e-6)))) a second"
    }
}
