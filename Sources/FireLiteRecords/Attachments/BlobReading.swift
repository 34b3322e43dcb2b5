import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

extension ReadTransaction {
    /// Records that a payload was read.
    func noteRead(_ reference: PayloadReference) { noteRead(nil, id: reference.hash.hexText) }

    /// The payload with a hash; nil if the store does not have it.
    func blob(withHash hash: Data) throws -> (number: Int64, byteCount: Int)? {
        guard let row = try blobRows("SELECT blob, bytes FROM _blob WHERE hash = ?", [.blob([UInt8](hash))]).first,
            let number = row[0].integer, let bytes = row[1].integer
        else { return nil }
        return (number, Int(bytes))
    }

    /// The payload that a reference names, with its key if it is sealed.
    ///
    /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash` if its key was changed.
    func stored(_ reference: PayloadReference) throws -> StoredBlob {
        guard let blob = try blob(withHash: reference.hash), blob.byteCount == reference.byteCount else { throw Self.missing(reference) }
        let seal = reference.isSealed ? try seal(of: blob.number, reference) : nil
        return StoredBlob(number: blob.number, byteCount: blob.byteCount, seal: seal, file: try fileName(of: blob.number))
    }

    private func seal(of blob: Int64, _ reference: PayloadReference) throws -> PayloadSeal {
        guard let wrapped = try payloadKey(of: blob) else { throw Self.missing(reference) }
        guard let keyring = payloadKeyring else { throw Self.locked(reference) }
        do {
            return try PayloadSeal(blob: blob, wrapped, hash: reference.hash, byteCount: reference.byteCount, keyring: keyring) {
                AttachmentError(
                    .wrongHash,
                    "the keyring does not open the key of the payload \(reference.hash.hexText.prefix(12))…: it is another keyring than it was sealed with, or the key was changed"
                )
            }
        } catch let error as RecordError where error.code == .missingKey {
            throw Self.locked(reference)
        }
    }

    // MARK: - Pieces

    /// The bytes of a piece.
    ///
    /// - Throws: `AttachmentError`: `missing` if it is not there, `wrongHash` if a sealed one was changed.
    func piece(_ place: Int, of blob: StoredBlob, _ reference: PayloadReference) throws -> Data {
        let expected = blob.storedCount(ofPiece: place)
        var content = Data(count: expected)
        let count = try content.withUnsafeMutableBytes { memory in
            if let name = blob.file {
                return PayloadFolder(store)?.reading(name) { descriptor, _ in
                    PayloadFolder.read(descriptor, at: blob.offset(ofPiece: place), into: memory)
                } ?? 0
            }
            return try readBlobs(
                of: BlobTables.module, table: "_blob_chunk", column: "content",
                rows: CollectionOfOne(RowKey.key(blob.number, Int64(place))),
                into: memory)
        }
        guard count == expected else { throw Self.missing(reference) }
        guard let seal = blob.seal else { return content }
        return try seal.open(content, Int64(place), isLast: place == blob.pieceCount - 1) { Self.changed(reference) }
    }

    /// The bytes of a payload from an offset to the end of the piece that contains it, or to `end`.
    func piece(from start: Int, to end: Int, of blob: StoredBlob, _ reference: PayloadReference) throws -> Data {
        let (place, skipped) = start.quotientAndRemainder(dividingBy: BlobTables.chunkBytes)
        let content = try piece(place, of: blob, reference)
        let wanted = min(end - start, content.count - skipped)
        return wanted == content.count ? content : Data(content[content.startIndex + skipped..<content.startIndex + skipped + wanted])
    }

    // MARK: - Whole payloads

    /// All bytes of a payload, compared with its hash.
    ///
    /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash`, `tooLarge` for memory; `FHIRStoreError`.
    func storedBytes(_ reference: PayloadReference) throws -> Data {
        let blob = try stored(reference)
        // A file may state any size, so memory is allocated for the existing bytes.
        guard try storedCount(blob) == reference.byteCount else { throw Self.missing(reference) }
        guard let memory = malloc(max(reference.byteCount, 1)) else {
            throw AttachmentError(.tooLarge, "a payload of \(reference.byteCount) bytes does not fit into memory: read it in pieces")
        }
        do {
            try fill(UnsafeMutableRawBufferPointer(start: memory, count: reference.byteCount), with: blob, reference)
        } catch {
            free(memory)
            throw error
        }
        // Only now: a few bytes are copied, and the memory is freed at once.
        return Data(bytesNoCopy: memory, count: reference.byteCount, deallocator: .free)
    }

