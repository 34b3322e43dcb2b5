import FireLite

/// The table of the keys of sealed payloads. It is a module of its own, as files without sealed payloads do not have it.
enum BlobKeyTables {
    /// The key of a payload, sealed by the common key with the id `common`. A payload without a row is in the clear.
    private static let keys = ModuleTable(
        "_blobkey", key: "blob", columns: [.init("common", .text), .init("wrapped", .blob)], indexes: [.init("common")])

    static let module = ModuleTables(module: "blobkey", version: 1, tables: [keys])
}

extension ReadTransaction {
    /// Whether the file may have sealed payloads.
    var hasPayloadKeys: Bool { get throws { try hasTables(of: BlobKeyTables.module) } }

    /// The sealed key of a payload; nil if the payload is in the clear.
    func payloadKey(of blob: Int64) throws -> WrappedKey? {
        try rows(of: BlobKeyTables.module, "SELECT common, wrapped FROM _blobkey WHERE blob = ?", [.integer(blob)]).first
            .map { WrappedKey(commonID: $0[0].text ?? "", bytes: $0[1].data) }
    }

    /// The keyring that seals and opens payloads; nil without one.
    var payloadKeyring: RecordKeyring? { store.participant(RecordKeeper.self)?.encryption.keyring }
}

extension WriteTransaction {
    /// Sets the key of a payload.
    func setPayloadKey(_ key: WrappedKey, of blob: Int64) throws {
        try run(
            on: BlobKeyTables.module, "INSERT OR REPLACE INTO _blobkey(blob, common, wrapped) VALUES (?, ?, ?)",
            [.integer(blob), .text(key.commonID), .blob([UInt8](key.bytes))])
    }

    /// Deletes the key of a payload, which can then no longer be opened.
    func deletePayloadKey(of blob: Int64) throws {
        guard try hasPayloadKeys else { return }
        try run(on: BlobKeyTables.module, "DELETE FROM _blobkey WHERE blob = ?", [.integer(blob)])
    }
}
