/// What the engine decides about a query: which condition leads to the rows, and which only sort out.
enum QueryPlan {
    /// Up to so many rows a condition leads whatever else there is.
    static let selectiveRows = 64
    /// Of a larger table a condition leads that leaves one row of so many: to look a row up and to try the other conditions on it costs about
    /// as much as going past so many in each of the tables.
    static let selectiveShare = 12

    /// A condition that an index can lead to.
    struct Lead {
        /// Which of several conditions it is, or is a part of.
        let part: Int
        /// What to read of indexes to have its rows.
        let selects: [SQLFragment]
        /// Whether it is on a column of the row itself, and not of a list's.
        let isOwn: Bool
        /// Whether its rows come in the order of their keys.
        let isOrdered: Bool
    }

    /// How the results are wanted.
    enum Order {
        /// Only their number or their values.
        case none
        /// By their keys, or by values that no index gives in order.
        case keys
        /// By values that an index gives in order, and no more than so many.
        case index(limit: Int)
    }
}
