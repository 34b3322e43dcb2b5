import FireLite

extension FHIRStore {
    /// The base addresses of the servers that the store was synchronized with, without a slash at their ends.
    ///
    /// - Throws: `FHIRStoreError`.
    package func synchronizedServers() throws -> [String] {
        try read { tx in
            try tx.rows(of: SyncJournal.tables, "SELECT base FROM _sync_server ORDER BY server").compactMap { $0[0].text }
        }
    }
}
