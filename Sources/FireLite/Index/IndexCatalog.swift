import FireLiteCore
import FireLiteSQLiteBridge

/// The indexes of a file, as one connection sees them.
final class IndexCatalog {
    /// The first columns of each table's indexes.
    private var firstColumns: [String: Set<String>] = [:]
    /// The columns of each table with an index that ignores case.
    private var caselessColumns: [String: Set<String>] = [:]
    /// The types that have a full-text index.
    private(set) var fullTextTypes: Set<String> = []
    /// The version of the file's catalog that was read; nil if none was.
    private var version: Int64?

    /// The separator between table and columns in the name of an index.
    static let separator = "__"
    /// The end of the name of an index that ignores case.
    static let caselessEnding = "__caseless"

    /// Reads the file's catalog again if it has changed.
    func refresh(_ connection: Connection, version current: Int64?) throws {
        if let current, current == version { return }
        firstColumns.removeAll()
        caselessColumns.removeAll()
        for (index, table) in try names(connection, "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index'") {
            let statement = try connection.prepare("PRAGMA index_info(\(quoted(index)))")
            guard try statement.step(), let column = statement.text(2) else { continue }
            if index.hasSuffix(Self.caselessEnding) {
                caselessColumns[table, default: []].insert(column)
            } else {
                firstColumns[table, default: []].insert(column)
            }
        }
        let tables = try names(
            connection,
            """
            SELECT substr(name, 7), name FROM sqlite_master WHERE type = 'table' AND name LIKE '\\_text\\_%' ESCAPE '\\'
              AND sql LIKE 'CREATE VIRTUAL TABLE%'
            """)
        fullTextTypes = Set(tables.map(\.0))
        version = current
    }

    private func names(_ connection: Connection, _ sql: String) throws -> [(String, String)] {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        var names: [(String, String)] = []
        while try statement.step() { names.append((statement.text(0) ?? "", statement.text(1) ?? "")) }
        return names
    }

    /// Whether an index of the column ignores case.
    func hasCaselessIndex(on column: StoredColumn) -> Bool {
        guard let name = column.name else { return false }
        return caselessColumns[column.table.name]?.contains(name) ?? false
    }

    /// Discards what was read, which a rollback may have undone.
    func forget() { version = nil }

    /// Whether an index begins with the column.
    func hasIndex(on column: StoredColumn) -> Bool {
        guard let name = column.name else { return false }
        return firstColumns[column.table.name]?.contains(name) ?? false
    }
}
