import FireLite
import FireLiteR4

/// Finding observations: by an element of a nested list, by reference, and a page of the latest.
struct QueryWorkloads: Workload {
    static let nested = "count by nested element, no index"
    static let nestedIndexed = "count by nested element, index"
    static let objects = "objects by reference, index"
    static let page = "sorted page of 50, index"
    static let grouped = "counts by nested element, index"

    var names: [String] { [Self.nested, Self.nestedIndexed, Self.objects, Self.page, Self.grouped] }

    func run(_ bench: Bench) throws -> [Measurement] {
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path)
        guard try store.count(Observation.self) > 0 else { return [] }
        var measurements: [Measurement] = []
        if bench.wants(Self.nested) { measurements.append(try nested(bench, Self.nested, store, path, times: 5)) }
        try store.createIndex(Observation.self) { $0.code.coding.code }
        try store.createIndex(Observation.self) { $0.subject.reference }
        try store.createIndex(Observation.self) { $0.effectiveDateTime }
        if bench.wants(Self.nestedIndexed) { measurements.append(try nested(bench, Self.nestedIndexed, store, path, times: 200)) }
        if bench.wants(Self.objects) { measurements.append(try objects(bench, store, path)) }
        if bench.wants(Self.page) { measurements.append(try page(bench, store, path)) }
        if bench.wants(Self.grouped) { measurements.append(try grouped(bench, store, path)) }
        return measurements
    }

    /// Codes of observations, spread over the rare and the common ones.
    private func codes(_ path: String, _ count: Int) throws -> [String] {
        let all = try RawDatabase(path).rows("SELECT code FROM Observation_code_coding GROUP BY code ORDER BY count(*), code").compactMap {
            $0[0]
        }
        guard !all.isEmpty else { return [] }
        return (0..<count).map { all[$0 * all.count / count] }
    }

    private func nested(_ bench: Bench, _ name: String, _ store: FHIRStore, _ path: String, times: Int) throws -> Measurement {
        let codes = try codes(path, times)
        let reader = try FloorReader(path)
        let statement = try reader.prepare("SELECT count(DISTINCT _k >> 24) FROM Observation_code_coding WHERE code = ?")
        return try bench.measureEach(
            name, codes, query: { code in try store.query(Observation.self).where { $0.code.coding.code == code }.count() },
            floor: { Int(reader.integer(statement, $0)) }, verify: { $0 == $1 && !$0.contains(0) })
    }

    /// What finds the numbers of the observations with a reference.
    static let byReference = "SELECT _k >> 24 FROM Observation WHERE subject_reference = ? AND _parent IS NULL ORDER BY _k"

    /// The references that most observations have, and how many have one of them.
    static func references(_ path: String) throws -> (references: [String], observations: Int) {
        let groups = try RawDatabase(path).rows(
            "SELECT subject_reference, count(*) FROM Observation WHERE _parent IS NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50")
        return (groups.compactMap { $0[0] }, groups.reduce(0) { $0 + ($1[0] == nil ? 0 : Int($1[1] ?? "") ?? 0) })
    }

    private func objects(_ bench: Bench, _ store: FHIRStore, _ path: String) throws -> Measurement {
        let (references, total) = try Self.references(path)
        let reader = try FloorReader(path)
        let statement = try reader.prepare(Self.byReference)
        var found: [Observation] = []
        var roots: [Int64] = []
        var rounds = 0
        return try bench.measure(
            Self.objects, operations: total,
            subject: { stopwatch in
                found = []
                try stopwatch.measure {
                    for reference in references {
                        found += try store.query(Observation.self).where { $0.subject.reference == reference }.all()
                    }
                }
            },
            floor: { stopwatch in
                roots = []
                rounds += 1
                stopwatch.measure {
                    for reference in references {
                        reader.transaction {
                            let some = reader.integers(statement, reference)
                            for root in some { reader.read(root: root) }
                            roots += some
                        }
                    }
                }
            },
            verify: {
                try found.count == total && found.allSatisfy { references.contains($0.subject?.reference ?? "") }
                    && areRight(found, roots, bench) && reader.rows == rounds * bench.fixture.storedRows().count(of: roots)
            })
    }

    /// Whether the objects are the resources of the data with these numbers, in their order.
    private func areRight(_ found: [Observation], _ roots: [Int64], _ bench: Bench) throws -> Bool {
        let keys = try keys(of: found, bench)
        return try ResourceKey.areEqual(found, keys, bench.corpus)
            && FloorReader(bench.fixture.path(), keys: keys).roots() == roots
    }

    private func keys(of found: [Observation], _ bench: Bench) throws -> [ResourceKey] {
        let ids = Set(found.map(\.id))
        let keys = try bench.keys().filter { $0.typeName == "Observation" && ids.contains($0.id) }
        let known = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        return found.compactMap { known[$0.id ?? ""] }
    }

    /// How many observations have each code.
    private func grouped(_ bench: Bench, _ store: FHIRStore, _ path: String) throws -> Measurement {
        let reader = try FloorReader(path)
        let statement = try reader.prepare("SELECT code, count(DISTINCT _k >> 24) FROM Observation_code_coding GROUP BY code")
        let rows = reader.rows
        var counts: [String: Int] = [:]
        let times = 3
        return try bench.measure(
            Self.grouped, operations: times,
            subject: { stopwatch in
                try stopwatch.measure {
                    for _ in 0..<times {
                        let groups = try store.query(Observation.self).counts { $0.code.coding.code }
                        counts = Dictionary(uniqueKeysWithValues: groups.map { ($0.value, $0.count) })
                    }
                }
            },
            floor: { stopwatch in stopwatch.measure { for _ in 0..<times { reader.read(statement) } } },
            verify: {
                let found = try RawDatabase(path).rows("SELECT code, count(DISTINCT _k >> 24) FROM Observation_code_coding GROUP BY code")
                let expected = found.compactMap { row in row[0].flatMap { code in row[1].flatMap { Int($0) }.map { (code, $0) } } }
                return reader.rows > rows && counts == Dictionary(uniqueKeysWithValues: expected)
            })
    }

    private func page(_ bench: Bench, _ store: FHIRStore, _ path: String) throws -> Measurement {
        let reader = try FloorReader(path)
        let statement = try reader.prepare(
            """
            SELECT _k >> 24 FROM Observation WHERE effectiveDateTime < ? AND _parent IS NULL
            ORDER BY effectiveDateTime DESC, _k DESC LIMIT 50
            """
        )
        var found: [Observation] = []
        var roots: [Int64] = []
        let times = 20
        var rounds = 0
        return try bench.measure(
            Self.page, operations: times,
            subject: { stopwatch in
                try stopwatch.measure {
                    for _ in 0..<times {
                        found = try store.query(Observation.self).sort { $0.effectiveDateTime.descending }.limit(50).all()
                    }
                }
            },
            floor: { stopwatch in
                stopwatch.measure {
                    for _ in 0..<times {
                        rounds += 1
                        reader.transaction {
                            roots = reader.integers(statement, "A")
                            for root in roots { reader.read(root: root) }
                        }
                    }
                }
            },
            verify: {
                let dates = try RawDatabase(path).rows(
                    "SELECT effectiveDateTime FROM Observation WHERE _parent IS NULL ORDER BY effectiveDateTime DESC LIMIT 50")
                // Of observations at the same time any may be on the page.
                let foundRoots = try FloorReader(path, keys: keys(of: found, bench)).roots()
                let foundDates = try foundRoots.map { root in
                    try RawDatabase(path).rows("SELECT effectiveDateTime FROM Observation WHERE _k = \(root << 24)")
                }
                return try foundDates.compactMap { $0.first } == dates && areRight(found, foundRoots, bench)
                    && reader.rows == rounds * bench.fixture.storedRows().count(of: roots) && roots.count == dates.count
            })
    }
}
