/// A row of a table, for inspection (`ReadTransaction.rows(of:)`).
public struct StoredRow: Sendable, Hashable {
    /// A column that is not NULL.
    public struct Column: Sendable, Hashable {
        /// The column's name.
        public let name: String
        /// The value as text.
        public let value: String
    }

    /// The table's name.
    public let table: String
    /// The columns that are not NULL, `_k` first.
    public let columns: [Column]

    init(_ reader: RowReader) {
        let statement = reader.statement
        table = reader.columns.plan.name
        columns = (0..<statement.columnCount).compactMap { index in
            statement.text(index).map { Column(name: statement.columnName(index), value: $0) }
        }
    }
}