    /// Reads a payload into memory of its size.
    private func fill(_ buffer: UnsafeMutableRawBufferPointer, with blob: StoredBlob, _ reference: PayloadReference) throws {
        guard blob.seal == nil else {
            for place in 0..<blob.pieceCount {
                let piece = try piece(place, of: blob, reference)
                UnsafeMutableRawBufferPointer(rebasing: buffer[(place * BlobTables.chunkBytes)...]).copyBytes(from: piece)
            }
            return
        }
        guard try hash(blob, into: buffer) == reference.hash else { throw Self.changed(reference) }
    }

    /// Reads a payload in the clear into memory, and returns its SHA-256.
    private func hash(_ blob: StoredBlob, into buffer: UnsafeMutableRawBufferPointer) throws -> Data {
        // One piece is hashed sooner than a thread wakes.
        let hashing = blob.pieceCount > 1 ? HashingQueue() : nil
        var hashed = 0
        defer { hashing?.wait() }
        let each = { (end: Int) in
            hashing?.add(UnsafeRawBufferPointer(rebasing: buffer[hashed..<end]))
            hashed = end
        }
        if let name = blob.file {
            _ = PayloadFolder(store)?.reading(name) { descriptor, _ in
                for start in stride(from: 0, to: buffer.count, by: Self.fileStep) {
                    let end = min(start + Self.fileStep, buffer.count)
                    guard
                        PayloadFolder.read(descriptor, at: start, into: UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end]))
                            == end - start
                    else { return }
                    each(end)
                }
            }
        } else {
            _ = try readBlobs(of: BlobTables.module, table: "_blob_chunk", column: "content", rows: blob.rows, into: buffer, each)
        }
        return hashing?.finish() ?? Data(HashAlgorithm.sha256.digest(of: UnsafeRawBufferPointer(buffer)))
    }

    /// The number of bytes of a file that are read while those before are hashed.
    private static let fileStep = 1 << 20

    /// The number of existing bytes of a payload.
    func storedCount(_ blob: StoredBlob) throws -> Int {
        if let name = blob.file {
            guard let size = PayloadFolder(store)?.size(of: name) else { return -1 }
            return size - (blob.seal == nil ? 0 : blob.pieceCount * PayloadSeal.addedBytes)
        }
        let row = try blobRows(
            "SELECT count(*), sum(length(content)) FROM _blob_chunk WHERE chunk BETWEEN ? AND ?",
            [.integer(RowKey.key(blob.number)), .integer(RowKey.key(blob.number, Int64(max(blob.pieceCount, 1) - 1)))]
        ).first
        let (pieces, bytes) = (Int(row?[0].integer ?? 0), Int(row?[1].integer ?? 0))
        guard pieces == blob.pieceCount else { return -1 }
        return bytes - (blob.seal == nil ? 0 : pieces * PayloadSeal.addedBytes)
    }

    /// The text of an element whose payload is kept apart, as it was stored.
    func text(_ reference: PayloadReference) throws -> String {
        let bytes = try storedBytes(reference)
        return reference.isLiteral ? String(decoding: bytes, as: UTF8.self) : bytes.fhirBase64
    }

    // MARK: - Errors

    static func missing(_ reference: PayloadReference) -> AttachmentError {
        AttachmentError(
            .missing,
            "the payload \(reference.hash.hexText.prefix(12))… is not in the store, or a part of it is missing: restore it from a backup")
    }

    static func changed(_ reference: PayloadReference) -> AttachmentError {
        AttachmentError(
            .wrongHash,
            "the payload \(reference.hash.hexText.prefix(12))… does not match its hash: its bytes have changed; restore it from a backup")
    }

    static func locked(_ reference: PayloadReference) -> AttachmentError {
        AttachmentError(
            .missingKey,
            "the payload \(reference.hash.hexText.prefix(12))… is sealed with a common key that the keyring lacks", remedy: .giveKeyring)
    }
}
