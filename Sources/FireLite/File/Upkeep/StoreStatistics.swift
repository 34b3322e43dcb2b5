/// The sizes of a store and its tables.
public struct StoreStatistics: Sendable {
    public struct Table: Sendable {
        public let name: String
        public let rows: Int
        /// The number of its columns, without bookkeeping columns.
        public let columns: Int
    }

    /// Views, and tables whose names begin with an underscore, of other programs, such as `view families`. The store leaves them alone.
    public let others: [String]
    public let tables: [Table]
    /// The size of the database file, without the write-ahead log, in bytes.
    public let fileBytes: Int
    public let resources: Int
}
