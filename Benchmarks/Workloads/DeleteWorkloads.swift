import FireLite
import FireLiteR4

/// Deleting one resource a commit, a tenth of all in one write, and all.
struct DeleteWorkloads: Workload {
    static let one = "delete one"
    static let many = "delete many"
    static let all = "delete all"

    var names: [String] { [Self.one, Self.many, Self.all] }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.one) {
            measurements.append(try delete(bench, Self.one, ResourceKey.sample(bench.corpus, 100), isOneByOne: true))
        }
        if bench.wants(Self.many) {
            let keys = try ResourceKey.sample(bench.corpus, max(bench.size / 10, 500))
            measurements.append(try delete(bench, Self.many, keys, isOneByOne: false))
        }
        if bench.wants(Self.all) { measurements.append(try delete(bench, Self.all, bench.keys(), isOneByOne: false)) }
        return measurements
    }

    private func delete(_ bench: Bench, _ name: String, _ keys: [ResourceKey], isOneByOne: Bool) throws -> Measurement {
        var rows = 0
        var measurement = try bench.measureOnCopies(
            of: bench.fixture.path(), name, operations: keys.count,
            subject: { path, stopwatch in
                let store = try bench.openStore(path)
                rows = try stopwatch.measure { try Self.delete(keys, store, isOneByOne) }
            },
            floor: { path, _, stopwatch in
                let deleter = try FloorDeleter(path, keys: keys)
                stopwatch.measure { deleter.deleteAll(isOneByOne: isOneByOne) }
            },
            verify: { path, floorPath in
                let left = try RawDatabase(path).integer("SELECT count(*) FROM _resource")
                return try left == bench.size - keys.count && ContentComparison.areEqual(path, floorPath)
            })
        measurement.rows = rows
        measurement.transactions = isOneByOne ? keys.count : 1
        return measurement
    }

    /// - Returns: how many rows that deleted.
    private static func delete(_ keys: [ResourceKey], _ store: FHIRStore, _ isOneByOne: Bool) throws -> Int {
        func delete(_ keys: some Sequence<ResourceKey>) throws -> Int {
            try store.write { transaction in
                let before = transaction.rowsWritten
                for key in keys { try transaction.delete(typeName: key.typeName, id: key.id) }
                return transaction.rowsWritten - before
            }
        }
        return isOneByOne ? try keys.reduce(0) { try $0 + delete(CollectionOfOne($1)) } : try delete(keys)
    }
}
