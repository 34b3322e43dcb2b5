/// A row of a statement's result: values by column number or name.
public struct SQLRow: Sendable {
    /// The names of the columns, in their order.
    public let columns: [String]
    /// The values of the columns.
    public let values: [SQLValue]

    /// The value of a column by its number.
    ///
    /// - Precondition: there is such a column.
    public subscript(index: Int) -> SQLValue { values[index] }

    /// The value of the first column with that name; NULL if there is none.
    public subscript(name: String) -> SQLValue { columns.firstIndex(of: name).map { values[$0] } ?? .null }
}
