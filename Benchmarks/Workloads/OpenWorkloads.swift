import FireLite
import FireLiteR4

/// Opening a file that is there, and beginning to read.
struct OpenWorkloads: Workload {
    static let open = "open an existing file"
    static let wide = "open a file of 300 tables"
    private static let times = 20

    var names: [String] { [Self.open, Self.wide] }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.open) {
            measurements.append(try open(bench, Self.open, bench.fixture.path()))
        }
        if bench.wants(Self.wide), bench.size <= 1_000 || bench.options.sizes.count == 1 {
            let path = bench.scratch.fresh()
            try Self.fill(path, tables: 300)
            measurements.append(try open(bench, Self.wide, path))
            bench.scratch.delete(path)
        }
        return measurements
    }

    private func open(_ bench: Bench, _ name: String, _ path: String) throws -> Measurement {
        var shapes = 0
        var openings = 0
        return try bench.measure(
            name, operations: Self.times,
            subject: { stopwatch in
                for _ in 0..<Self.times { try stopwatch.measure { try bench.openStore(path).read { _ in openings += 1 } } }
            },
            floor: { stopwatch in
                for _ in 0..<Self.times { try stopwatch.measure { shapes += try RawDatabase(path).integer("SELECT count(*) FROM _shape") } }
            },
            verify: {
                let database = try RawDatabase(path)
                let resources = try database.integer("SELECT count(*) FROM _resource")
                return try shapes == openings * database.integer("SELECT count(*) FROM _shape")
                    && bench.openStore(path).counts().reduce(0) { $0 + $1.count } == resources
            })
    }

    /// Fills a file with a resource of each type that has an item in every list, until there are enough tables.
    private static func fill(_ path: String, tables: Int) throws {
        let store = try FHIRStore(path: path, release: .r4)
        for type in FHIRRelease.r4.resourceTypes {
            guard try store.statistics().tables.count < tables else { return }
            let resource = type.init()
            resource.id = "1"
            for element in resource.layout.elements where element.isList && element.kind == .object {
                guard let item = element.type?.init() else { continue }
                item._setString(0, "item")
                resource._setObjects(element.slot, [item])
            }
            try store.write { try $0.add(resource) }
        }
    }
}
