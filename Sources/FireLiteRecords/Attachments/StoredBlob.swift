import FireLiteCore

/// A payload of the store, ready to be read.
struct StoredBlob {
    let number: Int64
    let byteCount: Int
    /// Opens its pieces; nil if they are in the clear.
    let seal: PayloadSeal?
    /// The name of the file that it is in; nil if it is in the database.
    let file: String?

    /// The number of its pieces.
    var pieceCount: Int { Self.pieces(byteCount) }

    /// The keys of its pieces in `_blob_chunk`.
    var rows: some Sequence<Int64> { (0..<Int64(pieceCount)).lazy.map { [number] in RowKey.key(number, $0) } }

    /// The number of bytes of a piece.
    func count(ofPiece place: Int) -> Int { min(BlobTables.chunkBytes, byteCount - place * BlobTables.chunkBytes) }

    /// The number of stored bytes of a piece.
    func storedCount(ofPiece place: Int) -> Int { count(ofPiece: place) + (seal == nil ? 0 : PayloadSeal.addedBytes) }

    /// The offset of a piece in a file.
    func offset(ofPiece place: Int) -> Int { place * (BlobTables.chunkBytes + (seal == nil ? 0 : PayloadSeal.addedBytes)) }

    /// The number of pieces of so many bytes.
    static func pieces(_ byteCount: Int) -> Int {
        let (whole, rest) = byteCount.quotientAndRemainder(dividingBy: BlobTables.chunkBytes)
        return whole + (rest > 0 ? 1 : 0)
    }
}
