import FireLiteSQLiteBridge

/// A column of a table, except bookkeeping columns.
struct ColumnPlan {
    /// The part of an element in the column.
    enum Role: UInt8 {
        /// The value, in the form that SQL compares.
        case main
        /// What is needed to restore the literal if the value is not enough: an offset or a decimal's literal.
        case aside
        /// A pk that was read or set before the element was stored.
        case pk
        /// The member of its owner that a contained resource fills.
        case member
    }

    let name: String
    let role: Role
    /// The inlined object of the column.
    let group: Int
    /// The element's slot in that object.
    let slot: Int
    /// The position of the column among the others: the order of a row's values in a walk through the object.
    let key: [UInt16]
    /// The name as an SQL identifier.
    var quotedName: String { quoted(name) }
    /// The type in the table's definition.
    let declaredType: String
}
