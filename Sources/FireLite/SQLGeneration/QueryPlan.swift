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
