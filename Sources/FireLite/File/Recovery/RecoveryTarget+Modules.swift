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
        var lost = LostModuleTables(present: Set(tables.map(\.name)))
        for record in records ?? [] {
            let isLeft = lost.note(record)
            // A module of another program that has lost all of its tables begins again: a record without tables would refuse the module.
            if isLeft { try record.store(connection) }
        }
        let named = Set((records ?? []).flatMap(\.tables))
        for (module, nameless) in ModuleRecord.modules(of: tables.map(\.name).filter { !named.contains($0) }) {
            let known = (records ?? []).first { $0.module == module }
            let record = lost.completed(module: module, version: known?.version, tables: (known?.tables ?? []) + nameless)
            try record.store(connection)
            unreadable += nameless.map { "\($0): the file does not say any more that the table is of \(module); it was copied" }
        }
        for table in lost.restored {
            try connection.run(table.creation)
            for index in table.indexes { try connection.run(table.creation(of: index)) }
        }
        unreadable += lost.texts
        for stored in tables {
            let table = stored.table
            if let owner = lost.owner(of: table.name) {
                try connection.run(table.creation)
                for index in table.indexes { try connection.run(table.creation(of: index)) }
                unreadable.append("\(table.name): its rows were left out, as the rows of \(owner) that they belong to are lost")
                continue
            }
            let (gaps, repeated, doubtful) = try copy(stored, from: source)
            if let difference = stored.difference { unreadable.append("\(table.name): \(difference)") }
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
        return try unreadable + leaveOutOwnerless(of: tables.map(\.table) + lost.restored)
    }

    /// Deletes rows whose owners were not copied: a later owner could get their number.
    ///
    /// - Parameter tables: the tables of modules that the new file has.
    /// - Returns: a line for each table that had such rows.
    private func leaveOutOwnerless(of tables: [ModuleTable]) throws -> [String] {
        try LibraryModules.owned.filter { $0.isIn(tables) }.compactMap { owned in
            let before = connection.totalChanges
            try connection.run("DELETE FROM \(owned.table) WHERE \(owned.isOwnerless)")
            let count = connection.totalChanges - before
            guard count > 0 else { return nil }
            let rows = String(counting: Int64(count), "row was", "rows were")
            return "\(owned.table): \(rows) left out, as \(owned.owner) has lost \(count == 1 ? "its owner" : "their owners")"
        }
    }

    /// - Returns: the keys that cannot be read, the number of rows that break a unique index, and that of rows which may have been changed.
    private func copy(
        _ stored: DamagedModuleTable, from source: DamagedStore
    ) throws -> (gaps: [ClosedRange<Int64>], repeated: Int, doubtful: Int?) {
        let table = stored.table
        try connection.run(table.creation)
        for index in table.indexes { try connection.run(table.creation(of: index)) }
        let values = Array(repeating: "?", count: table.columns.count + 1).joined(separator: ", ")
        // Of damaged rows that break a unique index, the first one counts.
        let insert = try connection.prepare("INSERT OR IGNORE INTO \(table.name) VALUES (\(values))")
        var repeated = 0
        let (gaps, doubtful) = try source.readRows(of: stored) { row in
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

/// The tables of modules that a damaged store has lost, and what becomes of their modules in the new one.
private struct LostModuleTables {
    private let present: Set<String>
    /// The lost tables whose rows nothing makes again.
    private var names: Set<String> = []
    /// The tables that the new store gets without rows.
    private(set) var restored: [ModuleTable] = []
    /// A line for each lost table.
    private(set) var texts: [String] = []

    init(present: Set<String>) { self.present = present }

    /// Takes note of what a module has lost.
    ///
    /// - Returns: whether the new store has tables of the module.
    mutating func note(_ record: ModuleRecord) -> Bool {
        let isLost = !record.tables.contains { present.contains($0) }
        for name in record.tables where !present.contains(name) {
            let table = LibraryModules.table(named: name)
            // A trail that has lost everything begins again: without heads, empty tables would count as one that was tampered with.
            note(name, isLost && record.module == "audit" ? nil : table)
        }
        return record.tables.contains { name in present.contains(name) || restored.contains { $0.name == name } }
    }

    private mutating func note(_ name: String, _ table: ModuleTable?) {
        names.insert(name)
        guard let table else {
            texts.append("\(name): the table or a column of it is missing, or its definition cannot be read, so all of its rows are lost")
            return
        }
        if !isMadeLater(name) { restored.append(table) }
        let isMadeAgain = name == PayloadKeeping.referenceTable && isMadeLater(name)
        let rows = isMadeAgain ? "its rows were made again" : "all of its rows are lost, and the new store has an empty one"
        texts.append("\(name): the table or a column of it is missing, or its definition cannot be read: \(rows)")
    }

    /// Whether a table is made again with what the resources say of it: see `PayloadInventory.restoreTables`.
    private func isMadeLater(_ name: String) -> Bool { PayloadTables.all.contains { $0.name == name } && present.contains("_blob") }

    /// The record of a module whose own record is lost: with all of the module's tables, as the file does not say which of them it had.
    mutating func completed(module: String, version: Int?, tables: [String]) -> ModuleRecord {
        let missing = LibraryModules.tables(of: module).filter { !tables.contains($0.name) && !present.contains($0.name) }
        for table in missing {
            names.insert(table.name)
            if !isMadeLater(table.name) { restored.append(table) }
            texts.append("\(table.name): the file has no such table; if it had one, all of its rows are lost")
        }
        return ModuleRecord(module: module, version: version ?? 1, tables: tables + missing.map(\.name))
    }

    /// The lost table whose rows those of a table belong to.
    func owner(of table: String) -> String? {
        names.sorted().first { LibraryModules.dependents[$0]?.contains(table) == true }
    }
}
