import FireLiteSQLiteBridge

extension DamagedStore {
    /// The modules that the file names; nil if that cannot be read.
    func moduleRecords() throws -> [ModuleRecord]? {
        try read("_meta") { try ModuleRecord.all($0) }
    }

    /// The tables that modules keep in the file, as far as the catalog can be read: by what the file says of its modules, by their names, as that
    /// may be lost, or else all that have the form of such tables.
    func moduleTables(_ records: [ModuleRecord]?) throws -> [ModuleTable] {
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
        return tables.sorted { $0.name < $1.name }.compactMap { table in
            guard named?.contains(table.name) ?? true || known.contains(table.name) else { return nil }
            let plan = ModuleTable(definition: table.sql, indexes: indexes[table.name]?.sorted() ?? [])
            return plan?.name == table.name ? plan : nil
        }
    }

    /// Reads the rows of a module's table that can be read, with its columns in their order: first those on pages that match their checksums, as such
    /// rows have no digests, then what is left of the other pages.
    ///
    /// - Parameter body: is called with each row; what it throws ends the call.
    /// - Returns: the keys that cannot be read, and the number of rows on pages that do not match their checksums.
    func readRows(of table: ModuleTable, _ body: (Statement) throws -> Void) throws -> (gaps: [ClosedRange<Int64>], doubtful: Int?) {
        let columns = ([table.key] + table.columns.map(\.name)).joined(separator: ", ")
        let sql = "SELECT \(columns) FROM \(table.name) NOT INDEXED"
        var failure: (any Error)?
        func read(_ connection: Connection, _ budget: TolerantScan.Budget, _ keys: ClosedRange<Int64>) throws -> (
            rows: Int, gaps: [ClosedRange<Int64>]
        ) {
            var scan = TolerantScan(connection, sql, key: table.key, budget: budget)
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
    private func lastKey(of table: ModuleTable) throws -> Int64 {
        do {
            let sql = "SELECT \(table.key) FROM \(table.name) NOT INDEXED ORDER BY \(table.key) DESC LIMIT 1"
            return max(try access.connection.integer(sql) ?? 1, 1)
        } catch let error as SQLiteError where error.isDamage {
            return 1 << 40
        }
    }
}
