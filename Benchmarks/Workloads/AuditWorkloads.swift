import FireLite
import FireLiteCore
import FireLiteR4
import FireLiteTrust

/// What an audit costs, beside the same work without it.
struct AuditWorkloads: Workload {
    static let bulk = "bulk upsert, new, audited, against without"
    static let single = "upsert one at a time, audited, against without"
    static let reads = "fetch 256 by id, audited, against without"

    static let bulkFloor = "bulk upsert, new, audited, against its floor"
    static let singleFloor = "upsert one at a time, audited, against its floor"
    static let readsFloor = "fetch 256 by id, audited, against its floor"

    var names: [String] { [Self.bulk, Self.bulkFloor, Self.single, Self.singleFloor, Self.reads, Self.readsFloor] }

    private static let singles = 500
    private static let batch = 256

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        let signer = SigningIdentity(id: "bench", key: try PrivateKey())
        var measurements: [Measurement] = []
        if bench.wants(Self.bulk) { measurements.append(try bulk(bench, signer)) }
        if bench.wants(Self.bulkFloor) { measurements.append(try bulkFloor(bench, signer)) }
        if bench.wants(Self.single) { measurements.append(try single(bench, signer, hasFloor: false)) }
        if bench.wants(Self.singleFloor) { measurements.append(try single(bench, signer, hasFloor: true)) }
        if bench.wants(Self.reads) { measurements.append(try reads(bench, signer, hasFloor: false)) }
        if bench.wants(Self.readsFloor) { measurements.append(try reads(bench, signer, hasFloor: true)) }
        return measurements
    }

    private func bulk(_ bench: Bench, _ signer: SigningIdentity) throws -> Measurement {
        var (path, plainPath) = ("", "")
        var (outcome, plain) = (Fixture.Outcome(), Fixture.Outcome())
        var rows: Int64 = 0
        var measurement = try bench.measure(
            Self.bulk, operations: bench.size,
            subject: { stopwatch in
                let store = try Self.auditedStore(bench, signer, at: &path)
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

    /// An empty store with an audit, in place of the one at `path`.
    private static func auditedStore(_ bench: Bench, _ signer: SigningIdentity, at path: inout String) throws -> FHIRStore {
        bench.scratch.delete(path)
        path = bench.scratch.fresh()
        let store = try bench.openStore(path)
        try store.startAudit(by: signer)
        return store
    }

    private func bulkFloor(_ bench: Bench, _ signer: SigningIdentity) throws -> Measurement {
        var (path, plainPath, rowsPath) = ("", "", "")
        var (outcome, plain) = (Fixture.Outcome(), Fixture.Outcome())
        let floor = AuditFloor(signer.key)
        let measurement = try bench.measure(
            Self.bulkFloor, operations: bench.size,
            subject: { stopwatch in
                outcome = try Fixture.upsertAll(bench.corpus, into: Self.auditedStore(bench, signer, at: &path), stopwatch)
            },
            floor: { stopwatch in
                bench.scratch.delete(plainPath)
                bench.scratch.delete(rowsPath)
                (plainPath, rowsPath) = (bench.scratch.fresh(), bench.scratch.fresh())
                let rows = try AuditFloorRows(of: path)
                let target = try RawDatabase(rowsPath)
                try rows.prepare(target)
                plain = try Fixture.upsertAll(bench.corpus, into: bench.openStore(plainPath), stopwatch)
                // As many at once as the store writes, while they are in the processor's cache.
                for range in bench.corpus.chunks(of: 256) {
                    let objects = try bench.corpus.objects(range)
                    stopwatch.measure { for object in objects { floor.hashValue(of: object) } }
                }
                try stopwatch.measure {
                    floor.hashTree(rows: bench.size)
                    try rows.insert(into: target)
                    for _ in 0..<plain.writes { try floor.sign() }
                }
            },
            verify: { outcome.added == bench.size && plain.added == bench.size })
        for path in [path, plainPath, rowsPath] { bench.scratch.delete(path) }
        return measurement
    }

    /// Rows as wide as those of the trail, which the floor writes in the store's own transaction.
    private static let floorTables = ModuleTables(
        module: "floor", version: 1,
        tables: [ModuleTable("_floor", key: "seq", columns: [.init("at", .integer), .init("id", .text), .init("bytes", .blob)])])

    /// A write for each resource, as durable as the benchmarks' stores are.
    private func single(_ bench: Bench, _ signer: SigningIdentity, hasFloor: Bool) throws -> Measurement {
        let audited = try bench.scratch.copy(of: bench.fixture.path())
        let plain = try bench.scratch.copy(of: bench.fixture.path())
        defer {
            bench.scratch.delete(audited)
            bench.scratch.delete(plain)
        }
        let store = try bench.openStore(audited)
        try store.startAudit(by: signer)
        let other = try bench.openStore(plain)
        let floor = AuditFloor(signer.key)
        var (turn, otherTurn) = (0, 0)
        return try bench.measure(
            hasFloor ? Self.singleFloor : Self.single, operations: Self.singles,
            subject: { stopwatch in
                turn += 1
                try Self.upsertSingly(into: store, turn, stopwatch)
            },
            floor: { stopwatch in
                otherTurn += 1
                try Self.upsertSingly(into: other, otherTurn, stopwatch, hasFloor ? floor : nil)
            },
            verify: { try Self.rows(store) == Int64(turn * Self.singles) && store.verifyAudit(from: nil).isIntact })
    }

    private static func upsertSingly(
        into store: FHIRStore, _ turn: Int, _ stopwatch: Stopwatch, _ floor: AuditFloor? = nil
    ) throws {
        let patients = (0..<singles).map { number in
            Patient {
                $0.id = "audit-\(number)"
                $0.name = [HumanName { $0.family = "\(turn)" }]
            }
        }
        guard let floor else {
            return try stopwatch.measure { for patient in patients { try store.write { _ = try $0.upsert(patient) } } }
        }
        // A row of the trail, and a head.
        let sizes = [140, 600].map { SQLValue.blob([UInt8](repeating: 7, count: $0)) }
        try stopwatch.measure {
            for patient in patients {
                try store.write { tx in
                    try tx.upsert(patient)
                    floor.hashValue(of: patient)
                    floor.hashTree(rows: 1)
                    for size in sizes {
                        try tx.run(
                            on: floorTables, "INSERT INTO _floor(at, id, bytes) VALUES (?, ?, ?)", [.integer(7), .text("audit"), size])
                    }
                    try floor.sign()
                }
            }
        }
    }

    private func reads(_ bench: Bench, _ signer: SigningIdentity, hasFloor: Bool) throws -> Measurement {
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path)
        let ids = try store.query(Observation.self).limit(Self.batch).all().compactMap(\.id)
        let trail = try store.startAudit(by: signer)
        func append(_ resources: [Observation]) throws {
            try trail.append(resources.map { AuditAccess(.read, "Observation", id: $0.id) }, by: AuditParty("Practitioner/7"))
        }
        try append(store.resources(Observation.self, ids: ids))
        let floor = AuditFloor(signer.key)
        let rowsPath = bench.scratch.fresh()
        let target = try RawDatabase(rowsPath)
        let rows = try AuditFloorRows(of: path, limit: ids.count)
        try rows.prepare(target)
        defer { bench.scratch.delete(rowsPath) }
        var (found, plain) = (0, 0)
        return try bench.measure(
            hasFloor ? Self.readsFloor : Self.reads, operations: ids.count,
            subject: { stopwatch in
                found = try stopwatch.measure {
                    let resources = try store.resources(Observation.self, ids: ids)
                    try append(resources)
                    return resources.count
                }
            },
            floor: { stopwatch in
                plain = try stopwatch.measure {
                    let count = try store.resources(Observation.self, ids: ids).count
                    if hasFloor {
                        floor.hashTree(rows: count)
                        try rows.insert(into: target)
                        try floor.sign()
                    }
                    return count
                }
            },
            verify: { found == ids.count && plain == ids.count })
    }

    private static func rows(_ store: FHIRStore) throws -> Int64 { try store.read { try $0.lastAuditHead()?.size ?? 0 } }
}
