import FireLite
import FireLiteR4

/// Storing new resources one by one, each in a write of its own.
struct SingleWorkloads: Workload {
    static let durable = "single upsert, durable"
    static let relaxed = "single upsert, relaxed"
    private static let sampleSize = 200

    var names: [String] { [Self.durable, Self.relaxed] }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.durable) { measurements.append(try single(bench, Self.durable, .full, synchronous: "FULL")) }
        if bench.wants(Self.relaxed) { measurements.append(try single(bench, Self.relaxed, .normal, synchronous: "NORMAL")) }
        return measurements
    }

    private func single(_ bench: Bench, _ name: String, _ durability: FHIRStore.Durability, synchronous: String) throws -> Measurement {
        let keys = try ResourceKey.sample(bench.corpus, Self.sampleSize)
        // The file with room for the resources: all tables are there.
        let roomy = try bench.scratch.copy(of: bench.fixture.path())
        try bench.openStore(roomy).write { for key in keys { try $0.delete(typeName: key.typeName, id: key.id) } }
        defer { bench.scratch.delete(roomy) }
        var rows = 0
        var measurement = try bench.measureOnCopies(
            of: roomy, name, operations: keys.count,
            subject: { path, stopwatch in
                let store = try bench.openStore(path, durability: durability)
                let resources = try keys.map { try bench.corpus.object($0.index) }
                rows = 0
                try stopwatch.measure {
                    for resource in resources {
                        rows += try store.write { transaction in
                            let before = transaction.rowsWritten
                            try transaction.upsert(resource)
                            return transaction.rowsWritten - before
                        }
                    }
                }
            },
            floor: { path, changed, stopwatch in
                // The same rows under the same keys, at the end of the tables.
                let writer = try FloorWriter(from: changed, to: path, isFresh: false, synchronous: synchronous)
                try writer.writeEach(FloorReader(changed, keys: keys).roots(), stopwatch)
            },
            verify: { path, floorPath in
                try ContentComparison.areEqual(path, floorPath) && StoreVerification.holds(bench.corpus, bench.openStore(path))
                    && ResourceKey.areEqual(Self.fetch(keys, bench.openStore(path)), keys, bench.corpus)
            })
        measurement.rows = rows
        measurement.transactions = keys.count
        return measurement
    }

    private static func fetch(_ keys: [ResourceKey], _ store: FHIRStore) throws -> [FHIRResource] {
        try keys.compactMap { try store.resource(typeName: $0.typeName, id: $0.id) }
    }
}
