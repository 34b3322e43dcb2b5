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
    /// Seals the pieces; nil if they are in the clear. Its key is stored at the end only.
    private var seal: PayloadSeal?
    private let keyring: RecordKeyring?
    private let digest = RunningDigest()
    /// Writes the file that the payload goes into; nil if it stays in the database.
    private var writer: PayloadFileWriter?
    private var folder: PayloadFolder?

    init(store: FHIRStore) {
        self.store = store
        keyring = store.participant(RecordKeeper.self)?.encryption.keyring
    }

    var byteCount: Int { written + pending.count }

    /// Adds bytes and returns how many there are.
    mutating func add(_ piece: some Sequence<UInt8>) -> Int {
        pending.append(contentsOf: piece)
        return byteCount
    }

    /// Stores the whole pieces so far but for the last one, which may be the last of all.
    mutating func write() throws {
        let count = max(pending.count - 1, 0) / BlobTables.chunkBytes * BlobTables.chunkBytes
        guard count > 0 else { return }
        let bytes = Data(pending[..<count])
        digest.update(bytes)
        let (known, first, sealed, keyring, isInFile) = (blob, written / BlobTables.chunkBytes, seal, keyring, folder != nil)
        (blob, seal, folder) = try store.blocking { store in
            try store.write { tx in
                let blob = try known ?? tx.addBlob(hash: nil, byteCount: 0)
                let seal = try sealed ?? keyring.map { _ in try PayloadSeal(blob: blob) }
                // It waits for its end, not for a resource.
                tx.loosePayloads.remove(blob)
                // Its final size is unknown: a payload of several writes goes into a file, if any payload does.
                let folder = try known == nil || isInFile ? tx.folder(forPayloadOf: .max, isSealed: seal != nil) : nil
                if let folder { return (blob, seal, folder) }
                for (place, offset) in stride(from: 0, to: count, by: BlobTables.chunkBytes).enumerated() {
                    try tx.addPiece(
                        bytes[offset..<offset + BlobTables.chunkBytes], Int64(first + place), of: blob, isLast: false, seal)
                }
                return (blob, seal, nil)
            }
        }
        if let folder {
            let writer = try writer ?? folder.writer()
            self.writer = writer
            for (place, offset) in stride(from: 0, to: count, by: BlobTables.chunkBytes).enumerated() {
                let piece = bytes[offset..<offset + BlobTables.chunkBytes]
                try writer.append(seal?.seal(piece, Int64(first + place), isLast: false) ?? piece)
            }
        }
        pending.removeFirst(count)
        written += count
    }

    /// Stores the rest, and makes it a payload.
    mutating func finish() throws -> PayloadReference {
        try write()
        // `write` leaves at most one piece.
        let total = byteCount
        let rest = Data(pending)
        digest.update(rest)
        let sum = digest.finish()
        let reference = PayloadReference(
            hash: keyring?.code(ofPayload: sum) ?? sum, byteCount: total, isLiteral: false, isSealed: keyring != nil)
        let (known, first, sealed, keyring) = (blob, written / BlobTables.chunkBytes, seal, keyring)
        let (writer, folder) = (writer, folder)
        try store.blocking { store in
            try store.write { tx in
                if try tx.usableBlob(reference) != nil {
                    if let known { try tx.deleteBlob(known) }
                    return
                }
                let blob = try known ?? tx.addBlob(hash: nil, byteCount: 0)
                try tx.replaceLostPayload(reference, by: blob)
                let seal = try sealed ?? keyring.map { _ in try PayloadSeal(blob: blob) }
                if let folder, let writer {
                    try writer.append(seal?.seal(rest, Int64(first), isLast: true) ?? rest)
                    try writer.finish()
                    try tx.addFile(writer.name, in: folder, of: blob)
                } else if !rest.isEmpty {
                    try tx.addPiece(rest, Int64(first), of: blob, isLast: true, seal)
                }
                try tx.runBlobs(
                    "UPDATE _blob SET hash = ?, bytes = ? WHERE blob = ?",
                    [.blob([UInt8](reference.hash)), .integer(Int64(total)), .integer(blob)])
                if let keyring, let seal {
                    try tx.setPayloadKey(seal.wrapped(by: keyring, hash: reference.hash, byteCount: total), of: blob)
                }
                tx.loosePayloads.remove(blob)
            }
        }
        blob = nil
        return reference
    }

    /// Deletes the stored pieces.
    mutating func discard() throws {
        writer = nil
        guard let blob else { return }
        self.blob = nil
        try store.blocking { store in try store.write { tx in try tx.deleteBlob(blob) } }
    }
}
