import FireLite
import FireLiteCore

/// The tables of payloads in the store's file.
enum BlobTables {
    static let module = ModuleTables(module: PayloadTables.module, version: 1, tables: PayloadTables.all)

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
