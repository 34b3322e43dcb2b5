import FireLite
import FireLiteR4
import FireLiteSQLite

/// Reads a store that exists, however large, and prints what each way of reading it costs beside its floor.
///
/// The data of the store is not at hand, so what is found is compared with what the floor finds.
struct StoreRun {
    private static let fetched = 2_000
    static let sampled = 50

    let path: String
    private let repetitions: Int
    let store: FHIRStore
    let database: RawDatabase
    private let observations: Int
    /// Numbers of observations, spread over the file.
    let roots: [Int64]

    init(_ path: String, repetitions: Int) throws {
        self.path = path
        self.repetitions = repetitions
        var configuration = FHIRStore.Configuration()
        configuration.mustExist = true
        store = try FHIRStore(path: path, release: .r4, configuration: configuration)
        database = try RawDatabase(path)
        observations = try store.count(Observation.self)
        let last = try database.integer("SELECT max(root) FROM _resource")
        guard observations > Self.fetched else { throw BenchmarkFailure("\(path) has \(observations) observations, too few to measure") }
        var random = SeededRandom(seed: 8)
        let statement = try database.prepare("SELECT _k >> 24 FROM Observation WHERE _k >= ? << 24 AND _parent IS NULL ORDER BY _k LIMIT 1")
        var roots: Set<Int64> = []
        while roots.count < Self.fetched {
            sqlite3_bind_int64(statement, 1, Int64.random(in: 0...Int64(last), using: &random))
            if sqlite3_step(statement) == SQLITE_ROW { roots.insert(sqlite3_column_int64(statement, 0)) }
            sqlite3_reset(statement)
        }
        self.roots = roots.sorted()
    }

    /// Measures each store and prints a table; after the second and any further one also how much each line grew since the first.
    ///
    /// - Parameter changes: whether the stores may be changed.
    static func run(_ paths: [String], repetitions: Int, changes: Bool) throws -> BenchmarkRun.Outcome {
        var first: [StoreCost] = []
        var isRight = true
        for path in paths {
            let run = try StoreRun(path, repetitions: repetitions)
            print("\(Figures.grouped(try run.database.integer("SELECT count(*) FROM _resource"))) resources in \(path)")
            let costs = try run.readings() + (changes ? run.writings() : [])
            let grown = costs.map { cost in first.first { $0.name == cost.name }.map(cost.growth) ?? [] }
            let header =
                ["", "operations", "CPU µs", "floor", "ratio", "wall µs", "right"] + (first.isEmpty ? [] : ["growth", "of the floor"])
            print(ResultTable.text([header] + zip(costs, grown).map { $0.cells + $1 }))
            if first.isEmpty { first = costs }
            isRight = isRight && costs.allSatisfy(\.isRight)
            // The floors' connections are closed last: moving the log into the file, they would write pages without checksums.
            if changes { isRight = try run.store.checkpoint(.truncate).isComplete && isRight }
        }
        return isRight ? .right : .wrong
    }

    private func readings() throws -> [StoreCost] {
        try [
            fetch(), byReference(), byCode(), page(), countOfCode(), countsByCode(), count(), latestOfCode(), byName(), totalUnindexed(),
            view(),
        ]
    }

    // MARK: - What is measured

    private func fetch() throws -> StoreCost {
        var random = SeededRandom(seed: 9)
        let keys = roots.map { "\($0 << 24)" }.joined(separator: ", ")
        // Not in the order of the file.
        let ids = try values("SELECT id FROM Observation WHERE _k IN (\(keys))").shuffled(using: &random)
        let reader = try FloorReader(path, keys: ids.map { ResourceKey(observation: $0) })
        return try measure(
            "fetch one by id", ids.count, subject: { try ids.count { try store.resource(Observation.self, id: $0) != nil } },
            floor: {
                let before = reader.registrations
                reader.readOneByOne()
                return reader.registrations - before
            })
    }

    private func byReference() throws -> StoreCost {
        let references = try values(of: "subject_reference")
        let reader = try FloorReader(path)
        let statement = try reader.prepare("SELECT id FROM Observation WHERE subject_reference = ? AND _parent IS NULL ORDER BY _k")
        return try each(
            "ids of a patient's observations, index", references,
            { reference in try store.query(Observation.self).where { $0.subject.reference == reference }.ids().count },
            floor: { reader.texts(statement, $0).count })
    }

