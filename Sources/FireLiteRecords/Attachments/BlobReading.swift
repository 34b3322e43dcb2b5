import FireLite
import FireLiteCrypto
import Foundation

extension ReadTransaction {
    /// The payload with a SHA-256; nil if the store does not have it.
    func blob(withHash hash: Data) throws -> (number: Int64, byteCount: Int)? {
        guard let row = try blobRows("SELECT blob, bytes FROM _blob WHERE hash = ?", [.blob([UInt8](hash))]).first,
            let number = row[0].integer, let bytes = row[1].integer
        else { return nil }
        return (number, Int(bytes))
    }

    /// The number of the payload that a reference names.
    ///
    /// - Throws: `AttachmentError.missing`.
    func blob(_ reference: PayloadReference) throws -> Int64 {
        guard let blob = try blob(withHash: reference.hash), blob.byteCount == reference.byteCount else { throw Self.missing(reference) }
        return blob.number
    }

    static func missing(_ reference: PayloadReference) -> AttachmentError {
        AttachmentError(
            .missing,
            "the payload \(reference.hash.hexText.prefix(12))… is not in the store, or a part of it is missing: restore it from a backup")
    }

    /// A piece of a payload.
    ///
    /// - Throws: `AttachmentError.missing` if it is not there.
    func chunk(_ place: Int64, of blob: Int64, _ reference: PayloadReference) throws -> [UInt8] {
        guard
            case .blob(let content)? = try blobRows("SELECT content FROM _blob_chunk WHERE chunk = ?", [.integer(blob << 24 | place)])
                .first?[0]
        else { throw Self.missing(reference) }
        return content
    }

    /// The memory to reserve for a payload before it is read: a file may state any size.
    static let reservedBytes = 64 << 20

    /// All bytes of a payload, compared with its hash.
    ///
    /// - Throws: `AttachmentError`: `missing`, `wrongHash`; `FHIRStoreError`.
    func storedBytes(_ reference: PayloadReference) throws -> Data {
        let blob = try blob(reference)
        var bytes = Data(capacity: min(reference.byteCount, Self.reservedBytes))
        // One piece is hashed sooner than a thread wakes.
        let hashing = reference.byteCount > BlobTables.chunkBytes ? HashingQueue() : nil
        var place: Int64 = 0
        while bytes.count < reference.byteCount {
            let content = try chunk(place, of: blob, reference)
            guard !content.isEmpty else { throw Self.missing(reference) }
            hashing?.add(content)
            bytes.append(contentsOf: content)
            place += 1
        }
        guard (hashing?.finish() ?? HashAlgorithm.sha256.digest(of: bytes)) == reference.hash else { throw Self.changed(reference) }
        return bytes
    }

    static func changed(_ reference: PayloadReference) -> AttachmentError {
        AttachmentError(
            .wrongHash,
            "the payload \(reference.hash.hexText.prefix(12))… does not match its hash: its bytes have changed; restore it from a backup")
    }

    /// The text of an element whose payload is kept apart, as it was stored.
    func text(_ reference: PayloadReference) throws -> String {
        let bytes = try storedBytes(reference)
        return reference.isLiteral ? String(decoding: bytes, as: UTF8.self) : bytes.fhirBase64
    }
}
