import Foundation

extension Records {
    /// Wraps the keys of all sealed records and app data with the primary common key of the keyring. Nothing is sealed again.
    ///
    /// Works in writes of 1,000 keys, so it can be ended and begun again at any time. A key that cannot be opened stays as it is.
    /// - Parameter progress: called after each write with the number of keys that were wrapped so far; return false to end.
    /// - Returns: how many keys were wrapped, and how many could not be opened.
    /// - Throws: ``RecordError/Code/missingKey`` without a keyring; `FHIRStoreError`.
    @discardableResult
    public func rewrap(progress: (Int) -> Bool = { _ in true }) throws -> (wrapped: Int, failed: Int) {
        guard let keyring = keeper.encryption.keyring else {
            throw RecordError(.missingKey, "there is no keyring: set records.encryption")
        }
        var wrapped = 0
        var failed = 0
        for vault in [vault, AppData(store).vault] {
            var last: Int64 = 0
            while true {
                let (count, failures, end) = try store.joiningWrite { tx in
                    try rewrap(vault, keyring, after: last, tx)
                }
                wrapped += count
                failed += failures
                guard let end else { break }
                last = end
                if !progress(wrapped) { return (wrapped, failed) }
            }
        }
        return (wrapped, failed)
    }

    private func rewrap(
        _ vault: RecordVault, _ keyring: RecordKeyring, after last: Int64, _ tx: WriteTransaction
    ) throws -> (count: Int, failures: Int, end: Int64?) {
        let tables = vault.tables
        let columns = RecordRow.columns.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", ")
        let rows = try tx.rows(
            of: tables.module,
            """
            SELECT r.\(tables.key), \(columns) FROM \(tables.name)_key k JOIN \(tables.name) r ON r.\(tables.key) = k.owner
            WHERE k.owner > ? AND +k.common <> ? ORDER BY k.owner LIMIT 1000
            """, [.integer(last), .text(keyring.primaryID)]
        ).map { RecordRow($0) }
        var (count, failures) = (0, 0)
        for row in rows {
            do {
                if try vault.rewrap(row, keyring, tx) { count += 1 }
            } catch let error as RecordError where [.missingKey, .cannotOpen].contains(error.code) {
                failures += 1
            }
        }
        return (count, failures, rows.last?.number)
    }
}
