import FireLite
import FireLiteKnowledge
import FireLiteR4
import FireLiteSearch
import Foundation

/// Work that is split over cores: the CPU time that a second core costs. What it wins is the difference in the elapsed time.
struct CoresWorkloads: Workload {
    static let export = "NDJSON export, two cores, against one"
    static let scan = "values of a scan, two cores, against one"
    static let view = "view of 8 columns as CSV, two cores, against one"
    static let check = "check a store, two cores, against one"
    static let validation = "validate stored resources, two cores, against one"

    var names: [String] { [Self.export, Self.scan, Self.view, Self.check, Self.validation] }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        func add(_ name: String, _ measure: (Bench, [FHIRStore]) throws -> Measurement?) throws {
            guard bench.wants(name) else { return }
            let path = try bench.fixture.path()
            if let measurement = try measure(bench, [2, 1].map { try bench.openStore(path, cores: $0) }) {
                measurements.append(measurement)
            }
        }
        try add(Self.export, export)
        try add(Self.scan, scan)
        try add(Self.view, view)
        try add(Self.check, check)
        // Each takes half a millisecond.
        if bench.size <= 10_000 { try add(Self.validation, validate) }
        return measurements
    }

    /// - Parameter work: gives something that must be the same however many cores there are.
    private func measure<Result: Equatable>(
        _ name: String, _ bench: Bench, _ stores: [FHIRStore], operations: Int, _ work: @escaping (FHIRStore) throws -> Result,
        verify: (Result) throws -> Bool
    ) throws -> Measurement {
        var results: [Result?] = [nil, nil]
        return try bench.measure(
            name, operations: operations,
            subject: { stopwatch in results[0] = try stopwatch.measure { try work(stores[0]) } },
            floor: { stopwatch in results[1] = try stopwatch.measure { try work(stores[1]) } },
            verify: { try results[0] == results[1] && results[0].map(verify) ?? false })
    }

    private func export(_ bench: Bench, _ stores: [FHIRStore]) throws -> Measurement {
        let paths = [bench.scratch.fresh("ndjson"), bench.scratch.fresh("ndjson")]
        defer { for path in paths { bench.scratch.delete(path) } }
        let types = try stores[0].counts().map(\.typeName)
        return try measure(
            Self.export, bench, stores, operations: bench.size,
            { store in
                let path = store === stores[0] ? paths[0] : paths[1]
                try TransferWorkloads.exportFile(store, types, to: path)
                return ScratchFolder.size(of: path)
            },
            verify: { _ in
                try ExportedFile(paths[0]).holds(bench.corpus, bench.keys(), types)
                    && FileManager.default.contentsEqual(atPath: paths[0], andPath: paths[1])
            })
    }

    private func scan(_ bench: Bench, _ stores: [FHIRStore]) throws -> Measurement {
        let keys = try bench.mainKeys()
        return try measure(
            Self.scan, bench, stores, operations: keys.count, { try $0.compactMap(typeName: keys[0].typeName) { $0.id } },
            verify: { $0 == keys.map(\.id) })
    }

    private func view(_ bench: Bench, _ stores: [FHIRStore]) throws -> Measurement? {
        let count = try stores[0].count(Observation.self)
        guard count > 0 else { return nil }
        return try measure(
            Self.view, bench, stores, operations: count,
            { store in
                var (sum, bytes) = (0, 0)
                let rows = try store.writeRows(of: ViewWorkloads.view, as: .csv) { piece in
                    sum &+= piece.withUnsafeBytes { $0.reduce(0) { $0 &+ Int($1) } }
                    bytes += piece.count
                }
                return [rows, sum, bytes]
            }, verify: { $0[0] == count })
    }

    private func check(_ bench: Bench, _ stores: [FHIRStore]) throws -> Measurement {
        try measure(Self.check, bench, stores, operations: bench.size, { try $0.check() }, verify: \.isEmpty)
    }

    private func validate(_ bench: Bench, _ stores: [FHIRStore]) throws -> Measurement {
        let keys = try bench.mainKeys()
        let validator = FHIRValidator(knowledge: Knowledge(release: .r4))
        return try measure(
            Self.validation, bench, stores, operations: keys.count,
            { try $0.compactMap(typeName: keys[0].typeName) { try validator.validate($0).count } }, verify: { $0.count == keys.count })
    }
}
