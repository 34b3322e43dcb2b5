import FireLite
import FireLiteR4

/// Loading what a query finds, beside loading the same resources by their ids.
struct HitsWorkloads: Workload {
    static let all = "all() of 1,000 hits, against resources(ids:)"
    private static let hits = 1_000

    var names: [String] { [Self.all] }

    /// The hits are of one type, and of 1,000 resources too few are.
    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size > Self.hits || sizes.count == 1 }

    func run(_ bench: Bench) throws -> [Measurement] {
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path)
        switch try bench.mainKeys()[0].typeName {
        case "ExplanationOfBenefit":
            try store.createIndex(ExplanationOfBenefit.self) { $0.created }
            return [try latest(bench, store, store.query(ExplanationOfBenefit.self).sort { $0.created.descending })]
        case "Observation":
            try store.createIndex(Observation.self) { $0.effectiveDateTime }
            return [try latest(bench, store, store.query(Observation.self).sort { $0.effectiveDateTime.descending })]
        default: return []
        }
    }

    /// The latest resources are strewn over the file, and wanted in another order than they have there.
    private func latest<Resource: FHIRResource>(
        _ bench: Bench, _ store: FHIRStore, _ sorted: FHIRQuery<Resource>
    ) throws -> Measurement {
        let query = sorted.limit(Self.hits)
        let ids = try query.ids()
        var found: [Resource] = []
        var expected: [Resource] = []
        return try bench.measure(
            Self.all, operations: ids.count,
            subject: { stopwatch in
                found = []
                try stopwatch.measure { found = try query.all() }
            },
            floor: { stopwatch in
                expected = []
                try stopwatch.measure { expected = try store.resources(Resource.self, ids: ids) }
            },
            verify: {
                let known = Dictionary(try bench.mainKeys().map { ($0.id, $0) }, uniquingKeysWith: { $1 })
                let keys = ids.compactMap { known[$0] }
                return try keys.count == ids.count && ResourceKey.areEqual(found, keys, bench.corpus)
                    && ResourceKey.areEqual(expected, keys, bench.corpus)
            })
    }
}
