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
            Self.imported, operations: bench.size,
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = bench.scratch.fresh()
                let store = try bench.openStore(path)
                rows = try stopwatch.measure { try Self.importFile(text, into: store) }
            },
            floor: { stopwatch in
                bench.scratch.delete(floorPath)
                floorPath = bench.scratch.fresh()
                let writer = try FloorWriter(from: path, to: floorPath)
                try writer.writeAll(stopwatch)
            },
            verify: {
                try ContentComparison.areEqual(path, floorPath)
                    && StoreVerification.holds(bench.corpus, bench.openStore(path))
            })
        let spare = bench.scratch.fresh()
        defer { bench.scratch.delete(spare) }
        measurement.addedMB = try bench.addedMemory { _ = try Self.importFile(text, into: bench.openStore(spare)) }
        measurement.rows = rows
        measurement.bytesPerResource = Double(ScratchFolder.size(of: path)) / Double(bench.size)
        return measurement
    }

    static func importFile(_ text: String, into store: FHIRStore) throws -> Int {
        let batches = ResourceBatches()
        batches.start(text, into: store, release: .r4)
        return try store.write { transaction in
            let before = transaction.rowsWritten
            while let batch = try batches.next() {
                _ = try transaction.store(batch.resources, digests: batch.digests)
                batches.giveBack(batch)
            }
            return transaction.rowsWritten - before
        }
    }

    private func exportAll(_ bench: Bench) throws -> Measurement {
        let path = bench.scratch.fresh("ndjson")
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(bench.fixture.path(), cores: 1)
        let types = try store.counts().map(\.typeName)
        let reader = try FloorReader(bench.fixture.path())
        let statements = try reader.scans(of: types)
        var rounds = 0
        return try bench.measure(
            Self.exported, operations: bench.size,
            subject: { stopwatch in try stopwatch.measure { try Self.exportFile(store, types, to: path) } },
            floor: { stopwatch in
                rounds += 1
                stopwatch.measure { reader.transaction { for statement in statements { reader.read(statement) } } }
            },
            verify: {
                let rows = try bench.fixture.storedRows().total + bench.size
                return try reader.rows == rounds * rows && ExportedFile(path).holds(bench.corpus, bench.keys(), types)
            })
    }

    static func exportFile(_ store: FHIRStore, _ types: [String], to path: String) throws {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkFailure("cannot write \(path)") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var options = ExportOptions()
        options.types = types
        try store.export(to: file, options: options)
        try file.close()
    }
}
