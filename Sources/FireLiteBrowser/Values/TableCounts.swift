import FireLite

/// The number of rows of a table.
struct RowCount: Sendable {
    let number: Int
    /// Whether it was counted, and not taken from SQLite's statistics.
    let isExact: Bool

    var text: String { isExact ? Numbers.count(number) : "about \(Numbers.count(number))" }
}

/// The numbers of rows of tables, as far as there is time to count; then what SQLite's statistics say, if there are any.
struct TableCounts: Sendable {
    private(set) var counts: [String: RowCount] = [:]
    /// Whether every table was counted.
    private(set) var isWhole = true

    init(_ tables: [String], _ store: FHIRStore, hasStatistics: Bool, _ budget: TimeBudget) throws {
        var missing: [String] = []
        for table in tables {
            if let number = try budget.number(store, "SELECT count(*) FROM \(sqlName(table))") {
                counts[table] = RowCount(number: number, isExact: true)
            } else {
                missing.append(table)
            }
        }
        isWhole = missing.isEmpty
        guard !missing.isEmpty, hasStatistics else { return }
        // The first number of a row is that of the table's rows when ANALYZE ran (SQLite, The ANALYZE command).
        let rows = try store.sql("SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl")
        let known = Dictionary(rows.compactMap { row in row[0].textValue.flatMap { name in row[1].intValue.map { (name, $0) } } }) {
            first, _ in
            first
        }
        for table in missing { if let number = known[table] { counts[table] = RowCount(number: number, isExact: false) } }
    }

    /// The rows of some tables together; nil if one is not known.
    func sum(_ tables: [String]) -> RowCount? {
        var (number, isExact) = (0, true)
        for table in tables {
            guard let count = counts[table] else { return nil }
            number += count.number
            isExact = isExact && count.isExact
        }
        return RowCount(number: number, isExact: isExact)
    }
}
