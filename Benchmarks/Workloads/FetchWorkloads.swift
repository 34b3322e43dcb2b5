import FireLite
import FireLiteR4

/// Getting resources by their keys: one at a time, hot and from a file just opened, and many at once.
struct FetchWorkloads: Workload {
    static let byID = "fetch one by id"
    static let again = "fetch one by id, of a hundred"
    static let byPK = "fetch one by pk"
    static let cold = "open, fetch one by id"
    static let coldPK = "open, fetch one by pk"
    static let many = "fetch many ids"
    static let sampleSize = 2_000
    private static let fewAgain = 100
    private static let coldSize = 50
    private static let manySize = 10_000

    var names: [String] { [Self.byID, Self.again, Self.byPK, Self.cold, Self.coldPK, Self.many] }

    func run(_ bench: Bench) throws -> [Measurement] {
        let keys = try ResourceKey.sample(bench.corpus, Self.sampleSize)
        let few = Array(keys.prefix(Self.coldSize))
        var measurements: [Measurement] = []
        if bench.wants(Self.byID) { measurements.append(try byID(bench, Self.byID, keys)) }
        if bench.wants(Self.again) {
            // As often as the others together, so that their pages and rows are at hand.
            let again = (0..<Self.sampleSize / Self.fewAgain).flatMap { _ in keys.prefix(Self.fewAgain) }
            measurements.append(try byID(bench, Self.again, again))
        }
        if bench.wants(Self.byPK) { measurements.append(try byPK(bench, keys)) }
        if bench.wants(Self.cold) { measurements.append(try cold(bench, few)) }
        if bench.wants(Self.coldPK) { measurements.append(try coldPK(bench, few)) }
        if bench.wants(Self.many) { measurements.append(try many(bench)) }
        return measurements
    }

    // MARK: - Hot

    private func byID(_ bench: Bench, _ name: String, _ keys: [ResourceKey]) throws -> Measurement {
        let store = try bench.openStore(bench.fixture.path())
        let reader = try FloorReader(bench.fixture.path(), keys: keys)
        return try oneByOne(
            bench, name, keys, reader, fetch: { try store.resource(typeName: keys[$0].typeName, id: keys[$0].id) },
            floor: { reader.readOneByOne() })
    }

    private func byPK(_ bench: Bench, _ keys: [ResourceKey]) throws -> Measurement {
        let store = try bench.openStore(bench.fixture.path())
        let reader = try FloorReader(bench.fixture.path(), keys: keys)
        let pks = try Self.pks(keys, store)
        // A pk that the store gave stands for the number of the resource: the floor begins with that.
        let roots = reader.roots()
        return try oneByOne(
            bench, Self.byPK, keys, reader, fetch: { index in try store.read { try $0.resource(pk: pks[index]) } },
            floor: { for root in roots { reader.transaction { reader.read(root: root) } } })
    }

    /// - Parameters:
    ///   - fetch: gets the resource with this number among the keys.
    ///   - floor: reads the rows of all of them.
    private func oneByOne(
        _ bench: Bench, _ name: String, _ keys: [ResourceKey], _ reader: FloorReader, fetch: (Int) throws -> FHIRResource?,
        floor: @escaping () -> Void
    ) throws -> Measurement {
        var rounds = 0
        var count = 0
        return try bench.measure(
            name, operations: keys.count,
            subject: { stopwatch in
                // Each is freed at once, inside the clocks: who fetches one by one has not thousands in memory.
                try stopwatch.measure {
                    for index in keys.indices { if try fetch(index) != nil { count += 1 } }
                }
            },
            floor: { stopwatch in
                rounds += 1
                stopwatch.measure { floor() }
            },
            verify: {
                try count == rounds * keys.count && ResourceKey.areEqual(keys.indices.compactMap(fetch), keys, bench.corpus)
                    && isRight(reader, rounds, bench, keys)
            })
    }

    private static func pks(_ keys: [ResourceKey], _ store: FHIRStore) throws -> [String] {
        try keys.map { try store.resource(typeName: $0.typeName, id: $0.id)?.pk ?? "" }
    }

    private func many(_ bench: Bench) throws -> Measurement {
        var random = SeededRandom(seed: 7)
        let keys = Array(try bench.mainKeys().shuffled(using: &random).prefix(Self.manySize))
        let ids = keys.map(\.id)
        let store = try bench.openStore(bench.fixture.path())
        let reader = try FloorReader(bench.fixture.path(), keys: keys)
        var rounds = 0
        var found: [FHIRResource] = []
        return try bench.measure(
            Self.many, operations: keys.count,
            subject: { stopwatch in
                found = []
                try stopwatch.measure { found = try store.fetchMany(keys[0].type, ids: ids) }
            },
            floor: { stopwatch in
                rounds += 1
                stopwatch.measure { reader.readAllInFileOrder() }
            },
            verify: { try ResourceKey.areEqual(found, keys, bench.corpus) && isRight(reader, rounds, bench, keys) })
    }

    /// Whether the floor has read all rows of the resources each time.
    private func isRight(_ reader: FloorReader, _ rounds: Int, _ bench: Bench, _ keys: [ResourceKey]) throws -> Bool {
        try reader.rows == rounds * bench.fixture.storedRows().count(of: reader.roots()) && reader.registrations == rounds * keys.count
    }

    // MARK: - Cold

    private func cold(_ bench: Bench, _ keys: [ResourceKey]) throws -> Measurement {
        let path = try bench.fixture.path()
        return try cold(
            bench, Self.cold, keys,
            fetch: { try bench.openStore(path).resource(typeName: keys[$0].typeName, id: keys[$0].id) },
            floor: { try ColdFloor.read(path, typeName: keys[$0].typeName, id: keys[$0].id) })
    }

    private func coldPK(_ bench: Bench, _ keys: [ResourceKey]) throws -> Measurement {
        let path = try bench.fixture.path()
        let pks = try Self.pks(keys, bench.openStore(path))
        let roots = try FloorReader(path, keys: keys).roots()
        return try cold(
            bench, Self.coldPK, keys,
            fetch: { index in try bench.openStore(path).read { try $0.resource(pk: pks[index]) } },
            floor: { try ColdFloor.read(path, root: roots[$0]) })
    }

    /// - Parameters:
    ///   - fetch: opens a store, and gets the resource with this number among the keys.
    ///   - floor: the same with the C API; returns how many rows it read.
    private func cold(
        _ bench: Bench, _ name: String, _ keys: [ResourceKey], fetch: (Int) throws -> FHIRResource?,
        floor: @escaping (Int) throws -> Int
    ) throws -> Measurement {
        var found: [FHIRResource] = []
        var rows = 0
        return try bench.measure(
            name, operations: keys.count,
            subject: { stopwatch in
                found = []
                for index in keys.indices { try stopwatch.measure { if let resource = try fetch(index) { found.append(resource) } } }
            },
            floor: { stopwatch in
                rows = 0
                for index in keys.indices { try stopwatch.measure { rows += try floor(index) } }
            },
            verify: {
                let roots = try FloorReader(bench.fixture.path(), keys: keys).roots()
                return try ResourceKey.areEqual(found, keys, bench.corpus) && rows == bench.fixture.storedRows().count(of: roots)
            })
    }
}

extension FHIRStore {
    /// The resources with these ids of a type that is known at run time only.
    fileprivate func fetchMany<Resource: FHIRResource>(_ type: Resource.Type, ids: [String]) throws -> [FHIRResource] {
        try resources(type, ids: ids)
    }
}
