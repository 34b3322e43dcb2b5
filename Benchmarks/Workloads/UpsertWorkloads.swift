import FireLite
import FireLiteR4

/// Storing all resources at once: new ones into a fresh file, the same ones again, and with one field changed.
struct UpsertWorkloads: Workload {
    static let new = "bulk upsert, new"
    static let unchanged = "bulk upsert, unchanged"
    static let changed = "bulk upsert, one field changed"

    var names: [String] { [Self.new, Self.unchanged, Self.changed] }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.new) { measurements.append(try new(bench)) }
        if bench.wants(Self.unchanged) { measurements.append(try unchanged(bench)) }
        if bench.wants(Self.changed) { measurements.append(try changed(bench)) }
        return measurements
    }

    private func new(_ bench: Bench) throws -> Measurement {
        var outcome = Fixture.Outcome()
        var floorPath = ""
        var measurement = try bench.measure(
            Self.new, operations: bench.size,
            subject: { stopwatch in
                let path = bench.scratch.fresh()
                outcome = try Fixture.upsertAll(bench.corpus, into: bench.openStore(path), stopwatch)
                bench.fixture.adopt(path)
            },
            floor: { stopwatch in
                bench.scratch.delete(floorPath)
                floorPath = bench.scratch.fresh()
                let writer = try FloorWriter(from: bench.fixture.path(), to: floorPath)
                try writer.writeAll(stopwatch)
            },
            verify: {
                try outcome.added == bench.size && ContentComparison.areEqual(bench.fixture.path(), floorPath)
                    && StoreVerification.holds(bench.corpus, try bench.openStore(bench.fixture.path()))
            })
        bench.scratch.delete(floorPath)
        measurement.rows = outcome.rows
        measurement.transactions = outcome.writes
        measurement.bytesPerResource = Double(ScratchFolder.size(of: try bench.fixture.path())) / Double(bench.size)
        return measurement
    }

    private func unchanged(_ bench: Bench) throws -> Measurement {
        let keys = try bench.keys()
        var registrations = 0
        var outcome = Fixture.Outcome()
        var measurement = try bench.measure(
            Self.unchanged, operations: bench.size,
            subject: { stopwatch in
                outcome = try Fixture.upsertAll(bench.corpus, into: bench.openStore(bench.fixture.path()), stopwatch)
            },
            floor: { stopwatch in
                // Opened again like the store, so that neither has the file in its cache.
                let reader = try FloorReader(bench.fixture.path(), keys: keys, cacheMB: 64)
                stopwatch.measure { reader.readRegistrations() }
                registrations = reader.registrations
            },
            verify: {
                try outcome.unchanged == bench.size && outcome.rows == 0 && registrations == keys.count
                    && StoreVerification.holds(bench.corpus, try bench.openStore(bench.fixture.path()))
            })
        measurement.rows = outcome.rows
        measurement.transactions = outcome.writes
        return measurement
    }

    private func changed(_ bench: Bench) throws -> Measurement {
        let keys = try bench.keys()
        var outcome = Fixture.Outcome()
        var measurement = try bench.measureOnCopies(
            of: bench.fixture.path(), Self.changed, operations: bench.size,
            subject: { path, stopwatch in
                outcome = try Fixture.upsertAll(bench.corpus, into: bench.openStore(path), stopwatch, edit: FieldChange.apply)
            },
            floor: { path, changed, stopwatch in
                try FloorUpdater(after: changed, target: RawDatabase(path)).run(keys: keys, stopwatch)
            },
            verify: { path, floorPath in
                try outcome.updated == bench.size && ContentComparison.areEqual(path, floorPath)
                    && StoreVerification.holds(bench.corpus, try bench.openStore(path), edit: FieldChange.apply)
            })
        measurement.rows = outcome.rows
        measurement.transactions = outcome.writes
        return measurement
    }
}
