import FireLite
import FireLiteR4
import FireLiteSynthetic
import Foundation

/// `firelite demo`: a tour of the store in a minute, with synthetic data.
struct DemoCommand: Command {
    private static let defaultPath = "firelite-demo.sqlite"
    private static let batch = 1_000
    private static let jsonWidth = 78

    static let definition = CommandDefinition(
        name: "demo", summary: "store synthetic resources, show them as tables, find and change them",
        options: [
            .option("database", "FILE", kind: .file, "the file to create (default: \(defaultPath), which is replaced)"),
            .option("patients", "N", "the number of patients (default: 100)"),
            .option("seed", "N", "the seed of the data (default: 1)"),
        ],
        operands: "", operandCount: 0...0,
        discussion: """
            The same seed gives the same resources. The file is kept; you can open it with any SQLite client.
            """)

    private let database: DatabaseArgument
    private let isDefaultPath: Bool
    private let patients: SyntheticPatients

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments, path: Self.defaultPath, release: .r4)
        isDefaultPath = !arguments.has("database")
        patients = SyntheticPatients(
            count: try arguments.number("patients", in: 1...1_000_000) ?? 100,
            seed: UInt64(try arguments.number("seed", in: 0...Int.max) ?? 1))
    }

    func run(_ console: Console) throws -> ExitStatus {
        try makeRoom()
        let store = try database.create()
        try database.located {
            let shown = try fill(store, console)
            try show(shown, store, console)
            try find(shown, store, console)
            try change(shown, store, console)
            try finish(store, console)
        }
        return .done
    }

    /// Replaces the demo's own file, and no other.
    private func makeRoom() throws {
        guard FileManager.default.fileExists(atPath: database.path) else { return }
        guard isDefaultPath else { throw ToolError.usage("\(database.path) exists already: name a new file") }
        for suffix in ["", "-wal", "-shm"] { unlink(database.path + suffix) }
    }

    // MARK: - Steps

    /// Makes and stores the resources, and returns the patient to show.
    private func fill(_ store: FHIRStore, _ console: Console) throws -> Patient {
        let clock = ContinuousClock()
        var resources: [FHIRResource] = []
        let making = clock.measure { resources = Array(patients) }
        var types: [String: Int] = [:]
        for resource in resources { types[resource.resourceType, default: 0] += 1 }
        try console.print("Made \(Figures.count(resources.count)) resources of \(types.count) types in \(Self.time(making)):")
        let sorted = types.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        try console.print("  " + sorted.map { "\(Figures.count($0.value)) \($0.key)" }.joined(separator: ", "))
        let storing = try clock.measure {
            try store.write { transaction in
                for start in stride(from: 0, to: resources.count, by: Self.batch) {
                    try transaction.upsert(Array(resources[start..<min(start + Self.batch, resources.count)]))
                }
            }
        }
        try console.print("Stored them in \(database.path) in \(Self.time(storing)), \(Self.rate(resources.count, storing)).")
        let all = resources.compactMap { $0 as? Patient }
        return all.first { $0.name.count > 1 } ?? all[0]
    }

    private func show(_ patient: Patient, _ store: FHIRStore, _ console: Console) throws {
        let rows = try store.read { transaction in try transaction.rows(of: patient) }
        let json = FoldedJSON.lines(FHIRJSON.string(patient), width: Self.jsonWidth)
        try console.print("\nOne object and its \(rows.count) rows:\n")
        for line in SideBySide.lines(json, RowTables.lines(rows), width: console.width) { try console.print(line) }
    }

    private func find(_ patient: Patient, _ store: FHIRStore, _ console: Console) throws {
        let condition = "name.given=\(patient.name[0].given[0])"
        let request = FindRequest(layout: Patient._layout, conditions: [condition])
        var found: [Patient] = []
        let time = try ContinuousClock().measure { found = try FindScan(request).resources(store).compactMap { $0 as? Patient } }
        try console.print("\nPatients with \(condition): \(found.count) of \(patients.count), in \(Self.time(time)).\n")
        var table = TextTable([.left, .left, .left])
        for patient in found.prefix(5) {
            let name = patient.name.first
            table.add(
                "  " + (patient.id ?? ""), ((name?.given ?? []) + [name?.family ?? ""]).joined(separator: " "),
                patient.birthDate?.literal ?? "")
        }
        if found.count > 5 { table.add("  …") }
        try console.print(table.text)
    }

    /// Stores all patients again, of which one has changed and one is new.
    private func change(_ patient: Patient, _ store: FHIRStore, _ console: Console) throws {
        var incoming: [Patient] = []
        for case let other as Patient in patients where other.id != patient.id { incoming.append(other) }
        let changed = patient.copy()
        changed.name.append(HumanName { $0.text = "Joe" })
        incoming += [changed, Patient { $0.id = "demo-newcomer" }]
        let clock = ContinuousClock()
        let start = clock.now
        let result = try store.write { transaction in try transaction.upsert(incoming) }
        let time = start.duration(to: clock.now)
        try console.print(
            "\nStored \(incoming.count) patients again, one changed and one new, in \(Self.time(time)): "
                + "added \(result.added), updated \(result.updated), unchanged \(result.unchanged).")
    }

    private func finish(_ store: FHIRStore, _ console: Console) throws {
        let faults = try store.check()
        let bytes = try store.statistics().fileBytes
        try console.print("\nThe file is \(faults.isEmpty ? "sound" : "not sound") and \(Figures.bytes(bytes)) large. Look at it:\n")
        let query = "SELECT family, count(*) FROM Patient_name GROUP BY family ORDER BY 2 DESC LIMIT 5"
        try console.print("  sqlite3 -box \(database.path) '\(query)'")
        try console.print("  firelite info --database \(database.path)")
    }

    // MARK: - Texts

    private static func time(_ duration: Swift.Duration) -> String {
        duration.seconds < 1 ? String(format: "%.1f ms", duration.milliseconds) : "\(Figures.seconds(duration)) s"
    }

    private static func rate(_ count: Int, _ duration: Swift.Duration) -> String {
        "\(Figures.count(Int(Double(count) / max(duration.seconds, 1e-6)))) a second"
    }
}
