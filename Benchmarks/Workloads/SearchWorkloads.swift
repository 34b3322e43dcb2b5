import FireLite
import FireLiteR4
import FireLiteSearch
import Foundation

/// Pages and totals of FHIR searches with the indexes of `createIndexes(forSearch:)`, beside statements on the same tables, written by hand.
struct SearchWorkloads: Workload {
    static let name = "search, page of 20 by name, index"
    static let latest = "search, latest 20 of patient and code, index"
    /// Each time for other patients and codes, of whose numbers of rows nothing is known.
    static let latestOfOthers = "search, latest 20 of patient and code, new values, index"
    static let chain = "search, page of 20 by chain and date, index"
    static let reverse = "search, page of 20 by reverse chain, index"
    static let total = "search, total by code and date, index"
    static let content = "search by content, no index, against reading and encoding all"

    var names: [String] { [Self.name, Self.latest, Self.latestOfOthers, Self.chain, Self.reverse, Self.total, Self.content] }

    private static let arguments = 50
    private static let totals = 10
    /// The moment from which observations count in the chain.
    private static let since = "2015-01-01T00:00:00"
    private static let prefix = "family >= ?1 COLLATE NOCASE AND family < ?1 || '{' COLLATE NOCASE"

    func run(_ bench: Bench) throws -> [Measurement] {
        guard names.contains(where: { bench.wants($0) }) else { return [] }
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path)
        guard try store.count(Observation.self) > 0, try store.count(Patient.self) > 0 else { return [] }
        try store.createIndexes(forSearch: ["Patient.name", "Observation.code", "Observation.patient", "Observation.date"])
        let data = try RawDatabase(path)
        var measurements: [Measurement] = []
        if bench.wants(Self.name) {
            let given = "value >= ?1 COLLATE NOCASE AND value < ?1 || '{' COLLATE NOCASE"
            let sql = """
                SELECT _k >> 24 AS k FROM Patient_name WHERE \(Self.prefix)
                UNION SELECT _k >> 24 FROM Patient_name_given WHERE \(given) ORDER BY k LIMIT 20
                """
            measurements.append(
                try pages(bench, Self.name, store, path, beginnings(data, of: 3), sql) { "Patient?name=\($0)&_count=20&_total=none" })
        }
        if bench.wants(Self.latest) || bench.wants(Self.latestOfOthers) { measurements += try latest(bench, store, path, data) }
        if bench.wants(Self.chain) { measurements.append(try chain(bench, store, path, data)) }
        if bench.wants(Self.reverse) {
            let sql = """
                SELECT p._k >> 24 FROM Patient p WHERE p._parent IS NULL AND EXISTS (SELECT 1 FROM Observation o WHERE o.subject_reference =
                'Patient/' || p.id AND EXISTS (SELECT 1 FROM Observation_code_coding c WHERE c._k BETWEEN o._k AND o._k + 16777215
                AND c.code = ?1)) ORDER BY p._k LIMIT 20
                """
            measurements.append(
                try pages(bench, Self.reverse, store, path, codes(data), sql) {
                    "Patient?_has:Observation:patient:code=\($0)&_count=20&_total=none"
                })
        }
        if bench.wants(Self.total) { measurements.append(try total(bench, store, path, data)) }
        if bench.wants(Self.content) { measurements.append(try content(bench, store)) }
        return measurements
    }

    // MARK: - Arguments

    /// Some of the values in the first column of a query's rows, spread over all of them.
    private func spread(_ values: [[String?]]) -> [String] { Self.spread(values.compactMap { $0[0] }, from: 0) }

    private static func spread(_ all: [String], from first: Int) -> [String] {
        let count = min(all.count, arguments)
        return (0..<count).map { all[($0 * all.count / count + first) % all.count] }
    }

    private func beginnings(_ data: RawDatabase, of length: Int) throws -> [String] {
        try spread(data.rows("SELECT DISTINCT substr(family, 1, \(length)) FROM Patient_name WHERE family IS NOT NULL ORDER BY 1"))
    }

    private func codes(_ data: RawDatabase) throws -> [String] {
        try spread(data.rows("SELECT code FROM Observation_code_coding GROUP BY code ORDER BY count(*), code"))
    }

    // MARK: - Workloads

    /// The argument is a patient's reference, a bar and a code.
    private func latest(_ bench: Bench, _ store: FHIRStore, _ path: String, _ data: RawDatabase) throws -> [Measurement] {
        let pairs =
            try data.rows(
                """
                SELECT DISTINCT o.subject_reference || '|' || c.code FROM (SELECT * FROM Observation WHERE _parent IS NULL LIMIT 5000) o
                JOIN Observation_code_coding c ON c._k BETWEEN o._k AND o._k + 16777215 WHERE o.subject_reference IS NOT NULL ORDER BY 1
                """
            ).compactMap { $0[0] }
        let sql = """
            SELECT o._k >> 24 FROM Observation o WHERE o.subject_reference = substr(?1, 1, instr(?1, '|') - 1) AND o._parent IS NULL
            AND EXISTS (SELECT 1 FROM Observation_code_coding c WHERE c._k BETWEEN o._k AND o._k + 16777215
            AND c.code = substr(?1, instr(?1, '|') + 1)) ORDER BY o.effectiveDateTime DESC, o._k DESC LIMIT 20
            """
        func search(_ pair: String) -> String {
            let parts = pair.split(separator: "|")
            return "Observation?patient=\(parts[0])&code=\(parts[1])&_sort=-date&_count=20&_total=none"
        }
        var measurements: [Measurement] = []
        if bench.wants(Self.latest) {
            measurements.append(try pages(bench, Self.latest, store, path, Self.spread(pairs, from: 0), sql, search))
        }
        if bench.wants(Self.latestOfOthers) {
            let rounds = (1...max(1, pairs.count / Self.arguments)).map { Self.spread(pairs, from: $0) }
            measurements.append(try pages(bench, Self.latestOfOthers, store, path, rounds, sql, search))
        }
        return measurements
    }

    private func chain(_ bench: Bench, _ store: FHIRStore, _ path: String, _ data: RawDatabase) throws -> Measurement {
        let given = "g.value >= ?1 COLLATE NOCASE AND g.value < ?1 || '{' COLLATE NOCASE"
        let sql = """
            SELECT _k >> 24 FROM Observation WHERE _parent IS NULL AND effectiveDateTime >= '\(Self.since)' AND subject_reference IN
            (SELECT 'Patient/' || id FROM Patient WHERE _k IN (SELECT n._k & -16777216 FROM Patient_name n WHERE n.\(Self.prefix)
            UNION SELECT g._k & -16777216 FROM Patient_name_given g WHERE \(given))) ORDER BY _k LIMIT 20
            """
        return try pages(bench, Self.chain, store, path, beginnings(data, of: 5), sql) {
            "Observation?subject:Patient.name=\($0)&date=ge\(Self.since)Z&_count=20&_total=none"
        }
    }

    /// The argument is a code, a bar and the day from which about 5,000 of its observations are, or half of them where it has fewer.
    private func total(_ bench: Bench, _ store: FHIRStore, _ path: String, _ data: RawDatabase) throws -> Measurement {
        let ordered = try data.rows("SELECT code, count(*) FROM Observation_code_coding GROUP BY code ORDER BY count(*) DESC, code")
        let arguments = try ordered.prefix(Self.totals).compactMap { row -> String? in
            guard let code = row[0], let rows = row[1].flatMap({ Int($0) }) else { return nil }
            let day = try data.rows(
                """
                SELECT substr(o.effectiveDateTime, 1, 10) FROM Observation_code_coding c CROSS JOIN Observation o
                WHERE c.code = '\(code)' AND o._k = c._k & -16777216 ORDER BY 1 DESC LIMIT 1 OFFSET \(min(5_000, rows / 2))
                """)
            return day.first?[0].map { "\(code)|\($0)" }
        }
        let sql = """
            SELECT count(DISTINCT c._k >> 24) FROM Observation_code_coding c WHERE c.code = substr(?1, 1, instr(?1, '|') - 1)
            AND c._k & -16777216 IN (SELECT o._k FROM Observation o WHERE o._parent IS NULL
            AND o.effectiveDateTime >= substr(?1, instr(?1, '|') + 1))
            """
        let reader = try FloorReader(path)
        let statement = try reader.prepare(sql)
        var options = SearchOptions()
        options.timeZone = .gmt
        return try bench.measureEach(
            Self.total, arguments,
            query: { argument in
                let parts = argument.split(separator: "|")
                let search = "Observation?code=\(parts[0])&date=ge\(parts[1])&_summary=count"
                return try store.search(search, options: options).total ?? -1
            },
            floor: { Int(reader.integer(statement, $0)) },
            verify: { $0 == $1 && $0.count >= 5 && $0.allSatisfy { (1..<10_000).contains($0) } })
    }

    /// The patients with a word in one of their values.
    private func content(_ bench: Bench, _ store: FHIRStore) throws -> Measurement {
        let patients = try store.count(Patient.self)
        guard let family = try store.query(Patient.self).first()?.name.first?.family else {
            throw BenchmarkFailure("the first patient has no name")
        }
        let word = family.lowercased()
        var (found, expected) = (0, 0)
        return try bench.measure(
            Self.content, operations: patients,
            subject: { stopwatch in
                found = try stopwatch.measure { try store.search("Patient?_content=\(word)&_summary=count").total ?? -1 }
            },
            floor: { stopwatch in
                expected = 0
                try stopwatch.measure {
                    try store.read { tx in
                        try tx.forEach(Patient.self) { if FHIRJSON.string($0).lowercased().contains(word) { expected += 1 } }
                    }
                }
            },
            verify: { found == expected && found > 0 })
    }

    private func pages(
        _ bench: Bench, _ name: String, _ store: FHIRStore, _ path: String, _ arguments: [String], _ sql: String,
        _ search: (String) -> String
    ) throws -> Measurement {
        try pages(bench, name, store, path, [arguments], sql, search)
    }

    /// Measures a page of a search for each argument, and a statement that finds the same resources, whose rows are read.
    ///
    /// - Parameter rounds: the arguments of each repetition, of which each has as many; after the last one the first comes again.
    private func pages(
        _ bench: Bench, _ name: String, _ store: FHIRStore, _ path: String, _ rounds: [[String]], _ sql: String,
        _ search: (String) -> String
    ) throws -> Measurement {
        var options = SearchOptions()
        options.timeZone = .gmt
        let reader = try FloorReader(path)
        let statement = try reader.prepare(sql)
        let searches = rounds.map { $0.map(search) }
        var round = -1
        var found: [[String]] = []
        var roots: [[Int64]] = []
        return try bench.measure(
            name, operations: rounds[0].count,
            subject: { stopwatch in
                found = []
                round = (round + 1) % rounds.count
                try stopwatch.measure {
                    for search in searches[round] { found.append(try store.search(search, options: options).matches.compactMap(\.id)) }
                }
            },
            floor: { stopwatch in
                roots = []
                stopwatch.measure {
                    for argument in rounds[round] {
                        reader.transaction {
                            let page = reader.integers(statement, argument)
                            for root in page { reader.read(root: root) }
                            roots.append(page)
                        }
                    }
                }
            },
            verify: {
                let table = searches[0].first?.hasPrefix("Patient") ?? true ? "Patient" : "Observation"
                let data = try RawDatabase(path)
                let expected = try roots.map { page in
                    try page.compactMap { try data.rows("SELECT id FROM \(table) WHERE _k = \($0 << 24)").first?[0] }
                }
                return found == expected && found.contains { !$0.isEmpty }
            })
    }
}
