import FireLiteCore
import SQLiteBridge

/// Which indexes a file has, as one connection sees it.
final class IndexCatalog {
    /// The first columns of each table's indexes.
    private var firstColumns: [String: Set<String>] = [:]
    /// The types that have a full-text index.
    private(set) var fullTextTypes: Set<String> = []
    private var version: Int64 = -2

    /// Between a table's name and its columns' in the name of an index.
    static let separator = "__"

    /// Reads the file's catalog again if it has changed.
    func refresh(_ connection: Connection, version current: Int64) throws {
        guard version != current else { return }
        firstColumns.removeAll()
        fullTextTypes.removeAll()
        let statement = try connection.cached(
            """
            SELECT tbl_name, i.name FROM sqlite_schema s, pragma_index_info(s.name) i WHERE s.type = 'index' AND i.seqno = 0
            UNION ALL SELECT substr(name, 7), NULL FROM sqlite_schema WHERE type = 'table' AND name LIKE '\\_text\\_%' ESCAPE '\\'
              AND sql LIKE 'CREATE VIRTUAL TABLE%'
            """)
        defer { statement.reset() }
        while try statement.step() {
            guard let table = statement.text(0) else { continue }
            if let column = statement.text(1) { firstColumns[table, default: []].insert(column) } else { fullTextTypes.insert(table) }
        }
        version = current
    }

    /// Forgets what was read, which a rollback may have undone.
    func forget() { version = -2 }

    /// Whether an index begins with the column.
    func hasIndex(on column: QueryColumn) -> Bool {
        guard let name = column.name else { return false }
        return firstColumns[column.table.name]?.contains(name) ?? false
    }
}
