import FireLiteCore
import FireLiteSQLiteBridge

extension RecoveryTarget {
    /// Copies the readable rows of modules' tables, whether or not this program knows the modules.
    ///
    /// - Returns: what cannot be read.
    /// - Throws: `SQLiteError`; `FHIRStoreError` if the new file cannot be written.
    func addModules(from source: DamagedStore) throws -> [String] {
        var unreadable: [String] = []
        let records = try source.moduleRecords()
        let tables = try source.moduleTables(records)
        for record in records ?? [] {
            // A module that has lost all of its tables begins again: the report names them, and a record without tables would refuse the module.
            if record.tables.contains(where: { name in tables.contains { $0.name == name } }) { try record.store(connection) }
            for name in record.tables where !tables.contains(where: { $0.name == name }) {
                unreadable.append("\(name): the definition of the table cannot be read, so none of its rows can")
            }
        }
        let named = Set((records ?? []).flatMap(\.tables))
        for (module, nameless) in ModuleRecord.modules(of: tables.map(\.name).filter { !named.contains($0) }) {
            let known = (records ?? []).first { $0.module == module }
            try ModuleRecord(module: module, version: known?.version ?? 1, tables: (known?.tables ?? []) + nameless).store(connection)
            unreadable += nameless.map { "\($0): the file does not say any more that the table is of \(module); it was copied" }
        }
        for table in tables {
            let (gaps, repeated, doubtful) = try copy(table, from: source)
            if let doubtful {
                let rows = String(counting: doubtful, "row that was copied is", "rows that were copied are")
                unreadable.append("\(table.name): \(rows) on pages that do not match their checksums")
            }
            if repeated > 0 {
                let rows = String(counting: repeated, "row with the key of another row was", "rows with keys of other rows were")
                unreadable.append("\(table.name): \(rows) left out")
            }
            for gap in gaps {
                unreadable.append("\(table.name): the rows \(gap.lowerBound) to \(gap.upperBound), if there are any, cannot be read")
            }
        }
        return unreadable
    }

    /// - Returns: the keys that cannot be read, the number of rows that break a unique index, and that of rows which may have been changed.
    private func copy(
        _ table: ModuleTable, from source: DamagedStore
    ) throws -> (gaps: [ClosedRange<Int64>], repeated: Int, doubtful: Int?) {
        try connection.run(table.creation)
        for index in table.indexes { try connection.run(table.creation(of: index)) }
        let values = Array(repeating: "?", count: table.columns.count + 1).joined(separator: ", ")
        // Of damaged rows that break a unique index, the first one counts.
        let insert = try connection.prepare("INSERT OR IGNORE INTO \(table.name) VALUES (\(values))")
        var repeated = 0
        let (gaps, doubtful) = try source.readRows(of: table) { row in
            let before = connection.totalChanges
            for column in 0...table.columns.count { insert.bind(column + 1, column: column, of: row) }
            do {
                try insert.run()
                if connection.totalChanges == before { repeated += 1 }
            } catch let error as SQLiteError {
                // Not a read error, which would count as damage.
                throw FHIRStoreError(error, path: "the new file")
            }
        }
        return (gaps, repeated, doubtful)
    }
}
