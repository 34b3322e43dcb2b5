import FireLite
import FireLiteR4
import FireLiteTrust

/// What an audit costs, beside the same work without it.
struct AuditWorkloads: Workload {
    static let bulk = "bulk upsert, new, audited, against without"
    static let single = "upsert one at a time, audited, against without"
    static let reads = "fetch 256 by id, audited, against without"

    var names: [String] { [Self.bulk, Self.single, Self.reads] }

    private static let singles = 500
    private static let batch = 256

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        let signer = SigningIdentity(id: "bench", key: try SoftwareKey())
        var measurements: [Measurement] = []
        if bench.wants(Self.bulk) { measurements.append(try bulk(bench, signer)) }
        if bench.wants(Self.single) { measurements.append(try single(bench, signer)) }
        if bench.wants(Self.reads) { measurements.append(try reads(bench, signer)) }
        return measurements
    }

    private func bulk(_ bench: Bench, _ signer: SigningIdentity) throws -> Measurement {
        var (path, plainPath) = ("", "")
        var (outcome, plain) = (Fixture.Outcome(), Fixture.Outcome())
        var rows: Int64 = 0
        var measurement = try bench.measure(
            Self.bulk, operations: bench.size,
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = bench.scratch.fresh()
                let store = try bench.openStore(path)
                try store.startAudit(by: signer)
                outcome = try Fixture.upsertAll(bench.corpus, into: store, stopwatch)
                rows = try Self.rows(store)
            },
            floor: { stopwatch in
                bench.scratch.delete(plainPath)
                plainPath = bench.scratch.fresh()
                plain = try Fixture.upsertAll(bench.corpus, into: bench.openStore(plainPath), stopwatch)
            },
            verify: { outcome.added == bench.size && plain.added == bench.size && rows == Int64(bench.size) })
        // What the trail adds.
        measurement.bytesPerResource = Double(ScratchFolder.size(of: path) - ScratchFolder.size(of: plainPath)) / Double(bench.size)
        bench.scratch.delete(path)
        bench.scratch.delete(plainPath)
        return measurement
    }

    /// A write for each resource, as durable as the benchmarks' stores are.
    private func single(_ bench: Bench, _ signer: SigningIdentity) throws -> Measurement {
        let audited = try bench.scratch.copy(of: bench.fixture.path())
        let plain = try bench.scratch.copy(of: bench.fixture.path())
        defer {
            bench.scratch.delete(audited)
            bench.scratch.delete(plain)
        }
        let store = try bench.openStore(audited)
        try store.startAudit(by: signer)
        let other = try bench.openStore(plain)
        var (turn, otherTurn) = (0, 0)
        return try bench.measure(
            Self.single, operations: Self.singles,
            subject: { stopwatch in
                turn += 1
                try Self.upsertSingly(into: store, turn, stopwatch)
            },
            floor: { stopwatch in
                otherTurn += 1
                try Self.upsertSingly(into: other, otherTurn, stopwatch)
            },
            verify: { try Self.rows(store) == Int64(turn * Self.singles) && store.verifyAudit(from: nil).isIntact })
    }

    private static func upsertSingly(into store: FHIRStore, _ turn: Int, _ stopwatch: Stopwatch) throws {
        let patients = (0..<singles).map { number in
            Patient {
                $0.id = "audit-\(number)"
                $0.name = [HumanName { $0.family = "\(turn)" }]
            }
        }
        try stopwatch.measure { for patient in patients { try store.write { _ = try $0.upsert(patient) } } }
    }

    private func reads(_ bench: Bench, _ signer: SigningIdentity) throws -> Measurement {
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path)
        let ids = try store.query(Observation.self).limit(Self.batch).all().compactMap(\.id)
        let trail = try store.startAudit(by: signer)
        var (found, plain) = (0, 0)
        return try bench.measure(
            Self.reads, operations: ids.count,
            subject: { stopwatch in
                found = try stopwatch.measure {
                    let resources = try store.resources(Observation.self, ids: ids)
                    try trail.append(resources.map { AuditAccess(.read, "Observation", id: $0.id) }, by: AuditParty("Practitioner/7"))
                    return resources.count
                }
            },
            floor: { stopwatch in plain = try stopwatch.measure { try store.resources(Observation.self, ids: ids).count } },
            verify: { found == ids.count && plain == ids.count })
    }

    private static func rows(_ store: FHIRStore) throws -> Int64 { try store.read { try $0.lastAuditHead()?.size ?? 0 } }
}
