import FireLiteSQLiteBridge

extension DamagedStore {
    /// The modules that the file names; nil if that cannot be read.
    func moduleRecords() throws -> [ModuleRecord]? {
        do {
            return try ModuleRecord.all(access.connection)
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }

    /// The tables that modules keep in the file, as far as the catalog can be read: by what the file says of its modules, or else all
    /// that have the form of such tables.
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
        return tables.sorted { $0.name < $1.name }.compactMap { table in
            guard named?.contains(table.name) ?? true else { return nil }
            let plan = ModuleTable(definition: table.sql, indexes: indexes[table.name]?.sorted() ?? [])
            return plan?.name == table.name ? plan : nil
        }
    }

    /// Reads the rows of a module's table that can be read, with its columns in their order.
    ///
    /// - Parameter body: is called with each row; what it throws ends the call.
    /// - Returns: the keys that cannot be read.
    func readRows(of table: ModuleTable, _ body: (Statement) throws -> Void) throws -> [ClosedRange<Int64>] {
        let columns = ([table.key] + table.columns.map(\.name)).joined(separator: ", ")
        var scan = TolerantScan(access.connection, "SELECT \(columns) FROM \(table.name) NOT INDEXED", key: table.key, budget: budget)
        var failure: (any Error)?
        try scan.run(1...lastKey(of: table)) { row in
            guard failure == nil else { return }
            do { try body(row) } catch { failure = error }
        }
        if let failure { throw failure }
        return scan.gaps
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
