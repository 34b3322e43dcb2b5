/// What the engine decides about a query: which condition leads to the rows, and which only sort out.
enum QueryPlan {
    /// Up to so many rows a condition leads whatever else there is.
    static let selectiveRows = 64
    /// Of a larger table a condition leads that leaves one row of so many: to look a row up and to try the other conditions on it costs about
    /// as much as going past so many in each of the tables.
    static let selectiveShare = 12
    /// The same for a condition on the row itself without others beside it: its rows have to be sorted.
    static let selectiveShareAlone = 4

    /// A condition that an index can lead to.
    struct Lead {
        /// Which of several conditions it is, or is a part of.
        let part: Int
        /// What to read of indexes to have its rows.
        let selects: [SQLFragment]
        /// The column of the row itself that it is on; nil if it is on a list's, or on several.
        let ownColumn: String?
        /// Whether its rows come in the order of their keys.
        let isOrdered: Bool

        var isOwn: Bool { ownColumn != nil }
    }

    /// How the results are wanted.
    enum Order {
        /// Only their number or their values.
        case none
        /// By their keys, or by values that no index gives in order.
        case keys
        /// By the values of a column that an index gives in order, and no more than so many.
        case index(column: String, limit: Int)
    }
}