    /// Codes with few observations each.
    private static let rare = "SELECT code FROM Observation_code_coding GROUP BY code ORDER BY count(*), code LIMIT \(sampled)"
    static let frequent = "SELECT code FROM Observation_code_coding GROUP BY code ORDER BY count(*) DESC, code LIMIT 10"

    private func byCode() throws -> StoreCost {
        let reader = try FloorReader(path)
        let statement = try reader.prepare("SELECT DISTINCT _k >> 24 FROM Observation_code_coding WHERE code = ? ORDER BY 1")
        return try each(
            "objects of a rare code, index", values(Self.rare),
            { code in try store.query(Observation.self).where { $0.code.coding.code == code }.all().count },
            floor: { reader.readResources(statement, $0) })
    }

    private func page() throws -> StoreCost {
        let dates = try values(of: "effectiveDateTime")
        let reader = try FloorReader(path)
        let statement = try reader.prepare(
            "SELECT id FROM Observation WHERE effectiveDateTime < ? AND _parent IS NULL ORDER BY effectiveDateTime DESC, _k DESC LIMIT 50")
        return try each(
            "ids of the last 50 before a time, index", dates,
            { date in
                guard let before = QueryDate("\(date)Z") else { throw BenchmarkFailure("an observation has a date without a time") }
                return try store.query(Observation.self).where { $0.effectiveDateTime < before }
                    .sort { $0.effectiveDateTime.descending }.limit(50).ids().count
            }, floor: { reader.texts(statement, $0).count })
    }

    private func countOfCode() throws -> StoreCost {
        let reader = try FloorReader(path)
        let statement = try reader.prepare("SELECT count(*) FROM Observation_code_coding WHERE code = ?")
        return try each(
            "count of a frequent code, index", values(Self.frequent),
            { code in try store.query(Observation.self).where { $0.code.coding.code == code }.count() },
            floor: { Int(reader.integer(statement, $0)) })
    }

    private func countsByCode() throws -> StoreCost {
        try measure(
            "counts by code, index", 1, subject: { try store.query(Observation.self).counts { $0.code.coding.code }.count },
            floor: { try database.rows("SELECT code, count(*) FROM Observation_code_coding GROUP BY code").count })
    }

    private func count() throws -> StoreCost {
        try measure(
            "count of a type", 1, subject: { try store.count(Observation.self) },
            floor: { try database.integer("SELECT count(*) FROM Observation WHERE _parent IS NULL") })
    }

    // MARK: - Measuring

    func values(_ sql: String) throws -> [String] { try database.rows(sql).compactMap { $0[0] } }

    /// Values of a column in some of the observations.
    private func values(of column: String) throws -> [String] {
        let keys = roots.prefix(Self.sampled).map { "\($0 << 24)" }.joined(separator: ", ")
        return try values("SELECT \(column) FROM Observation WHERE _k IN (\(keys)) AND \(column) IS NOT NULL")
    }

    func each(
        _ name: String, _ values: [String], _ query: (String) throws -> Int, floor: (String) throws -> Int
    ) throws -> StoreCost {
        try measure(
            name, values.count, subject: { try values.reduce(0) { try $0 + query($1) } },
            floor: { try values.reduce(0) { try $0 + floor($1) } })
    }

    /// Measures work and floor in turns.
    ///
    /// - Parameters:
    ///   - subject: does the work, and returns how much it found.
    ///   - floor: the same with the C API.
    func measure(_ name: String, _ operations: Int, subject: () throws -> Int, floor: () throws -> Int) throws -> StoreCost {
        try measure(name, operations, subject: { try $0.measure(subject) }, floor: { try $0.measure(floor) })
    }

    /// The same, of what `subject` and `floor` have their stopwatches measure.
    func measure(
        _ name: String, _ operations: Int, subject: (Stopwatch) throws -> Int, floor: (Stopwatch) throws -> Int
    ) throws -> StoreCost {
        var cost = StoreCost(name: name, operations: operations)
        for _ in 0..<repetitions {
            let (work, raw) = (Stopwatch(), Stopwatch())
            let found = try subject(work)
            let expected = try floor(raw)
            cost.turns.append((work.cost, raw.cost))
            if found != expected || found == 0 { cost.isRight = false }
        }
        return cost
    }
}
