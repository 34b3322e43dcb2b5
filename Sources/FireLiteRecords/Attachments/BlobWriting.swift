import FireLite
import FireLiteCrypto
import Foundation

extension WriteTransaction {
    /// Stores bytes as a payload, once however often it is called with the same.
    ///
    /// - Parameters:
    ///   - hash: the SHA-256 of the bytes.
    ///   - cut: called after each piece; an error ends the call.
    /// - Returns: the number of the payload.
    /// - Throws: errors of `cut`; `FHIRStoreError`.
    func storeBlob(_ bytes: Data, hash: Data, _ cut: (Int) throws -> Void = { _ in }) throws -> Int64 {
        if let known = try blob(withHash: hash) { return known.number }
        let number = try addBlob(hash: hash, byteCount: bytes.count)
        var (offset, place) = (0, 0 as Int64)
        while offset < bytes.count {
            let end = min(offset + BlobTables.chunkBytes, bytes.count)
            try addChunk([UInt8](bytes[bytes.startIndex + offset..<bytes.startIndex + end]), place, of: number)
            (offset, place) = (end, place + 1)
            try cut(end)
        }
        return number
    }

    /// Adds the row of a payload whose pieces follow; one without a hash is not complete.
    func addBlob(hash: Data?, byteCount: Int) throws -> Int64 {
        let last = try blobRows("SELECT max(blob) FROM _blob").first?[0].integer ?? 0
        // The key of a piece has 24 bits for its place.
        guard last >= 0, last < Int64.max >> 24 else {
            throw AttachmentError(.tooLarge, "the store has used all numbers of payloads: move them back, and apart again")
        }
        let number = last + 1
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        try runBlobs(
            "INSERT INTO _blob(blob, hash, bytes, created) VALUES (?, ?, ?, ?)",
            [.integer(number), hash.map { .blob([UInt8]($0)) } ?? .null, .integer(Int64(byteCount)), .integer(now)])
        // Until a resource refers to it.
        loosePayloads.insert(number)
        return number
    }

    func addChunk(_ content: [UInt8], _ place: Int64, of blob: Int64) throws {
        guard place < BlobTables.maximumChunks else {
            throw AttachmentError(.tooLarge, "a payload has more than \(BlobTables.maximumChunks) pieces: split it")
        }
        try runBlobs("INSERT INTO _blob_chunk(chunk, content) VALUES (?, ?)", [.integer(blob << 24 | place), .blob(content)])
    }

    /// Deletes a payload with its pieces, whatever refers to it.
    func deleteBlob(_ blob: Int64) throws {
        try runBlobs("DELETE FROM _blob_chunk WHERE chunk BETWEEN ? AND ?", [.integer(blob << 24), .integer(blob << 24 | 0xFF_FFFF)])
        try runBlobs("DELETE FROM _blob WHERE blob = ?", [.integer(blob)])
    }

    /// Deletes payloads that nothing refers to.
    ///
    /// - Returns: the number of payloads and of bytes deleted.
    @discardableResult
    func deleteBlobs(_ blobs: some Sequence<Int64>) throws -> (payloads: Int, bytes: Int) {
        var deleted = (payloads: 0, bytes: 0)
        for blob in blobs {
            guard try blobRows("SELECT 1 FROM _blob_reference WHERE blob = ? LIMIT 1", [.integer(blob)]).isEmpty else { continue }
            guard let bytes = try blobRows("SELECT bytes FROM _blob WHERE blob = ?", [.integer(blob)]).first?[0].integer else { continue }
            try deleteBlob(blob)
            deleted = (deleted.payloads + 1, deleted.bytes &+ Int(bytes))
        }
        return deleted
    }
}
