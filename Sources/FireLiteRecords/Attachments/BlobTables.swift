import FireLite
import FireLiteCore

/// The tables of payloads in the store's file.
enum BlobTables {
    /// A row for each payload: its SHA-256, or NULL while it is being stored in several writes.
    private static let blobs = ModuleTable(
        "_blob", key: "blob", columns: [.init("hash", .blob), .init("bytes", .integer), .init("created", .integer)],
        indexes: [.init("hash", isUnique: true)])

    /// The bytes of a payload in pieces of `chunkBytes`: piece `n` has the key `blob << 24 | n`.
    private static let chunks = ModuleTable("_blob_chunk", key: "chunk", columns: [.init("content", .blob)])

    /// Which resource refers to which payload; `kept` is 1 if only an older version may still do so.
    private static let references = ModuleTable(
        "_blob_reference", key: "reference",
        columns: [.init("root", .integer), .init("blob", .integer), .init("kept", .integer)],
        indexes: [.init("root"), .init("blob")])

    /// One row: the policy. No row once everything was moved back.
    private static let policy = ModuleTable(
        "_blob_policy", key: "policy", columns: [.init("minimum", .integer), .init("maximum", .integer), .init("types", .text)])

    static let module = ModuleTables(module: "blob", version: 1, tables: [blobs, chunks, references, policy])

    /// The number of bytes of a piece. Larger ones are no faster, and a range read starts at one.
    static let chunkBytes = PayloadLayout.pieceBytes
    /// The number of pieces that a key has room for.
    static let maximumChunks = RowKey.width
}

extension ReadTransaction {
    func blobRows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        try rows(of: BlobTables.module, sql, arguments)
    }
}

extension WriteTransaction {
    @discardableResult
    func runBlobs(_ sql: String, _ arguments: [SQLValue] = []) throws -> Int {
        try run(on: BlobTables.module, sql, arguments)
    }
}
