import FireLite
import FireLiteR4

/// The same work with all resources and with 10,000, in turns: minutes apart, a machine that others use too is another machine.
///
/// Where other measurements have their floor, these have the work with 10,000 resources, so that their ratio is the growth of the cost.
struct GrowthWorkloads: Workload {
    static let base = 10_000
    static let new = UpsertWorkloads.new + ", growth"
    static let byID = FetchWorkloads.byID + ", growth"
    static let objects = QueryWorkloads.objects + ", growth"
    /// The same for the floor of each, which must be known to judge: a larger file is more work for SQLite too.
    static let floors = [byID: byID + " of the floor", objects: objects + " of the floor"]

    var names: [String] { [Self.new, Self.byID, Self.objects] + Self.floors.values.sorted() }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size > Self.base && size == sizes.last }

    /// Work on a store of one size.
    private struct Side {
        /// How many resources one round gets.
        let count: Int
        /// Gets them; returns how many there were.
        let work: () throws -> Int
        /// Reads their rows with the C API.
        let floor: () -> Void
    }

    func run(_ bench: Bench) throws -> [Measurement] {
        let small = bench.sibling(bench.corpus.sample(Self.base))
        defer { small.fixture.delete() }
        var measurements: [Measurement] = []
        func add(_ name: String, _ side: (Bench) throws -> Side) throws {
            let floorName = Self.floors[name] ?? ""
            guard bench.wants(name) || bench.wants(floorName) else { return }
            let (many, few) = try (side(bench), side(small))
            if bench.wants(name) { measurements.append(try compare(bench, name, many, few, \.work)) }
            if bench.wants(floorName) {
                measurements.append(
                    try compare(bench, floorName, many, few) { side in
                        {
                            side.floor()
                            return side.count
                        }
                    })
            }
        }
        try add(Self.byID, fetch)
        try add(Self.objects, objects)
        if bench.wants(Self.new) { measurements.append(try upsert(bench, small)) }
        return measurements
    }

    /// - Parameter work: what of a side is measured; returns how many resources it was about.
    private func compare(
        _ bench: Bench, _ name: String, _ many: Side, _ few: Side, _ work: (Side) -> () throws -> Int
    ) throws -> Measurement {
        let (large, small) = (work(many), work(few))
        var isRight = true
        func measure(_ work: () throws -> Int, _ count: Int, _ stopwatch: Stopwatch) throws {
            // Once before the clock starts: the other side has just had the caches.
            isRight = try work() == count && isRight
            isRight = try stopwatch.measure(work) == count && isRight
        }
        return try bench.measure(
            name, operations: many.count, subject: { try measure(large, many.count, $0) },
            floor: { stopwatch in
                let inner = Stopwatch()
                try measure(small, few.count, inner)
                stopwatch.add(inner.cost * (Double(many.count) / Double(max(few.count, 1))))
            }, verify: { isRight && few.count > 0 })
    }

    private func fetch(_ bench: Bench) throws -> Side {
        let keys = try ResourceKey.sample(bench.corpus, FetchWorkloads.sampleSize)
        let path = try bench.fixture.path()
        let store = try bench.openStore(path)
        let reader = try FloorReader(path, keys: keys)
        return Side(
            count: keys.count,
            work: { try keys.reduce(0) { try $0 + (store.resource(typeName: $1.typeName, id: $1.id) == nil ? 0 : 1) } },
            floor: { reader.readOneByOne() })
    }

    private func objects(_ bench: Bench) throws -> Side {
        let path = try bench.scratch.copy(of: bench.fixture.path())
        let store = try bench.openStore(path)
        try store.createIndex(Observation.self) { $0.subject.reference }
        let (references, total) = try QueryWorkloads.references(path)
        let reader = try FloorReader(path)
        let statement = try reader.prepare(QueryWorkloads.byReference)
        return Side(
            count: total,
            work: {
                try references.reduce(0) { count, reference in
                    try count + store.query(Observation.self).where { $0.subject.reference == reference }.all().count
                }
            },
            floor: {
                for reference in references {
                    reader.transaction { for root in reader.integers(statement, reference) { reader.read(root: root) } }
                }
            })
    }

    private func upsert(_ bench: Bench, _ small: Bench) throws -> Measurement {
        var isRight = true
        func upsert(_ bench: Bench, _ stopwatch: Stopwatch) throws {
            let path = bench.scratch.fresh()
            defer { bench.scratch.delete(path) }
            let outcome = try Fixture.upsertAll(bench.corpus, into: bench.openStore(path), stopwatch)
            isRight = isRight && outcome.added == bench.size
        }
        // Several, as one is so short that the others on the machine make a difference.
        let times = 3
        return try bench.measure(
            Self.new, operations: bench.size, subject: { try upsert(bench, $0) },
            floor: { stopwatch in
                let inner = Stopwatch()
                for _ in 0..<times { try upsert(small, inner) }
                stopwatch.add(inner.cost * (Double(bench.size) / Double(times * small.size)))
            }, verify: { isRight })
    }
}
