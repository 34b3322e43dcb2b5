import FireLite
import FireLiteR4

/// Reading every resource of the commonest type.
struct ScanWorkloads: Workload {
    static let scan = "scan a type"
    static let ranges = "scan a type, floor resource by resource"

    var names: [String] { [Self.scan, Self.ranges] }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.scan) { measurements.append(try scan(bench, Self.scan, byResource: false)) }
        if bench.wants(Self.ranges) { measurements.append(try scan(bench, Self.ranges, byResource: true)) }
        return measurements
    }

    /// The type that most of the resources are of, and their ids in the order in which they are stored.
    static func commonest(_ bench: Bench) throws -> (name: String, type: FHIRResource.Type, ids: [String]) {
        var keys: [String: [ResourceKey]] = [:]
        for key in try ResourceKey.all(bench.corpus) { keys[key.typeName, default: []].append(key) }
        guard let most = keys.max(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) }), let first = most.value.first else {
            throw BenchmarkFailure("no resource of the data has an id")
        }
        return (most.key, first.type, most.value.map(\.id))
    }

    /// - Parameter byResource: whether the floor reads each resource by itself, not each table from beginning to end.
    private func scan(_ bench: Bench, _ name: String, byResource: Bool) throws -> Measurement {
        let (typeName, _, ids) = try Self.commonest(bench)
        let store = try bench.openStore(bench.fixture.path())
        let reader = try FloorReader(bench.fixture.path())
        try reader.prepareLookups([typeName])
        let statements = try reader.scans(of: typeName)
        let roots = ids.map { reader.root(typeName: typeName, id: $0) }
        var count = 0
        var sum = 0
        return try bench.measure(
            name, operations: ids.count,
            subject: { stopwatch in
                (count, sum) = (0, 0)
                try stopwatch.measure {
                    try store.read { transaction in
                        try transaction.forEach(typeName: typeName) { resource in
                            count += 1
                            sum += resource.id?.utf8.count ?? 0
                        }
                    }
                }
            },
            floor: { stopwatch in
                stopwatch.measure {
                    reader.beginRead()
                    if byResource {
                        for root in roots { reader.read(root: root) }
                    } else {
                        for statement in statements { reader.read(statement) }
                    }
                    reader.endRead()
                }
            },
            verify: { count == ids.count && sum == ids.reduce(0) { $0 + $1.utf8.count } && reader.rows > 0 })
    }
}
