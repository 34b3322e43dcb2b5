import FireLite
import FireLiteCrypto
import Foundation

extension Attachments {
    /// Stores a payload that arrives in pieces, with little memory. Set `data` of an attachment to the text of the result before the next
    /// `collect`.
    ///
    /// It takes several writes, between which others can write. If it fails or its task is cancelled, it leaves nothing.
    /// - Parameters:
    ///   - pieces: the bytes.
    ///   - contentType: the stated type; nil for none. Default: nil.
    ///   - progress: receives the number of bytes stored. Default: none.
    /// - Throws: errors of `pieces` and `progress`; `AttachmentError`: `tooLarge`, `wrongType`; `FHIRStoreError`; `CancellationError`.
    public func put<Pieces: AsyncSequence>(
        _ pieces: Pieces, contentType: String? = nil, progress: StoreProgressHandler? = nil
    ) async throws -> PayloadReference where Pieces.Element: Sequence, Pieces.Element.Element == UInt8 {
        let policy = try store.blocking { _ in try self.policy } ?? AttachmentPolicy()
        var staged = StagedPayload(store: store)
        do {
            var beginning: [UInt8]?
            for try await piece in pieces {
                try Task.checkCancellation()
                try policy.check(byteCount: staged.add(piece))
                if beginning == nil, staged.pending.count >= AttachmentKind.beginningBytes {
                    beginning = Array(staged.pending.prefix(AttachmentKind.beginningBytes))
                    try policy.check(beginning: beginning ?? [], contentType: contentType)
                }
                if staged.pending.count >= StagedPayload.bytesPerWrite {
                    try staged.write()
                    try progress?(StoreProgress(.importing, staged.byteCount, of: nil, .bytes))
                }
            }
            try Task.checkCancellation()
            if beginning == nil { try policy.check(beginning: staged.pending, contentType: contentType) }
            let reference = try staged.finish()
            try progress?(StoreProgress(.importing, reference.byteCount, of: reference.byteCount, .bytes))
            return reference
        } catch {
            try staged.discard()
            throw error
        }
    }

    /// The bytes of a payload in pieces of up to 256 KB, each read when the loop asks for it.
    ///
    /// The last piece is delivered only if all pieces match the hash. A range of the payload cannot be verified.
    /// - Parameters:
    ///   - reference: the payload. If it is a literal, the pieces are those of the base64 text.
    ///   - range: the requested bytes; nil for all. Default: nil.
    public func pieces(_ reference: PayloadReference, in range: Range<Int>? = nil) -> PayloadPieces {
        PayloadPieces(store: store, reference: reference, range: range)
    }

    /// A range of a payload; only the pieces with these bytes are read. It is not compared with the hash; a sealed payload is authenticated
    /// piece by piece.
    ///
    /// - Parameters:
    ///   - reference: the payload.
    ///   - range: the requested bytes; those beyond the end are omitted.
    /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash` for a sealed one; `FHIRStoreError`.
    public func data(_ reference: PayloadReference, in range: Range<Int>) throws -> Data {
        try store.read { tx in
            let range = range.clamped(to: 0..<reference.byteCount)
            let blob = try tx.stored(reference)
            tx.noteRead(reference)
            var bytes = Data()
            while bytes.count < range.count {
                bytes.append(try tx.piece(from: range.lowerBound + bytes.count, to: range.upperBound, of: blob, reference))
            }
            return bytes
        }
    }
}
