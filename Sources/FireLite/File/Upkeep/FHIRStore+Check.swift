import FireLiteCore
import FireLiteSQLiteBridge

extension FHIRStore {
    /// Checks for damage: runs SQLite's integrity check, and finds rows without an owner, differences between registry and tables,
    /// resources that differ from the digest they were stored with, and payloads that resources refer to and the file lacks.
    ///
    /// What modules keep about resources is compared with these, for those modules that work on this store object: samples after
    /// `followSamples()`, permissions after `keepPermissions()`, journals of a sync and the outbox once a `Synchronizer` or an `Outbox`
    /// was made. So are the packages of the file with what finds them, once they were used or added. The audit trail is verified after
    /// `startAudit(by:)` or `checkTrail()`.
    ///
    /// Rows and contents are checked on up to `Configuration.maximumCores` threads, while this one runs SQLite's check; payloads and what modules
    /// keep follow on this one.
    /// - Parameter progress: receives what was checked so far, on this thread. Default: none.
    /// - Returns: the faults; empty if the store is sound.
    /// - Complexity: reads the whole file, and verifies a signature for each audited commit.
    /// - Throws: errors of `progress`; `FHIRStoreError` if the file cannot be read at all.
    public func check(progress: StoreProgressHandler? = nil) throws -> [StoreFinding] {
        try readTogether { transaction, readers in
            try transaction.perform {
                let check = StoreCheck(transaction.access, digestKey: identity.digestKey, payloads: PayloadFolder(self), progress)
                let findings = try check.run(with: readers.map { ($0, transaction) })
                // What is damaged cannot be compared with what it is about.
                guard !findings.contains(where: { [.unreadable, .integrity, .module].contains($0.kind) }) else { return findings }
                return try findings + participants.all.flatMap { try faults(of: $0, transaction) }
            }
        }
    }

    /// What a module finds. One that meets damage which it cannot pass gives a single finding, so that all others are listed.
    private func faults(of participant: any WriteParticipant, _ transaction: ReadTransaction) throws -> [StoreFinding] {
        do {
            return try participant.findings(transaction)
        } catch let error as FHIRStoreError where error.code == .notAStore || error.code == .sqlite {
            return [StoreFinding(.unreadable, "\(participant.checkedPart) cannot be checked: \(error.message)")]
        }
    }

    /// The sizes of the store.
    ///
    /// - Complexity: counts the rows of every table.
    /// - Throws: `FHIRStoreError`.
    public func statistics() throws -> StoreStatistics {
        try perform { transaction in
            let connection = transaction.access.connection
            let pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
            let pages = Int(try connection.integer("PRAGMA page_count") ?? 0)
            var tables: [StoreStatistics.Table] = []
            for table in transaction.access.schema.storedTables {
                let rows = Int(try connection.integer("SELECT count(*) FROM \(table.quotedName)") ?? 0)
                tables.append(StoreStatistics.Table(name: table.name, rows: rows, columns: table.fileColumns))
            }
            let schema = transaction.access.schema
            var modules: [StoreStatistics.ModuleTable] = []
            for record in try ModuleRecord.all(connection) {
                for table in record.tables where schema.moduleDefinitions[table] != nil {
                    let rows = Int(try connection.integer("SELECT count(*) FROM \(quoted(table))") ?? 0)
                    modules.append(StoreStatistics.ModuleTable(module: record.module, name: table, rows: rows))
                }
            }
            let known = Set(modules.map { "table \($0.name)" })
            return StoreStatistics(
                others: schema.others.filter { !known.contains($0) }, tables: tables.sorted { $0.name < $1.name }, modules: modules,
                fileBytes: pageSize * pages, resources: try Registry.count(connection))
        }
    }
}
