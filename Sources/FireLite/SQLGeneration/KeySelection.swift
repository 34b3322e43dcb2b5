/// What a condition of the form `alias._k IN (SELECT …)` selects.
struct KeySelection: Sendable {
    /// Which keys the `SELECT` has.
    enum Keys {
        /// Of rows of the alias's table.
        case rows
        /// Of rows of the alias's table that are resources and not contained, so that it needs no other condition for that.
        case resources
    }

    let alias: RowAlias
    let select: SQLFragment
    let keys: Keys
    /// The number of statements that `UNION ALL` joins in it.
    let terms: Int
}
