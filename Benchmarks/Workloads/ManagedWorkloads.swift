import FireLite
import FireLiteR4

/// Fetching resources in a write, giving them new content, and leaving the saving to the write.
struct ManagedWorkloads: Workload {
    static let populate = "fetch, populate, save"
    private static let sampleSize = 2_000

    var names: [String] { [Self.populate] }

    func run(_ bench: Bench) throws -> [Measurement] {
        let keys = try ResourceKey.sample(bench.corpus, min(Self.sampleSize, bench.size / 2))
        let sources = try keys.map { key in
            let source = try bench.corpus.object(key.index)
            FieldChange.apply(to: source)
            return source
        }
        var rows = 0
        var measurement = try bench.measureOnCopies(
            of: bench.fixture.path(), Self.populate, operations: keys.count,
            subject: { path, stopwatch in
                let store = try bench.openStore(path)
                rows = try stopwatch.measure { try Self.populate(keys, sources, store) }
            },
            floor: { path, changed, stopwatch in
                let reader = try FloorReader(path, keys: keys, cacheMB: 64)
                stopwatch.measure { reader.readAll() }
                try FloorUpdater(after: changed, target: reader.database).run(keys: [], stopwatch)
            },
            verify: { path, floorPath in
                let store = try bench.openStore(path)
                return try ContentComparison.areEqual(path, floorPath)
                    && zip(keys, sources).allSatisfy { try store.resource(typeName: $0.typeName, id: $0.id) == $1 }
            })
        measurement.rows = rows
        return [measurement]
    }

    private static func populate(_ keys: [ResourceKey], _ sources: [FHIRResource], _ store: FHIRStore) throws -> Int {
        try store.write { transaction in
            let before = transaction.rowsWritten
            for (key, source) in zip(keys, sources) {
                try transaction.resource(typeName: key.typeName, id: key.id)?.populate(from: source)
            }
            try transaction.saveChanges()
            return transaction.rowsWritten - before
        }
    }
}
