import FireLite
import FireLiteR4

/// Two threads that read by id while another one writes all the time.
struct ConcurrencyWorkloads: Workload {
    static let beside = "fetch one by id, 2 readers beside a writer"
    private static let sampleSize = 2_000
    private static let readers = 2
    private static let batchSize = 200

    var names: [String] { [Self.beside] }

    func run(_ bench: Bench) throws -> [Measurement] {
        let keys = try ResourceKey.sample(bench.corpus, Self.sampleSize)
        let middle = keys.count / Self.readers
        let parts = [Array(keys[..<middle]), Array(keys[middle...])]
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path, durability: .normal)
        // Connections stay open, as those of the store do.
        let readers = try parts.map { try FloorReader(path, keys: $0) }
        let batch = bench.corpus.sample(Self.batchSize)
        var found: [[FHIRResource]] = []
        var rounds = 0
        var writes = 0
        return [
            try bench.measure(
                Self.beside, operations: keys.count,
                subject: { stopwatch in
                    let writer = BusyWriter(store, batch)
                    found = try BusyReaders.run(parts, stopwatch) { keys in
                        try keys.compactMap { try store.resource(typeName: $0.typeName, id: $0.id) }
                    }
                    writes += try writer.stop()
                },
                floor: { stopwatch in
                    let writer = BusyWriter(store, batch)
                    _ = try BusyReaders.run(readers, stopwatch) { $0.readOneByOne() }
                    rounds += 1
                    writes += try writer.stop()
                },
                verify: {
                    // The change takes the place of a value, or adds one to the resource's own row: rows stay as many.
                    let rows = try bench.fixture.storedRows().count(of: readers.flatMap { $0.roots() })
                    return try writes > 0 && readers.reduce(0) { $0 + $1.rows } == rounds * rows
                        && areRight(found.flatMap { $0 }, keys, bench.corpus)
                })
        ]
    }

    /// Whether each resource is as it was, or as the writer changes it.
    private func areRight(_ found: [FHIRResource], _ keys: [ResourceKey], _ corpus: Corpus) throws -> Bool {
        guard found.count == keys.count else { return false }
        return try zip(found, keys).allSatisfy { resource, key in
            let original = try corpus.object(key.index)
            if resource == original { return true }
            FieldChange.apply(to: original)
            return resource == original
        }
    }
}
