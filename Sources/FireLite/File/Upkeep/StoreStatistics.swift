/// How large a store and its tables are.
public struct StoreStatistics: Sendable {
    public struct Table: Sendable {
        public let name: String
        public let rows: Int
        /// Its columns beside the bookkeeping ones.
        public let columns: Int
    }

    /// What others keep in the file: views, and tables whose names begin with an underscore, such as `view families`. The store leaves them alone.
    public let others: [String]
    public let tables: [Table]
    /// The size of the database file, without the write-ahead log, in bytes.
    public let fileBytes: Int
    public let resources: Int
}
