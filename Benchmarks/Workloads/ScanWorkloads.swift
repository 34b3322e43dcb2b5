import FireLite
import FireLiteR4

/// Reading every resource of the type that most of the data is of.
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

    /// - Parameter byResource: whether the floor reads each resource by itself, not each table from beginning to end.
    private func scan(_ bench: Bench, _ name: String, byResource: Bool) throws -> Measurement {
        let keys = try bench.mainKeys()
        let typeName = keys[0].typeName
        let store = try bench.openStore(bench.fixture.path())
        let reader = try FloorReader(bench.fixture.path(), keys: keys)
        let statements = try reader.scans(of: [typeName])
        let roots = reader.roots()
        var rounds = 0
        var count = 0
        var sum = 0
        return try bench.measure(
            name, operations: keys.count,
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
                rounds += 1
                stopwatch.measure {
                    reader.transaction {
                        if byResource {
                            for root in roots { reader.read(root: root) }
                        } else {
                            for statement in statements { reader.read(statement) }
                        }
                    }
                }
            },
            verify: {
                // The registry's rows count where they are read by a statement of the scan.
                let rows = try bench.fixture.storedRows().count(of: roots) + (byResource ? 0 : keys.count)
                return try count == keys.count && sum == keys.reduce(0) { $0 + $1.id.utf8.count } && reader.rows == rounds * rows
                    && Self.areEqual(keys, store, bench.corpus)
            })
    }

    /// Whether a scan comes upon the resources that the keys were made from, in their order.
    private static func areEqual(_ keys: [ResourceKey], _ store: FHIRStore, _ corpus: Corpus) throws -> Bool {
        guard let first = keys.first else { return true }
        var index = 0
        var areEqual = true
        try store.read { transaction in
            try transaction.forEach(typeName: first.typeName) { resource in
                if index >= keys.count { areEqual = false }
                if areEqual { areEqual = try resource == corpus.object(keys[index].index) }
                index += 1
            }
        }
        return areEqual && index == keys.count
    }
}
