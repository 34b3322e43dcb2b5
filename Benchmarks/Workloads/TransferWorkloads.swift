import FireLite
import FireLiteR4
import Foundation

/// NDJSON into a fresh store, with one thread reading and one storing as `firelite import` does it; and out of it again.
struct TransferWorkloads: Workload {
    static let imported = "NDJSON import, new"
    static let exported = "NDJSON export"

    var names: [String] { [Self.imported, Self.exported] }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.imported) { measurements.append(try importAll(bench)) }
        if bench.wants(Self.exported) { measurements.append(try exportAll(bench)) }
        return measurements
    }

    private func importAll(_ bench: Bench) throws -> Measurement {
        let text = bench.scratch.fresh("ndjson")
        try bench.corpus.write(to: text)
        var path = ""
        var floorPath = ""
        var rows = 0
        defer { for path in [text, path, floorPath] { bench.scratch.delete(path) } }
        var measurement = try bench.measure(
            Self.imported, operations: bench.size, repetitions: max(bench.repetitions, bench.size > 200_000 ? 1 : 2),
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = bench.scratch.fresh()
                let store = try bench.openStore(path)
                rows = try stopwatch.measure { try Self.importFile(text, into: store) }
            },
            floor: { stopwatch in
                bench.scratch.delete(floorPath)
                floorPath = bench.scratch.fresh()
                var writer = try FloorWriter(from: bench.fixture.path(), to: floorPath)
                try writer.writeAll(stopwatch)
            },
            verify: {
                try ContentComparison.areEqual(bench.fixture.path(), floorPath)
                    && StoreVerification.holds(bench.corpus, bench.openStore(path))
            })
        measurement.rowsPerOperation = Double(rows) / Double(bench.size)
        measurement.bytesPerResource = Double(ScratchFolder.size(of: path)) / Double(bench.size)
        return measurement
    }

    private static func importFile(_ text: String, into store: FHIRStore) throws -> Int {
        let batches = ResourceBatches()
        batches.start(text, release: .r4)
        return try store.write { transaction in
            let before = transaction.rowsWritten
            while let batch = try batches.next() {
                _ = try transaction.store(batch)
                batches.giveBack(batch)
            }
            return transaction.rowsWritten - before
        }
    }

    private func exportAll(_ bench: Bench) throws -> Measurement {
        let path = bench.scratch.fresh("ndjson")
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(bench.fixture.path())
        let types = try store.counts().map(\.typeName)
        let reader = try FloorReader(bench.fixture.path())
        let statements = try types.flatMap { try reader.scans(of: $0) }
        return try bench.measure(
            Self.exported, operations: bench.size,
            subject: { stopwatch in try stopwatch.measure { try Self.exportFile(store, types, to: path) } },
            floor: { stopwatch in
                stopwatch.measure {
                    reader.beginRead()
                    for statement in statements { reader.read(statement) }
                    reader.endRead()
                }
            },
            verify: { try ScratchFolder.size(of: path) == bench.corpus.canonicalBytes() && reader.rows > 0 })
    }

    private static func exportFile(_ store: FHIRStore, _ types: [String], to path: String) throws {
        guard let file = fopen(path, "w") else { throw BenchmarkFailure("cannot write \(path)") }
        defer { fclose(file) }
        try store.read { transaction in
            for type in types {
                try transaction.forEach(typeName: type) { resource in
                    FHIRJSON.data(resource).withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
                    putc(10, file)
                }
            }
        }
    }
}

extension Corpus {
    /// The size of the resources as FireLite writes them.
    fileprivate func canonicalBytes() throws -> Int {
        try chunks().reduce(0) { sum, range in try sum + objects(range).reduce(0) { $0 + FHIRJSON.data($1).count + 1 } }
    }
}
