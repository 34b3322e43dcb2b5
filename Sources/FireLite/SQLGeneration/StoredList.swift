/// The rows of a list, and what makes a row one of this list.
package struct StoredList {
    let table: TablePlan
    /// The member that rows fill: for resources in resources, and for lists that share a table with another list of their owner.
    let member: String?
    /// A row.
    package let row: StoredPlace
    /// The object that the list is an element of.
    let owner: StoredPlace
    /// The value of a list of primitives.
    package var value: StoredColumn?

    /// The name of the table.
    package var tableName: String { table.name }

    /// Whether the file has such rows at all.
    var exists: Bool { table.isInFile && (member == nil || table.holdsContainedRows) }

    /// The condition that a row is of the list.
    package var link: SQLFragment {
        let isOwned = TableWalk.ownership(of: row.alias, by: owner)
        return isMember.map { "\(isOwned) AND \($0)" } ?? isOwned
    }

    /// The condition that a row of the table fills the list's member; nil if all do.
    var isMember: SQLFragment? { member.map { "\(row.alias).\"_member\" = \(bind: .text($0))" } }

    /// The condition that a row is the one at a position of the list. The sign keeps SQLite from building an index of the positions for a query, in
    /// which most rows have one key.
    package func isAt(_ position: Int64, isJoined: Bool = false) -> SQLFragment {
        "\(raw: isJoined ? "+" : "")\(row.alias)._ord = \(bind: .integer(position))"
    }
}
