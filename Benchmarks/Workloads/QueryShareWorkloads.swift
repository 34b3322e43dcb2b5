import FireLite
import FireLiteR4
import FireLiteUI

/// What queries cost beside the SQL that one would write by hand: what is found, without the objects, and the objects apart.
struct QueryShareWorkloads: Workload {
    static let ids = "ids of 50 of a patient by date, index"
    static let objects = "50 of a patient by date as objects, index"
    static let count = "count of one code, against count(*)"
    static let counts = "counts by code, against count(*)"
    static let sections = "sections by month of a date, against GROUP BY"
    static let forEach = "query.forEach over a type, against a scan"
    static let patients = "patients by code of observations, indexes"
    static let encounters = "encounters by code of observations, indexes"

    var names: [String] { [Self.ids, Self.objects, Self.count, Self.counts, Self.sections, Self.forEach, Self.patients, Self.encounters] }

    func run(_ bench: Bench) throws -> [Measurement] {
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path)
        guard try store.count(Observation.self) > 0 else { return [] }
        var measurements: [Measurement] = []
        if bench.wants(Self.forEach) { measurements.append(try forEach(bench, store)) }
        if bench.wants(Self.sections) { measurements.append(try sections(bench, store, path)) }
        try store.createIndexes(.references)
        try store.createIndex(Observation.self) { $0.code.coding.code }
        try store.createIndex(Observation.self) { $0.effectiveDateTime }
        if bench.wants(Self.ids) { measurements.append(try ids(bench, store, path)) }
        if bench.wants(Self.objects) { measurements.append(try objects(bench, store, path)) }
        if bench.wants(Self.count) { measurements.append(try count(bench, store, path)) }
        if bench.wants(Self.counts) { measurements.append(try counts(bench, store, path)) }
        if bench.wants(Self.patients) {
            measurements.append(
                try referred(bench, Self.patients, path, "subject") { code in
                    store.query(Patient.self).where {
                        $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.code.coding.code == code }
                    }
                })
        }
        if bench.wants(Self.encounters) {
            measurements.append(
                try referred(bench, Self.encounters, path, "encounter") { code in
                    store.query(Encounter.self).where {
                        $0.isReferred(from: Observation.self, by: { $0.encounter }) { $0.code.coding.code == code }
                    }
                })
        }
        return measurements
    }

    // MARK: - Some observations

    private static let latest = """
        SELECT %@ FROM Observation WHERE subject_reference = ? AND _parent IS NULL ORDER BY effectiveDateTime DESC, _k DESC LIMIT 50
        """

    private static func latest(_ select: String) -> String { latest.replacing("%@", with: select) }

    private static func latest(_ store: FHIRStore, _ reference: String) -> FHIRQuery<Observation> {
        store.query(Observation.self).where { $0.subject.reference == reference }.sort { $0.effectiveDateTime.descending }.limit(50)
    }

    private func ids(_ bench: Bench, _ store: FHIRStore, _ path: String) throws -> Measurement {
        let (references, _) = try QueryWorkloads.references(path)
        let reader = try FloorReader(path)
        let statement = try reader.prepare(Self.latest("_k, id"))
        return try bench.measureEach(
            Self.ids, references, query: { try Self.latest(store, $0).ids().count },
            floor: { reader.integers(statement, $0).count }, verify: { $0 == $1 && !$0.contains(0) })
    }

    private func objects(_ bench: Bench, _ store: FHIRStore, _ path: String) throws -> Measurement {
        let (references, _) = try QueryWorkloads.references(path)
        let reader = try FloorReader(path)
        let statement = try reader.prepare(Self.latest("_k >> 24"))
        return try bench.measureEach(
            Self.objects, references, query: { try Self.latest(store, $0).all().count },
            floor: { reference in
                var count = 0
                reader.transaction {
                    let roots = reader.integers(statement, reference)
                    for root in roots { reader.read(root: root) }
                    count = roots.count
                }
                return count
            }, verify: { $0 == $1 && !$0.contains(0) })
    }

    // MARK: - Counts

    private static func codes(_ path: String) throws -> [String] {
        try RawDatabase(path).rows("SELECT code FROM Observation_code_coding GROUP BY code ORDER BY count(*) DESC LIMIT 50").compactMap {
            $0[0]
        }
    }

    private func count(_ bench: Bench, _ store: FHIRStore, _ path: String) throws -> Measurement {
        let codes = try Self.codes(path)
        let reader = try FloorReader(path)
        let statement = try reader.prepare("SELECT count(*) FROM Observation_code_coding WHERE code = ?")
        return try bench.measureEach(
            Self.count, codes, query: { code in try store.query(Observation.self).where { $0.code.coding.code == code }.count() },
            floor: { Int(reader.integer(statement, $0)) },
            verify: { counts, rows in zip(counts, rows).allSatisfy { $0 <= $1 } && !counts.contains(0) })
    }

    private func counts(_ bench: Bench, _ store: FHIRStore, _ path: String) throws -> Measurement {
        let reader = try FloorReader(path)
        let statement = try reader.prepare("SELECT code, count(*) FROM Observation_code_coding GROUP BY code ORDER BY 2 DESC")
        var groups = 0
        return try bench.measure(
            Self.counts, operations: 1,
            subject: { stopwatch in
                try stopwatch.measure { groups = try store.query(Observation.self).counts { $0.code.coding.code }.count }
            },
            floor: { stopwatch in stopwatch.measure { reader.read(statement) } },
            verify: { try groups == RawDatabase(path).integer("SELECT count(DISTINCT code) FROM Observation_code_coding") })
    }

    /// The sections of a list of all observations. The floor's months are those of UTC, those of the query are by each date's own clock.
    private func sections(_ bench: Bench, _ store: FHIRStore, _ path: String) throws -> Measurement {
        let reader = try FloorReader(path)
        let statement = try reader.prepare(
            """
            SELECT substr(effectiveDateTime, 1, 7), count(*), max(effectiveDateTime) FROM Observation WHERE _parent IS NULL
            GROUP BY 1 ORDER BY 3 DESC
            """)
        let total = try store.count(Observation.self)
        var sections: [SectionCount<DateSection>] = []
        return try bench.measure(
            Self.sections, operations: total,
            subject: { stopwatch in
                let newest = store.query(Observation.self).sort(\.effectiveDateTime, .reverse)
                try stopwatch.measure { sections = try newest.sections(by: .month, of: \.effectiveDateTime) }
            },
            floor: { stopwatch in stopwatch.measure { reader.read(statement) } },
            verify: {
                sections.reduce(0) { $0 + $1.count } == total && sections == sections.sorted { $0.id.text ?? "" > $1.id.text ?? "" }
            })
    }

    // MARK: - All of a type

    private func forEach(_ bench: Bench, _ store: FHIRStore) throws -> Measurement {
        var count = 0
        var floorCount = 0
        return try bench.measure(
            Self.forEach, operations: try store.count(Observation.self),
            subject: { stopwatch in
                count = 0
                let all = store.query(Observation.self)
                try stopwatch.measure { try all.forEach(batch: 256) { _ in count += 1 } }
            },
            floor: { stopwatch in
                floorCount = 0
                try stopwatch.measure {
                    try store.read { transaction in
                        let count: (Observation) -> Void = { _ in floorCount += 1 }
                        try transaction.forEach(Observation.self, count)
                    }
                }
            },
            verify: { try count == floorCount && count == store.count(Observation.self) })
    }

    // MARK: - By what refers to them

    private func referred<Resource: FHIRResource>(
        _ bench: Bench, _ name: String, _ path: String, _ element: String, _ query: (String) -> FHIRQuery<Resource>
    ) throws -> Measurement {
        let codes = Array(try Self.codes(path).prefix(20))
        let reader = try FloorReader(path)
        let type = "\(Resource.self)"
        let statement = try reader.prepare(
            """
            SELECT _k FROM \(type) WHERE _parent IS NULL AND id IN (
              SELECT substr(o.\(element)_reference, \(type.count + 2)) FROM Observation_code_coding c
              CROSS JOIN Observation o ON o._k = (c._k & ~16777215) + c._parent WHERE c.code = ? AND o._parent IS NULL) ORDER BY _k
            """)
        return try bench.measureEach(
            name, codes, query: { try query($0).ids().count }, floor: { reader.integers(statement, $0).count },
            verify: { $0 == $1 && !$0.contains(0) })
    }
}
