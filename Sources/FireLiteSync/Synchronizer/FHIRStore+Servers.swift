import FireLite

extension FHIRStore {
    /// The resources that are ``SyncState/undecided`` with a server, as `Type/id`. They are only read, also from a store that cannot be written.
    ///
    /// - Parameter base: the server's base address.
    /// - Throws: `FHIRStoreError`.
    package func undecidedResources(at base: String) throws -> [String] {
        try read { tx in
            guard try tx.hasTables(of: SyncJournal.tables) else { return [] }
            let rows = try tx.rows(
                of: SyncJournal.tables,
                """
                SELECT DISTINCT type, id FROM _sync_change WHERE server = (SELECT server FROM _sync_server WHERE base = ?)
                  AND \(WaitingChange.areUndecided) ORDER BY type, id
                """, [.text(base)])
            return rows.map { SyncKey(typeName: $0[0].text ?? "", id: $0[1].text ?? "").path }
        }
    }

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
