import FireLite

/// The table of thumbnails. It is a module of its own, as files without thumbnails do not have it.
enum ThumbnailTables {
    /// A thumbnail of the payload `original`: the payload `blob`, no higher than `height`.
    private static let thumbnails = ModuleTable(
        "_thumbnail", key: "thumbnail", columns: [.init("original", .integer), .init("height", .integer), .init("blob", .integer)],
        indexes: [.init("original"), .init("blob")])

    static let module = ModuleTables(module: "thumbnail", version: 1, tables: [thumbnails])
}

extension ReadTransaction {
    func thumbnailRows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        try rows(of: ThumbnailTables.module, sql, arguments)
    }

    /// Whether a payload is a thumbnail of another one.
    func isThumbnail(_ blob: Int64) throws -> Bool {
        try !thumbnailRows("SELECT 1 FROM _thumbnail WHERE blob = ? LIMIT 1", [.integer(blob)]).isEmpty
    }

    /// The reference to a stored payload; nil for an unknown number or an incomplete payload.
    func reference(toBlob blob: Int64) throws -> PayloadReference? {
        guard let row = try blobRows("SELECT hash, bytes FROM _blob WHERE blob = ? AND hash IS NOT NULL", [.integer(blob)]).first,
            let bytes = row[1].integer, bytes >= 0
        else { return nil }
        let isSealed = try payloadKey(of: blob) != nil
        return PayloadReference(hash: row[0].data, byteCount: Int(bytes), isLiteral: false, isSealed: isSealed)
    }
}

extension WriteTransaction {
    @discardableResult
    func runThumbnails(_ sql: String, _ arguments: [SQLValue] = []) throws -> Int {
        guard try hasTables(of: ThumbnailTables.module) else { return 0 }
        return try run(on: ThumbnailTables.module, sql, arguments)
    }

    /// Deletes the thumbnails of a payload that is deleted. Their payloads go at the commit, unless something else refers to them.
    func deleteThumbnails(of original: Int64) throws {
        let rows = try thumbnailRows("SELECT blob FROM _thumbnail WHERE original = ?", [.integer(original)])
        guard !rows.isEmpty else { return }
        try runThumbnails("DELETE FROM _thumbnail WHERE original = ?", [.integer(original)])
        // A resource may have the same payload, even if no row notes it.
        let blobs = rows.compactMap { $0[0].integer }
        if store.payloads.keeper == nil { try deleteBlobs(unused(blobs)) } else { loosePayloads.formUnion(blobs) }
    }

    /// Makes the thumbnails of a payload those of the same payload under another number, and seals them if there is a keyring.
    func moveThumbnails(from original: Int64, to number: Int64) throws {
        for row in try thumbnailRows("SELECT thumbnail, blob FROM _thumbnail WHERE original = ?", [.integer(original)]) {
            guard let thumbnail = row[0].integer, let blob = row[1].integer else { continue }
            var moved = blob
            if let reference = try reference(toBlob: blob), !reference.isSealed {
                moved = try storePayload(storedBytes(reference), digest: reference.hash).number
                if moved != blob { loosePayloads.insert(blob) }
            }
            try runThumbnails(
                "UPDATE _thumbnail SET original = ?, blob = ? WHERE thumbnail = ?",
                [.integer(number), .integer(moved), .integer(thumbnail)])
        }
    }
}
