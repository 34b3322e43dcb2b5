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
        let originals = bench.corpus.sample(Self.sampleSize * 2)
        // The file with room for the resources: all tables are there.
        let roomy = try bench.scratch.copy(of: bench.fixture.path())
        let reader = try FloorReader(bench.fixture.path())
        try reader.prepareLookups(Set(keys.map(\.typeName)))
        let roots = keys.map { reader.root(typeName: $0.typeName, id: $0.id) }
        try bench.openStore(roomy).write { for key in keys { try $0.delete(typeName: key.typeName, id: key.id) } }
        var path = ""
        var floorPath = ""
        defer { for path in [roomy, path, floorPath] { bench.scratch.delete(path) } }
        return try bench.measure(
            name, operations: keys.count, repetitions: min(bench.repetitions, 3),
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = try bench.scratch.copy(of: roomy)
                let store = try bench.openStore(path, durability: durability)
                let resources = try keys.map { try FHIRJSON.resource(from: originals.json($0.index), release: .r4) }
                try stopwatch.measure { for resource in resources { try store.write { try $0.upsert(resource) } } }
            },
            floor: { stopwatch in
                bench.scratch.delete(floorPath)
                floorPath = try bench.scratch.copy(of: roomy)
                var writer = try FloorWriter(from: bench.fixture.path(), to: floorPath, isFresh: false, synchronous: synchronous)
                try writer.writeEach(roots, stopwatch)
            },
            verify: {
                try ContentComparison.areEqual(bench.fixture.path(), floorPath)
                    && StoreVerification.holds(bench.corpus, bench.openStore(path))
            })
    }
}
