import FireLite
import FireLiteR4

/// Getting resources by their keys: one at a time, hot and from a file just opened, and many at once.
struct FetchWorkloads: Workload {
    static let byID = "fetch one by id"
    static let byPK = "fetch one by pk"
    static let cold = "open, fetch one by id"
    static let many = "fetch many ids"
    private static let sampleSize = 2_000
    private static let coldSize = 50

    var names: [String] { [Self.byID, Self.byPK, Self.cold, Self.many] }

    func run(_ bench: Bench) throws -> [Measurement] {
        let keys = try ResourceKey.sample(bench.corpus, Self.sampleSize)
        var measurements: [Measurement] = []
        if bench.wants(Self.byID) { measurements.append(try byID(bench, keys)) }
        if bench.wants(Self.byPK) { measurements.append(try byPK(bench, keys)) }
        if bench.wants(Self.cold) { measurements.append(try cold(bench, Array(keys.prefix(Self.coldSize)))) }
        if bench.wants(Self.many) { measurements.append(try many(bench)) }
        return measurements
    }

    private func reader(_ bench: Bench, _ keys: [ResourceKey]) throws -> FloorReader {
        let reader = try FloorReader(bench.fixture.path())
        try reader.prepareLookups(Set(keys.map(\.typeName)))
        return reader
    }

    private func byID(_ bench: Bench, _ keys: [ResourceKey]) throws -> Measurement {
        let store = try bench.openStore(bench.fixture.path())
        let reader = try reader(bench, keys)
        var found: [FHIRResource] = []
        return try bench.measure(
            Self.byID, operations: keys.count, repetitions: 5,
            subject: { stopwatch in
                found = []
                found.reserveCapacity(keys.count)
                try stopwatch.measure {
                    for key in keys { if let resource = try store.resource(typeName: key.typeName, id: key.id) { found.append(resource) } }
                }
            },
            floor: { stopwatch in
                stopwatch.measure {
                    for key in keys {
                        reader.beginRead()
                        reader.read(typeName: key.typeName, id: key.id)
                        reader.endRead()
                    }
                }
            },
            verify: { try Self.areEqual(found, bench.corpus, keys) && reader.rows > 0 })
    }

    /// Whether the resources are those that the keys were made from.
    static func areEqual(_ found: [FHIRResource], _ corpus: Corpus, _ keys: [ResourceKey]) throws -> Bool {
        guard found.count == keys.count else { return false }
        let originals = corpus.sample(sampleSize * 2)
        return try zip(found, keys).allSatisfy { resource, key in
            try resource == FHIRJSON.resource(from: originals.json(key.index), release: .r4)
        }
    }

    private func byPK(_ bench: Bench, _ keys: [ResourceKey]) throws -> Measurement {
        let store = try bench.openStore(bench.fixture.path())
        let reader = try reader(bench, keys)
        let pks = try keys.map { try store.resource(typeName: $0.typeName, id: $0.id)?.pk ?? "" }
        let roots = keys.map { reader.root(typeName: $0.typeName, id: $0.id) }
        var found: [FHIRResource] = []
        return try bench.measure(
            Self.byPK, operations: keys.count, repetitions: 5,
            subject: { stopwatch in
                found = []
                found.reserveCapacity(keys.count)
                try stopwatch.measure {
                    for pk in pks { if let resource = try store.read({ try $0.resource(pk: pk) }) { found.append(resource) } }
                }
            },
            floor: { stopwatch in
                stopwatch.measure {
                    for root in roots {
                        reader.beginRead()
                        reader.read(root: root)
                        reader.endRead()
                    }
                }
            },
            verify: { try Self.areEqual(found, bench.corpus, keys) && reader.rows > 0 })
    }

    private func cold(_ bench: Bench, _ keys: [ResourceKey]) throws -> Measurement {
        let path = try bench.fixture.path()
        var found: [FHIRResource] = []
        var rows = 0
        return try bench.measure(
            Self.cold, operations: keys.count, repetitions: 2,
            subject: { stopwatch in
                found = []
                for key in keys {
                    try stopwatch.measure {
                        if let resource = try bench.openStore(path).resource(typeName: key.typeName, id: key.id) { found.append(resource) }
                    }
                }
            },
            floor: { stopwatch in
                for key in keys {
                    try stopwatch.measure { rows += try FloorReader.readOnce(path, typeName: key.typeName, id: key.id) }
                }
            },
            verify: { try Self.areEqual(found, bench.corpus, keys) && rows > 0 })
    }

    private func many(_ bench: Bench) throws -> Measurement {
        let (typeName, type, ids) = try ScanWorkloads.commonest(bench)
        let store = try bench.openStore(bench.fixture.path())
        let reader = try FloorReader(bench.fixture.path())
        try reader.prepareLookups([typeName])
        var random = SeededRandom(seed: 7)
        let wanted = Array(ids.shuffled(using: &random).prefix(10_000))
        var found: [FHIRResource] = []
        return try bench.measure(
            Self.many, operations: wanted.count,
            subject: { stopwatch in
                found = []
                try stopwatch.measure { found = try store.fetchMany(type, ids: wanted) }
            },
            floor: { stopwatch in
                stopwatch.measure {
                    reader.beginRead()
                    for id in wanted { reader.read(typeName: typeName, id: id) }
                    reader.endRead()
                }
            },
            verify: { found.map(\.id) == wanted && reader.rows > 0 })
    }
}

extension FHIRStore {
    /// The resources with these ids of a type that is known at run time only.
    fileprivate func fetchMany<Resource: FHIRResource>(_ type: Resource.Type, ids: [String]) throws -> [FHIRResource] {
        try resources(type, ids: ids)
    }
}
