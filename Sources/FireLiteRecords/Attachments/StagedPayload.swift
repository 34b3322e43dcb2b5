import FireLite
import FireLiteCrypto
import Foundation

/// A payload that is stored in several writes.
struct StagedPayload {
    /// The number of bytes that one write stores.
    static let bytesPerWrite = 16 * BlobTables.chunkBytes

    let store: FHIRStore
    private(set) var pending: [UInt8] = []
    private var written = 0
    private var blob: Int64?
    private let digest = RunningDigest()

    init(store: FHIRStore) { self.store = store }

    var byteCount: Int { written + pending.count }

    /// Adds bytes and returns how many there are.
    mutating func add(_ piece: some Sequence<UInt8>) -> Int {
        pending.append(contentsOf: piece)
        return byteCount
    }

    /// Stores the whole pieces so far.
    mutating func write() throws {
        let count = pending.count / BlobTables.chunkBytes * BlobTables.chunkBytes
        guard count > 0 else { return }
        digest.update(pending.prefix(count))
        let (known, first, bytes) = (blob, Int64(written / BlobTables.chunkBytes), pending)
        blob = try store.blocking { store in
            try store.write { tx in
                let blob = try known ?? tx.addBlob(hash: nil, byteCount: 0)
                for (place, offset) in stride(from: 0, to: count, by: BlobTables.chunkBytes).enumerated() {
                    try tx.addChunk(Array(bytes[offset..<offset + BlobTables.chunkBytes]), first + Int64(place), of: blob)
                }
                // It waits for its end, not for a resource.
                tx.loosePayloads.remove(blob)
                return blob
            }
        }
        pending.removeFirst(count)
        written += count
    }

    /// Stores the rest, and makes it a payload.
    mutating func finish() throws -> PayloadReference {
        try write()
        // What `write` leaves is less than a piece.
        let total = byteCount
        let rest = pending
        digest.update(rest)
        let hash = digest.finish()
        let (known, first) = (blob, Int64(written / BlobTables.chunkBytes))
        try store.blocking { store in
            try store.write { tx in
                if try tx.blob(withHash: hash) != nil {
                    if let known { try tx.deleteBlob(known) }
                    return
                }
                let blob = try known ?? tx.addBlob(hash: nil, byteCount: 0)
                if !rest.isEmpty { try tx.addChunk(rest, first, of: blob) }
                try tx.runBlobs(
                    "UPDATE _blob SET hash = ?, bytes = ? WHERE blob = ?",
                    [.blob([UInt8](hash)), .integer(Int64(total)), .integer(blob)])
                tx.loosePayloads.remove(blob)
            }
        }
        blob = nil
        return PayloadReference(hash: hash, byteCount: total, isLiteral: false)
    }

    /// Deletes what was stored.
    mutating func discard() throws {
        guard let blob else { return }
        self.blob = nil
        try store.blocking { store in try store.write { tx in try tx.deleteBlob(blob) } }
    }
}
