import FireLiteSQLiteBridge

/// A column of a table, beside the bookkeeping ones.
struct ColumnPlan {
    /// What of an element the column holds.
    enum Role: UInt8 {
        /// The value, as SQL compares it.
        case main
        /// What gives the literal back where the value does not: an offset or a decimal's literal.
        case aside
        /// A pk that was read or set before the element was stored.
        case pk
        /// The member of its owner that a contained resource fills.
        case member
    }

    let name: String
    let role: Role
    /// The object inlined in the row that the column belongs to.
    let group: Int
    /// The element's slot in that object.
    let slot: Int
    /// Where the column stands among the others: the order in which a row's values are met on a walk through the object.
    let key: [UInt16]
    /// The name as an identifier of SQL.
    var quotedName: String { quoted(name) }
    /// The type in the table's definition.
    let declaredType: String
}
