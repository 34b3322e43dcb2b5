import FireLite

/// The number of rows of a table.
struct RowCount: Sendable, Hashable {
    let number: Int
    /// Whether it was counted, and not estimated or taken from SQLite's statistics.
    let isExact: Bool

    init(number: Int, isExact: Bool) {
        self.number = number
        self.isExact = isExact
    }

    /// An estimate, of which two digits are said.
    init(about number: Int) {
        var unit = 1
        while number / unit >= 100 { unit *= 10 }
        self.init(number: (number + unit / 2) / unit * unit, isExact: false)
    }

    var text: String { isExact ? Numbers.count(number) : "about \(Numbers.count(number))" }

    /// `1 row`, `about 1,200 rows`.
    func text(_ one: String, _ many: String) -> String { "\(text) \(number == 1 ? one : many)" }

    static func sum(_ counts: [RowCount]) -> RowCount {
        RowCount(number: counts.reduce(0) { $0 + $1.number }, isExact: counts.allSatisfy(\.isExact))
    }
}

/// Statements that count rows, exactly or by a sample of resources.
struct RowCounting {
    /// The number of rows up to which every table is counted.
    static let few = 2_000
    /// The number of resources of a file up to which counting them takes no longer than a page may.
    static let quick = RowSample.leastSampled

    /// The number of the newest resource.
    let newest: Int
    private let few: Int

    init(_ store: FHIRStore, few: Int = few) throws {
        newest = try store.sql("SELECT max(root) FROM _resource").first?[0].intValue ?? 0
        self.few = few
    }

    /// Whether a number is that of all rows, and not where ``first(of:where:)`` has ended.
    func isWhole(_ number: Int) -> Bool { number <= few }

    /// Counts the first rows.
    func first(of table: String, where condition: String = "1") -> String {
        "SELECT count(*) FROM (SELECT 1 FROM \(sqlName(table)) WHERE \(condition) LIMIT \(few + 1))"
    }

    /// Counts all rows, one by one: SQLite's own way to count those of a table cannot be ended midway.
    func all(of table: String, where condition: String = "1") -> String {
        "SELECT count(*) FROM (SELECT 1 FROM \(sqlName(table)) WHERE \(condition) LIMIT -1)"
    }

    /// Estimates the number of rows that resources have in a table with keys.
    ///
    /// - Parameter areRoots: whether only the resources' own rows count.
    func estimate(of table: String, areRoots: Bool) -> String {
        RowSample.statement(sqlName(table), newest: Int64(newest), areRoots: areRoots)
    }
}

/// The number of resources of a type.
struct TypeNumber: Sendable {
    let typeName: String
    let rows: RowCount

    var count: Int { rows.number }

    /// The numbers of the types of which there are resources. Those that there is no time to count are estimated.
    ///
    /// - Parameters:
    ///   - types: their names.
    ///   - quick: up to this number of resources in the file, all are counted.
    static func all(
        _ types: [String], _ store: FHIRStore, _ counting: RowCounting, quick: Int = RowCounting.quick, _ budget: TimeBudget
    ) throws -> [TypeNumber] {
        let ownRows = "_parent IS NULL"
        var found: [TypeNumber] = []
        var large: [(type: String, estimate: Int)] = []
        for type in types {
            let first = try store.sql(counting.first(of: type, where: ownRows)).first?[0].intValue ?? 0
            if counting.isWhole(first) {
                if first > 0 { found.append(TypeNumber(typeName: type, rows: RowCount(number: first, isExact: true))) }
            } else {
                let estimate = try store.sql(counting.estimate(of: type, areRoots: true)).first?[0].intValue ?? 0
                large.append((type, max(first, estimate)))
            }
        }
        for (type, estimate) in large.sorted(by: { $0.estimate < $1.estimate }) {
            let statement = counting.all(of: type, where: ownRows)
            let number = counting.newest <= quick ? try store.sql(statement).first?[0].intValue : try budget.number(store, statement)
            found.append(TypeNumber(typeName: type, rows: number.map { RowCount(number: $0, isExact: true) } ?? RowCount(about: estimate)))
        }
        return found.sorted { $0.typeName < $1.typeName }
    }
}

/// The numbers of rows of tables, as far as there is time to count; then what SQLite's statistics say, if there are any, or estimates.
struct TableCounts: Sendable {
    private(set) var counts: [String: RowCount] = [:]
    /// Whether every table was counted.
    private(set) var isWhole = true

    /// - Parameters:
    ///   - tables: the names of the tables.
    ///   - schema: the columns of all tables.
    ///   - quick: up to this number of resources in the file, SQLite's own way to count is used.
    init(
        _ tables: [String], schema: [String: Set<String>], _ store: FHIRStore, _ counting: RowCounting, quick: Int = RowCounting.quick,
        _ budget: TimeBudget
    ) throws {
        var missing: [String] = []
        if counting.newest <= quick {
            for table in tables {
                if let number = try budget.number(store, "SELECT count(*) FROM \(sqlName(table))") {
                    counts[table] = RowCount(number: number, isExact: true)
                } else {
                    missing.append(table)
                }
            }
        } else {
            missing = try countLarge(tables, schema, store, counting, budget)
        }
        isWhole = missing.isEmpty
        guard !missing.isEmpty, schema["sqlite_stat1"] != nil else { return }
        // The first number of a row is that of the table's rows when ANALYZE ran (SQLite, The ANALYZE command).
        let rows = try store.sql("SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl")
        let known = Dictionary(rows.compactMap { row in row[0].textValue.flatMap { name in row[1].intValue.map { (name, $0) } } }) {
            first, _ in
            first
        }
        for table in missing { if let number = known[table] { counts[table] = RowCount(number: number, isExact: false) } }
    }

    /// Counts small tables and estimates large ones first, so that one large table does not take the time of all others.
    ///
    /// - Returns: the tables that are not counted.
    private mutating func countLarge(
        _ tables: [String], _ schema: [String: Set<String>], _ store: FHIRStore, _ counting: RowCounting, _ budget: TimeBudget
    ) throws -> [String] {
        var missing: [String] = []
        for table in tables {
            guard let first = try budget.number(store, counting.first(of: table)) else {
                missing.append(table)
                continue
            }
            if counting.isWhole(first) {
                counts[table] = RowCount(number: first, isExact: true)
                continue
            }
            missing.append(table)
            guard schema[table]?.contains("_k") ?? false,
                let estimate = try budget.number(store, counting.estimate(of: table, areRoots: false))
            else { continue }
            counts[table] = RowCount(about: max(first, estimate))
        }
        func estimate(_ table: String) -> Int { counts[table]?.number ?? .max }
        for table in missing.sorted(by: { (estimate($0), $0) < (estimate($1), $1) }) {
            guard let number = try budget.number(store, counting.all(of: table)) else { break }
            counts[table] = RowCount(number: number, isExact: true)
        }
        return missing.filter { !(counts[$0]?.isExact ?? false) }
    }

    /// The rows of some tables together; nil if one is not known.
    func sum(_ tables: [String]) -> RowCount? {
        let known = tables.compactMap { counts[$0] }
        return known.count == tables.count ? RowCount.sum(known) : nil
    }
}
