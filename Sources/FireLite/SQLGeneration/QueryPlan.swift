/// The engine's decisions about a query: which condition leads to the rows, and which only filter.
enum QueryPlan {
    /// Up to this number of rows a condition always leads.
    static let selectiveRows = 64
    /// In a larger table a condition leads if it leaves at most one row of so many: looking up a row and testing the other conditions on it costs
    /// about as much as scanning so many rows in each of the tables.
    static let selectiveShare = 12
    /// The same for a condition on the row itself without others: its rows must be sorted.
    static let selectiveShareAlone = 4

    /// Where testing all rows of a table reads up to this number of rows, they are never walked through for the first results.
    static let leastWalked = 4_096

    /// A condition with an index.
    struct Lead {
        /// The index of the condition, or of the one that it is a part of.
        let part: Int
        /// The parts of indexes that contain its rows.
        let selects: [SQLFragment]
        /// Its column of the row itself; nil if it is on a list's column, or on several.
        let ownColumn: String?
        /// Whether its rows are in the order of their keys.
        let isOrdered: Bool

        var isOwn: Bool { ownColumn != nil }
    }

    /// The condition with the fewest rows of several, each of which is the rows of some `SELECT`s, and their approximate number; nil if each has
    /// more than `limit`.
    ///
    /// All are counted up to one limit, then up to a higher one, so that no frequent condition is counted for long.
    ///
    /// - Parameters:
    ///   - isCounted: whether the number of rows is wanted if few: otherwise the only condition with few rows is not counted.
    ///   - rows: the number of rows of a `SELECT`, up to a limit.
    ///   - hasMore: whether it has more rows than a limit.
    static func fewest<Select>(
        _ leads: [[Select]], atMost limit: Int, isCounted: Bool, rows: (Select, Int) throws -> Int, hasMore: (Select, Int) throws -> Bool
    ) rethrows -> (lead: Int, rows: Int)? {
        var most = selectiveRows
        while true {
            most = min(most, limit)
            let few = try leads.indices.filter { try !self.hasMore(leads[$0], than: most, rows: rows, hasMore: hasMore) }
            if few.count == 1, !isCounted || most > selectiveRows { return (few[0], most) }
            let counted = try few.map { lead in (lead: lead, rows: try leads[lead].reduce(0) { try $0 + rows($1, most) }) }
            if let best = counted.min(by: { $0.rows < $1.rows }) { return (best.lead, rounded(best.rows)) }
            if most == limit { return nil }
            most *= 16
        }
    }

    /// Whether several `SELECT`s together have more rows than `limit`.
    static func hasMore<Select>(
        _ selects: [Select], than limit: Int, rows: (Select, Int) throws -> Int, hasMore: (Select, Int) throws -> Bool
    ) rethrows -> Bool {
        if selects.count == 1 { return try hasMore(selects[0], limit) }
        var count = 0
        for select in selects where count <= limit { count += try rows(select, limit + 1 - count) }
        return count > limit
    }

    /// The least power of two that is not less than a number of rows: plans are made for few different numbers.
    private static func rounded(_ rows: Int) -> Int { rows < 3 ? rows : 1 << (Int.bitWidth - (rows - 1).leadingZeroBitCount) }

    /// The required order of the results.
    enum Order {
        /// None: only their number or their values.
        case none
        /// By their keys, or by values without an index.
        case keys
        /// By the values of an indexed column, with a limit.
        case index(column: String, limit: Int)
    }
}
