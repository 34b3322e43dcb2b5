import FireLite
import FireLiteR4
import FireLiteRecords

/// What annotations and metadata cost, beside the same work without them.
struct RecordWorkloads: Workload {
    static let create = "create records with annotations, against upserts"
    static let annotated = "fetch records by annotation, against fetches by id"

    var names: [String] { [Self.create, Self.annotated] }

    private static let count = 1_000
    private static let found = 100

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.first }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.create) { measurements.append(try create(bench)) }
        if bench.wants(Self.annotated) { measurements.append(try annotated(bench)) }
        return measurements
    }

    private static func observations() -> [Observation] {
        (0..<count).map { number in
            Observation {
                $0.id = "o\(number)"
                $0.code = CodeableConcept { $0.text = "value \(number)" }
                $0.effectiveDateTime = FHIRDateTime("2024-05-01T10:00:00Z")
            }
        }
    }

    /// One in ten has the annotation that is looked for.
    private static func annotations(_ number: Int) -> [String] { number % 10 == 0 ? ["import", "fitness"] : ["import"] }

    private func create(_ bench: Bench) throws -> Measurement {
        var (path, plainPath) = ("", "")
        var (stored, plain) = (0, 0)
        defer {
            bench.scratch.delete(path)
            bench.scratch.delete(plainPath)
        }
        return try bench.measure(
            Self.create, operations: Self.count,
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = bench.scratch.fresh()
                let store = try bench.openStore(path)
                let observations = Self.observations()
                try stopwatch.measure { _ = try store.records.create(observations, annotations: ["import", "fitness"]) }
                stored = try store.records.count("Observation", annotations: ["fitness"])
            },
            floor: { stopwatch in
                bench.scratch.delete(plainPath)
                plainPath = bench.scratch.fresh()
                let store = try bench.openStore(plainPath)
                let observations = Self.observations()
                try stopwatch.measure { try store.write { tx in _ = try tx.upsert(observations) } }
                plain = try store.count(Observation.self)
            },
            verify: { stored == Self.count && plain == stored })
    }

    private func annotated(_ bench: Bench) throws -> Measurement {
        let path = bench.scratch.fresh()
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path)
        try store.write { _ in
            for (number, observation) in Self.observations().enumerated() {
                try store.records.create(observation, annotations: Self.annotations(number))
            }
        }
        let ids = (0..<Self.found).map { "o\($0 * 10)" }
        var (found, fetched) = (0, 0)
        return try bench.measure(
            Self.annotated, operations: Self.found,
            subject: { stopwatch in
                found = try stopwatch.measure { try store.records.query(Observation.self).annotated("fitness").all().count }
            },
            floor: { stopwatch in fetched = try stopwatch.measure { try store.resources(Observation.self, ids: ids).count } },
            verify: { found == Self.found && fetched == found })
    }
}
