/// The sizes of a store and its tables.
public struct StoreStatistics: Sendable {
    /// A table of resources or their elements, and its size.
    public struct Table: Sendable {
        /// The table's name, `Patient_name`.
        public let name: String
        /// The number of its rows.
        public let rows: Int
        /// The number of its columns, without bookkeeping columns.
        public let columns: Int
    }

    /// A table that a module of the library keeps in the file, such as the outbox, and its rows.
    public struct ModuleTable: Sendable {
        /// The module's name, `outbox`.
        public let module: String
        /// The table's name, `_outbox`.
        public let name: String
        /// The number of its rows.
        public let rows: Int
    }

    /// Views, and tables whose names begin with an underscore, of other programs, such as `view families`. The store leaves them alone.
    public let others: [String]
    /// The tables of resources and their elements.
    public let tables: [Table]
    /// The tables of modules, whether or not the program uses the modules.
    public let modules: [ModuleTable]
    /// The size of the database file, without the write-ahead log, in bytes.
    public let fileBytes: Int
    /// The number of stored resources.
    public let resources: Int
}

/// The number of a store's resources of a type.
public struct TypeCount: Sendable, Hashable {
    /// FHIR's name of the resource type: `Patient`.
    public let typeName: String
    /// The number of resources, without contained ones.
    public let count: Int
}
