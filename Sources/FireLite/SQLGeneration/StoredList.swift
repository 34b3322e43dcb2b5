/// The rows of a list.
package struct StoredList {
    /// The row.
    package let row: StoredPlace
    /// The table, as an identifier.
    package let table: String
    /// The condition that a row is of the list.
    package let link: String
    /// The value of a list of primitives.
    package let value: StoredColumn?
}
