import FireLite

extension FHIRStore {
    /// The base addresses of the servers that the store was synchronized with, without a slash at their ends.
    ///
    /// - Throws: `FHIRStoreError`.
    package func synchronizedServers() throws -> [String] {
        do {
            return try read { try Self.servers($0) }
        } catch let error as FHIRStoreError where error.code == .olderFormat {
            return try write { tx in
                try SyncJournal.extendTables(tx)
                return try Self.servers(tx)
            }
        }
    }

    private static func servers(_ tx: ReadTransaction) throws -> [String] {
        try tx.rows(of: SyncJournal.tables, "SELECT base FROM _sync_server ORDER BY server").compactMap { $0[0].text }
    }
}
