/// The tables of a store's file, as its catalog has them.
struct RawSchema {
    struct Table {
        let name: String
        /// What makes it and its indexes.
        let sql: [String]
        let columns: [String]
        /// The column that holds a row's key: `_k`, or `root` in the registry.
        let key: String
    }

    /// What a store makes when its file is new, in the order of their making.
    let fixed: [String]
    /// The tables of resources, elements and shapes; the registry comes last, as a resource is registered when its rows are there.
    let tables: [Table]
    let shapeRows: [[String?]]

    init(_ database: RawDatabase) throws {
        let entries = try database.rows("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        fixed = entries.filter { $0[2]?.hasPrefix("_") == true }.compactMap { $0[3] }
        var tables: [Table] = []
        for entry in entries where entry[0] == "table" {
            guard let name = entry[1], name == "_resource" || !name.hasPrefix("_") else { continue }
            let columns = try database.rows("PRAGMA table_info(\"\(name)\")").compactMap { $0[1] }
            tables.append(
                Table(name: name, sql: entries.filter { $0[2] == name }.compactMap { $0[3] }, columns: columns, key: columns[0]))
        }
        self.tables = tables.filter { $0.name != "_resource" } + tables.filter { $0.name == "_resource" }
        shapeRows = try database.rows("SELECT shape, type, tables FROM _shape ORDER BY shape")
    }

    /// The bit position of the resource's number in a table's key.
    static func shift(_ table: Table) -> Int64 { table.name == "_resource" ? 0 : 24 }
}
