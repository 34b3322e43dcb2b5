import FireLite
import FireLiteCrypto
import Foundation

/// The bytes of a payload in pieces: see ``Attachments/pieces(_:in:)``.
public struct PayloadPieces: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Data

    let store: FHIRStore
    let reference: PayloadReference
    let range: Range<Int>?

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let store: FHIRStore
        private let reference: PayloadReference
        private let end: Int
        private var place: Int
        private var hasBegun = false
        private let digest: RunningDigest?

        init(_ pieces: PayloadPieces) {
            store = pieces.store
            reference = pieces.reference
            let range = (pieces.range ?? 0..<pieces.reference.byteCount).clamped(to: 0..<pieces.reference.byteCount)
            (place, end) = (range.lowerBound, range.upperBound)
            // Each piece of a sealed payload is authentic by itself.
            digest = range.count == pieces.reference.byteCount && !reference.isSealed ? RunningDigest() : nil
        }

        /// The next piece; nil at the end.
        ///
        /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash`; `FHIRStoreError`; `CancellationError`.
        public mutating func next() async throws -> Data? {
            guard place < end else { return nil }
            let (start, end, reference) = (place, end, reference)
            let isFirst = !hasBegun
            hasBegun = true
            let piece = try await store.read { tx in
                if isFirst { tx.noteRead(reference) }
                return try tx.piece(from: start, to: end, of: tx.stored(reference), reference)
            }
            place += piece.count
            digest?.update(piece)
            if place >= end, let digest, digest.finish() != reference.hash { throw ReadTransaction.changed(reference) }
            return piece
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
