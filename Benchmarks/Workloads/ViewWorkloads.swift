import FireLite
import FireLiteR4
import FireLiteSearch

/// A flat view of observations as one SQL statement, beside the same view evaluated on their objects.
struct ViewWorkloads: Workload {
    static let observations = "view of 8 columns by SQL, against objects"

    var names: [String] { [Self.observations] }

    private static let paths = [
        "id", "status", "code.coding.first().code", "code.coding.first().display", "subject.getReferenceKey(Patient)",
        "effective.ofType(dateTime)", "value.ofType(Quantity).value", "value.ofType(Quantity).unit",
    ]

    static var view: ViewDefinition {
        let columns = paths.enumerated().map { ViewDefinition.Column(name: "c\($0)", path: $1) }
        return ViewDefinition(resource: "Observation", selects: [ViewDefinition.Select(columns: columns)])
    }

    func run(_ bench: Bench) throws -> [Measurement] {
        guard bench.wants(Self.observations) else { return [] }
        let store = try bench.openStore(bench.fixture.path(), cores: 1)
        let count = try store.count(Observation.self)
        guard count > 0 else { return [] }
        let view = Self.view
        var (bySQL, byObjects) = (0, 0)
        let measurement = try bench.measure(
            Self.observations, operations: count,
            subject: { stopwatch in bySQL = try stopwatch.measure { try Self.digest(view, store, .sql) } },
            floor: { stopwatch in byObjects = try stopwatch.measure { try Self.digest(view, store, .objects) } },
            verify: { bySQL == byObjects })
        return [measurement]
    }

    /// A number that depends on every value.
    static func digest(_ view: ViewDefinition, _ store: FHIRStore, _ backEnd: ViewBackEnd) throws -> Int {
        var digest = 0
        try store.forEachRow(of: view, by: backEnd) { digest = digest &* 31 &+ $0.values.hashValue }
        return digest
    }
}
