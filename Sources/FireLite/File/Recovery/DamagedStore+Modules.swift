import FireLiteSQLiteBridge

/// A module's table in a damaged file.
struct DamagedModuleTable {
    /// The table that the new store gets: the module's own definition if this library has the module, or else the file's.
    let table: ModuleTable
    /// The key and the columns as the file calls them, in the order of the definition.
    let key: String
    let columns: [String]
    /// What is different in the file; nil if nothing is.
    let difference: String?

    var name: String { table.name }

    init(_ table: ModuleTable) {
        self.init(table, key: table.key, columns: table.columns.map(\.name), difference: nil)
    }

    private init(_ table: ModuleTable, key: String, columns: [String], difference: String?) {
        (self.table, self.key, self.columns, self.difference) = (table, key, columns, difference)
    }

    /// A column in the file.
    struct Column {
        let name: String
        let type: String
        let isKey: Bool

        func isCalled(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
    }

    /// A table whose definition another program has changed. Columns are found by their names, and a renamed one by its place and type.
    ///
    /// Nil if a column is lost: a row without it might say more than it did, as a public key without the end of its period.
    init?(_ table: ModuleTable, stored: [Column]) {
        let keys = stored.filter(\.isKey)
        guard let key = keys.first, keys.count == 1, key.type.uppercased() == "INTEGER" else { return nil }
        let known = [table.key] + table.columns.map(\.name)
        let isSameShape = stored.count == known.count && stored[0].isKey
        var columns: [String] = []
        var renamed = key.isCalled(table.key) ? [] : ["\(key.name) as \(table.key)"]
        for (place, column) in table.columns.enumerated() {
            if let same = stored.first(where: { !$0.isKey && $0.isCalled(column.name) }) {
                columns.append(same.name)
                continue
            }
            guard isSameShape, case let other = stored[place + 1], other.type.uppercased() == column.type.rawValue,
                !known.contains(where: other.isCalled)
            else { return nil }
            columns.append(other.name)
            renamed.append("\(other.name) as \(column.name)")
        }
        let reading = renamed.isEmpty ? "" : ", with the column \(renamed.joined(separator: ", "))"
        self.init(
            table, key: key.name, columns: columns,
            difference: "another program has changed the definition of the table: its rows were copied to one as this library defines it"
                + reading)
    }
}

extension DamagedStore {
    /// The modules that the file names; nil if that cannot be read.
    func moduleRecords() throws -> [ModuleRecord]? {
        try read("_meta") { try ModuleRecord.all($0) }
    }

    /// The tables that modules keep in the file, as far as the catalog can be read: by what the file says of its modules, by their names, as that
    /// may be lost, or else all that have the form of such tables.
    func moduleTables(_ records: [ModuleRecord]?) throws -> [DamagedModuleTable] {
        var tables: [(name: String, sql: String)] = []
        var indexes: [String: [String]] = [:]
        var isWhole = false
        for order in ["", " DESC"] where !isWhole {
            do {
                let statement = try access.connection.prepare("SELECT type, tbl_name, name, sql FROM sqlite_master ORDER BY rowid\(order)")
                while try statement.step() {
                    guard let type = statement.text(0), let table = statement.text(1), let sql = statement.text(3), table.hasPrefix("_"),
                        !CatalogText.isOwn(table)
                    else { continue }
                    if type == "table", statement.text(2) == table, !tables.contains(where: { $0.name == table }) {
                        tables.append((table, sql))
                    } else if type == "index", indexes[table]?.contains(sql) != true {
                        indexes[table, default: []].append(sql)
                    }
                }
                isWhole = order.isEmpty
            } catch let error as SQLiteError where error.isDamage {
                continue
            }
        }
        let named = records.map { Set($0.flatMap(\.tables)) }
        let known = Set(ModuleRecord.modules(of: tables.map(\.name)).flatMap(\.tables))
        return try tables.sorted { $0.name < $1.name }.compactMap { table in
            guard named?.contains(table.name) ?? true || known.contains(table.name) else { return nil }
            if let own = LibraryModules.table(named: table.name), own.creation != table.sql {
                guard table.sql.hasPrefix("CREATE TABLE "), let stored = try columns(of: own) else { return nil }
                return DamagedModuleTable(own, stored: stored)
            }
            let plan = ModuleTable(definition: table.sql, indexes: indexes[table.name]?.sorted() ?? [])
            return plan?.name == table.name ? plan.map { DamagedModuleTable($0) } : nil
        }
    }

    /// The columns that a table has in the file; nil if that cannot be read.
    private func columns(of table: ModuleTable) throws -> [DamagedModuleTable.Column]? {
        do {
            let statement = try access.connection.prepare("PRAGMA table_info(\(table.name))")
            var columns: [DamagedModuleTable.Column] = []
            while try statement.step() {
                columns.append(.init(name: statement.text(1) ?? "", type: statement.text(2) ?? "", isKey: statement.int(5) > 0))
            }
            return columns
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }

    /// Reads the rows of a module's table that can be read, with its columns in their order: first those on pages that match their checksums, as such
    /// rows have no digests, then what is left of the other pages.
    ///
    /// - Parameter body: is called with each row; what it throws ends the call.
    /// - Returns: the keys that cannot be read, and the number of rows on pages that do not match their checksums.
    func readRows(of table: DamagedModuleTable, _ body: (Statement) throws -> Void) throws -> (gaps: [ClosedRange<Int64>], doubtful: Int?) {
        let columns = ([table.key] + table.columns).map(quoted).joined(separator: ", ")
        let sql = "SELECT \(columns) FROM \(table.name) NOT INDEXED"
        var failure: (any Error)?
        func read(_ connection: Connection, _ budget: TolerantScan.Budget, _ keys: ClosedRange<Int64>) throws -> (
            rows: Int, gaps: [ClosedRange<Int64>]
        ) {
            var scan = TolerantScan(connection, sql, key: quoted(table.key), budget: budget)
            var rows = 0
            try scan.run(keys) { row in
                guard failure == nil else { return }
                rows += 1
                do { try body(row) } catch { failure = error }
            }
            return (rows, scan.gaps)
        }
        let result = try scanRows(1...(try lastKey(of: table)), read)
        if let failure { throw failure }
        return result
    }

    /// The highest key of a table; more than any module counts to, if that cannot be read.
    private func lastKey(of table: DamagedModuleTable) throws -> Int64 {
        do {
            let key = quoted(table.key)
            let sql = "SELECT \(key) FROM \(table.name) NOT INDEXED ORDER BY \(key) DESC LIMIT 1"
            return max(try access.connection.integer(sql) ?? 1, 1)
        } catch let error as SQLiteError where error.isDamage {
            return 1 << 40
        }
    }
}
