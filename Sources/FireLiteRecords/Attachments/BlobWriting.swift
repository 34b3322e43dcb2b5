import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

extension WriteTransaction {
    /// Stores bytes as a payload, once however often it is called with the same; sealed if `records.encryption` has a keyring.
    ///
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - digest: its SHA-256.
    ///   - isLiteral: whether the bytes are the text of an element.
    /// - Returns: the number of the payload, and the reference to it.
    /// - Throws: `AttachmentError.tooLarge`; `FHIRStoreError`.
    func storePayload(_ bytes: Data, digest: Data, isLiteral: Bool = false) throws -> (number: Int64, reference: PayloadReference) {
        let keyring = payloadKeyring
        let reference = PayloadReference(
            hash: keyring?.code(ofPayload: digest) ?? digest, byteCount: bytes.count, isLiteral: isLiteral, isSealed: keyring != nil)
        if let known = try usableBlob(reference) { return (known, reference) }
        let lost = try blob(withHash: reference.hash)
        let number = try addBlob(hash: lost == nil ? reference.hash : nil, byteCount: bytes.count)
        if lost != nil {
            try replaceLostPayload(reference, by: number)
            try runBlobs("UPDATE _blob SET hash = ? WHERE blob = ?", [.blob([UInt8](reference.hash)), .integer(number)])
        }
        let seal = try keyring.map { _ in try PayloadSeal(blob: number) }
        let folder = try folder(forPayloadOf: bytes.count, isSealed: seal != nil)
        let writer = try folder?.writer()
        let count = StoredBlob.pieces(bytes.count)
        for place in 0..<count {
            let start = bytes.startIndex + place * BlobTables.chunkBytes
            let piece = bytes[start..<min(start + BlobTables.chunkBytes, bytes.endIndex)]
            let (place, isLast) = (Int64(place), place == count - 1)
            guard let writer else {
                try addPiece(piece, place, of: number, isLast: isLast, seal)
                continue
            }
            try writer.append(seal?.seal(piece, place, isLast: isLast) ?? piece)
        }
        if let folder, let writer {
            try writer.finish()
            try addFile(writer.name, in: folder, of: number)
        }
        if let keyring, let seal {
            try setPayloadKey(seal.wrapped(by: keyring, hash: reference.hash, byteCount: bytes.count), of: number)
        }
        return (number, reference)
    }

    /// The number of the payload that a reference names; nil if the store does not have it, or if it is sealed and its key is lost.
    func usableBlob(_ reference: PayloadReference) throws -> Int64? {
        guard reference.isSealed else { return try blob(withHash: reference.hash)?.number }
        do {
            return try stored(reference).number
        } catch is AttachmentError {
            return nil
        }
    }

    /// Puts a payload that is being stored into the place of the one whose key is lost, if there is one: what refers to it can be read again.
    func replaceLostPayload(_ reference: PayloadReference, by number: Int64) throws {
        guard let lost = try blob(withHash: reference.hash)?.number else { return }
        try runBlobs("UPDATE _blob_reference SET blob = ? WHERE blob = ?", [.integer(number), .integer(lost)])
        try runThumbnails("UPDATE _thumbnail SET blob = ? WHERE blob = ?", [.integer(number), .integer(lost)])
        try runThumbnails("UPDATE _thumbnail SET original = ? WHERE original = ?", [.integer(number), .integer(lost)])
        try deleteBlob(lost)
    }

    /// Adds the row of a payload whose pieces follow; one without a hash is not complete.
    func addBlob(hash: Data?, byteCount: Int) throws -> Int64 {
        let last = try blobRows("SELECT max(blob) FROM _blob").first?[0].integer ?? 0
        // The key of a piece has 24 bits for its place.
        guard last >= 0, last < RowKey.lastRoot else {
            throw AttachmentError(.tooLarge, "the store has used all numbers of payloads: move them back, and apart again")
        }
        let number = last + 1
        let now = store.clock.now().milliseconds(.down)
        try runBlobs(
            "INSERT INTO _blob(blob, hash, bytes, created) VALUES (?, ?, ?, ?)",
            [.integer(number), hash.map { .blob([UInt8]($0)) } ?? .null, .integer(Int64(byteCount)), .integer(now)])
        // Until a resource refers to it.
        loosePayloads.insert(number)
        return number
    }

