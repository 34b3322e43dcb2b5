import FireLiteCore
import Foundation

extension Records {
    /// Wraps the keys of all sealed records, app data and payloads with the primary common key of the keyring. The content stays sealed as
    /// it is.
    ///
    /// Works in writes of 1,000 keys, so it can be ended and begun again at any time. A key that cannot be opened stays as it is.
    /// - Parameter progress: called after each write with the number of keys that were wrapped so far. Default: none.
    /// - Returns: how many keys were wrapped, and how many could not be opened.
    /// - Throws: ``RecordError/Code/missingKey`` without a keyring; `FHIRStoreError`; errors of `progress`.
    @discardableResult
    public func rewrap(progress: StoreProgressHandler? = nil) throws -> (wrapped: Int, failed: Int) {
        guard let keyring = keeper.encryption.keyring else {
            throw RecordError(.missingKey, "there is no keyring", remedy: .giveKeyring)
        }
        let steps: [(Int64, WriteTransaction) throws -> RewrappedKeys] = [
            { try rewrap(vault, keyring, after: $0, $1) }, { try rewrap(AppData(store).vault, keyring, after: $0, $1) },
            { try $1.rewrapPayloads(keyring, after: $0) },
        ]
        var (wrapped, failed) = (0, 0)
        for step in steps {
            var last = RisingKeys("keys")
            while true {
                let keys = try store.joiningWrite { tx in
                    try tx.checkCancellation()
                    return try step(last.last, tx)
                }
                wrapped += keys.wrapped
                failed += keys.failed
                guard let end = keys.end else { break }
                try last.advance(to: end)
                try progress?(StoreProgress(.rewrapping, wrapped, of: nil, .keys))
            }
        }
        return (wrapped, failed)
    }

    private func rewrap(
        _ vault: RecordVault, _ keyring: RecordKeyring, after last: Int64, _ tx: WriteTransaction
    ) throws -> RewrappedKeys {
        let tables = vault.tables
        let columns = RecordRow.columns.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", ")
        let rows = try tx.rows(
            of: tables.module,
            """
            SELECT r.\(tables.key), \(columns) FROM \(tables.name)_key k JOIN \(tables.name) r ON r.\(tables.key) = k.owner
            WHERE k.owner > ? AND +k.common <> ? ORDER BY k.owner LIMIT \(RewrappedKeys.limit)
            """, [.integer(last), .text(keyring.primaryID)]
        ).map { RecordRow($0) }
        var keys = RewrappedKeys(end: rows.last?.number)
        for row in rows { try keys.count { try vault.rewrap(row, keyring, tx) } }
        return keys
    }
}

/// The result of one write of `rewrap`.
struct RewrappedKeys {
    /// The number of keys of a write.
    static let limit = 1_000

    var wrapped = 0
    var failed = 0
    /// The number of the last examined row; nil if none was left.
    let end: Int64?

    init(end: Int64?) { self.end = end }

    /// Runs `wrap`, which returns whether it wrapped a key.
    mutating func count(_ wrap: () throws -> Bool) throws {
        do {
            if try wrap() { wrapped += 1 }
        } catch let error as RecordError where [.missingKey, .cannotOpen].contains(error.code) {
            failed += 1
        }
    }
}

extension WriteTransaction {
    /// Wraps the next keys of payloads with the primary common key.
    fileprivate func rewrapPayloads(_ keyring: RecordKeyring, after last: Int64) throws -> RewrappedKeys {
        guard try hasPayloadKeys else { return RewrappedKeys(end: nil) }
        let rows = try self.rows(
            of: BlobKeyTables.module,
            """
            SELECT k.blob, k.common, k.wrapped, b.hash, b.bytes FROM _blobkey k JOIN _blob b ON b.blob = k.blob
            WHERE k.blob > ? AND +k.common <> ? ORDER BY k.blob LIMIT \(RewrappedKeys.limit)
            """, [.integer(last), .text(keyring.primaryID)])
        var keys = RewrappedKeys(end: rows.last?[0].integer)
        for row in rows {
            guard let blob = row[0].integer, let bytes = row[4].integer else { continue }
            let (hash, count) = (row[3].data, Int(bytes))
            let wrapped = WrappedKey(commonID: row[1].text ?? "", bytes: row[2].data)
            try keys.count {
                let seal = try PayloadSeal(blob: blob, wrapped, hash: hash, byteCount: count, keyring: keyring) {
                    RecordError(.cannotOpen, "the key of a payload was changed: restore the payload from a backup")
                }
                try setPayloadKey(seal.wrapped(by: keyring, hash: hash, byteCount: count), of: blob)
                return true
            }
        }
        return keys
    }
}
