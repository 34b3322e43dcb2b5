import FireLite
import FireLiteR4

/// What the change log costs, beside the same work without it.
struct TrackingWorkloads: Workload {
    static let new = "bulk upsert, new, with change log, against without"
    static let changed = "bulk upsert, one field changed, with change log, against without"

    var names: [String] { [Self.new, Self.changed] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.new) { measurements.append(try new(bench)) }
        if bench.wants(Self.changed) { measurements.append(try changed(bench)) }
        return measurements
    }

    private func new(_ bench: Bench) throws -> Measurement {
        var (path, plainPath) = ("", "")
        var (outcome, plain) = (Fixture.Outcome(), Fixture.Outcome())
        var entries = 0
        var measurement = try bench.measure(
            Self.new, operations: bench.size,
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = bench.scratch.fresh()
                let store = try bench.openStore(path)
                try store.track(.changes)
                outcome = try Fixture.upsertAll(bench.corpus, into: store, stopwatch)
                entries = try Self.entries(store)
            },
            floor: { stopwatch in
                bench.scratch.delete(plainPath)
                plainPath = bench.scratch.fresh()
                plain = try Fixture.upsertAll(bench.corpus, into: bench.openStore(plainPath), stopwatch)
            },
            verify: { outcome.added == bench.size && plain.added == bench.size && entries == bench.size })
        // What the log adds.
        measurement.bytesPerResource = Double(ScratchFolder.size(of: path) - ScratchFolder.size(of: plainPath)) / Double(bench.size)
        bench.scratch.delete(path)
        bench.scratch.delete(plainPath)
        return measurement
    }

    private func changed(_ bench: Bench) throws -> Measurement {
        let tracked = try bench.scratch.copy(of: bench.fixture.path())
        let plain = try bench.scratch.copy(of: bench.fixture.path())
        try bench.openStore(tracked).track(.changes)
        defer {
            bench.scratch.delete(tracked)
            bench.scratch.delete(plain)
        }
        var (path, plainPath) = ("", "")
        var outcome = Fixture.Outcome()
        var entries = 0
        return try bench.measure(
            Self.changed, operations: bench.size,
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = try bench.scratch.copy(of: tracked)
                let store = try bench.openStore(path)
                outcome = try Fixture.upsertAll(bench.corpus, into: store, stopwatch, edit: FieldChange.apply)
                entries = try Self.entries(store)
            },
            floor: { stopwatch in
                bench.scratch.delete(plainPath)
                plainPath = try bench.scratch.copy(of: plain)
                _ = try Fixture.upsertAll(bench.corpus, into: bench.openStore(plainPath), stopwatch, edit: FieldChange.apply)
            },
            verify: { outcome.updated > 0 && entries == outcome.updated })
    }

    private static func entries(_ store: FHIRStore) throws -> Int {
        guard case .integer(let count)? = try store.sql("SELECT count(*) FROM _change").first?.values.first else { return 0 }
        return Int(count)
    }
}