    /// Adds a piece.
    ///
    /// - Parameter seal: what seals it; nil to store it in the clear.
    func addPiece(_ piece: Data, _ place: Int64, of blob: Int64, isLast: Bool, _ seal: PayloadSeal?) throws {
        guard place < BlobTables.maximumChunks else {
            throw AttachmentError(.tooLarge, "a payload has more than \(BlobTables.maximumChunks) pieces: split it")
        }
        let content = try seal?.seal(piece, place, isLast: isLast) ?? piece
        try content.withUnsafeBytes {
            try run(
                on: BlobTables.module, "INSERT INTO _blob_chunk(chunk, content) VALUES (?, ?)", [.integer(RowKey.key(blob, place))],
                blob: $0)
        }
    }

    /// Deletes a payload with its key, its pieces or its file, and its thumbnails, whatever refers to it.
    func deleteBlob(_ blob: Int64) throws {
        try deleteThumbnails(of: blob)
        try deleteFile(of: blob)
        try deletePayloadKey(of: blob)
        try runBlobs("DELETE FROM _blob_chunk WHERE chunk BETWEEN ? AND ?", [.integer(RowKey.key(blob)), .integer(RowKey.last(blob))])
        try runBlobs("DELETE FROM _blob WHERE blob = ?", [.integer(blob)])
    }

    /// The unreferenced ones of some payloads: no row of `_blob_reference` refers to them, nor does the content of a resource or of an
    /// older version, as rows of `_blob_reference` may be lost.
    ///
    /// - Parameter areIntact: whether only payloads count whose bytes match their hash: with a damaged row, one may be another payload that is needed.
    ///   Default: false.
    /// - Complexity: if one of them has no row in `_blob_reference`, reads the columns with Attachments, and the versions that the log
    ///   keeps.
    func unused(_ blobs: [Int64], areIntact: Bool = false) throws -> [Int64] {
        let unnoted = try blobs.filter { try blobRows("SELECT 1 FROM _blob_reference WHERE blob = ? LIMIT 1", [.integer($0)]).isEmpty }
        guard !unnoted.isEmpty else { return [] }
        // A payload without a hash is incomplete, so nothing refers to it.
        var (unused, hashes): (Set<Int64>, [Data: Int64]) = (Set(unnoted), [:])
        for blob in unnoted {
            if let hash = try blobRows("SELECT hash FROM _blob WHERE blob = ?", [.integer(blob)]).first?[0].data { hashes[hash] = blob }
        }
        if !hashes.isEmpty {
            try forEachPayloadReference { if let blob = hashes.removeValue(forKey: Data($1.hash)) { unused.remove(blob) } }
        }
        if try !hashes.isEmpty && !blobRows("SELECT 1 FROM sqlite_master WHERE name = '_change' AND type = 'table'").isEmpty {
            for (hash, blob) in hashes where !hash.isEmpty {
                let pattern = "%\"blob:%\(hash.hexText)%"
                if try !blobRows("SELECT 1 FROM _change WHERE content LIKE ? LIMIT 1", [.text(pattern)]).isEmpty { unused.remove(blob) }
            }
        }
        return try unused.sorted().filter { try !areIntact || isIntact($0) == true }
    }

    /// The payloads that no row of `_blob_reference` names, and that are no thumbnails.
    func unreferenced(_ blobs: [Int64]) throws -> [Int64] {
        try blobs.filter { blob in
            try blobRows("SELECT 1 FROM _blob_reference WHERE blob = ? LIMIT 1", [.integer(blob)]).isEmpty && !isThumbnail(blob)
        }
    }

    /// Deletes payloads that no row of `_blob_reference` names.
    ///
    /// - Returns: the number of deleted payloads and of their bytes.
    @discardableResult
    func deleteBlobs(_ blobs: some Sequence<Int64>) throws -> (payloads: Int, bytes: Int) {
        var deleted = (payloads: 0, bytes: 0)
        for blob in blobs {
            guard try !unreferenced([blob]).isEmpty,
                let bytes = try blobRows("SELECT bytes FROM _blob WHERE blob = ?", [.integer(blob)]).first?[0].integer
            else { continue }
            try deleteBlob(blob)
            deleted = (deleted.payloads + 1, deleted.bytes &+ Int(bytes))
        }
        return deleted
    }
}
