import FireLite
import FireLiteCrypto
import Foundation

extension Attachments {
    /// Makes and stores thumbnails of an image: payloads of their own, which are deleted with the image. Replaces existing ones.
    ///
    /// - Parameters:
    ///   - reference: the image.
    ///   - make: makes a JPEG, PNG or TIFF of at most that height in pixels from the bytes and the type of the image; nil if it
    ///     cannot, or if the image is not higher. FireLite does not process images: use your system's code.
    /// - Returns: the stored sizes. A thumbnail with as many bytes as the image or more is not stored, nor is any of a payload that is not
    ///   a JPEG, PNG or TIFF.
    /// - Throws: errors of `make`; `AttachmentError`: `missing`, `missingKey`, `wrongHash`, `wrongType` for a thumbnail that is not an
    ///   image; `FHIRStoreError`.
    @discardableResult
    public func makeThumbnails(
        of reference: PayloadReference, _ make: (Data, AttachmentKind, Int) throws -> Data?
    ) throws -> Set<ThumbnailSize> {
        let image = try data(reference)
        guard let kind = AttachmentKind(beginning: image), kind.isImage else { return [] }
        var made: [(size: ThumbnailSize, height: Int, bytes: Data)] = []
        for size in ThumbnailSize.allCases {
            guard let height = size.height, let bytes = try make(image, kind, height), bytes.count < image.count else { continue }
            guard AttachmentKind(beginning: bytes)?.isImage == true else {
                throw AttachmentError(.wrongType, "a thumbnail is no JPEG, PNG or TIFF: return nil if none can be made")
            }
            made.append((size, height, bytes))
        }
        try store.write { tx in
            // Another write may have deleted the image meanwhile.
            let original = try tx.stored(reference).number
            try tx.deleteThumbnails(of: original)
            for (_, height, bytes) in made {
                let stored = try tx.storePayload(bytes, digest: HashAlgorithm.sha256.digest(of: bytes))
                try tx.run(
                    on: ThumbnailTables.module, "INSERT INTO _thumbnail(original, height, blob) VALUES (?, ?, ?)",
                    [.integer(original), .integer(Int64(height)), .integer(stored.number)])
            }
        }
        return Set(made.map(\.size))
    }

    /// An image in a size, or in the next larger stored size.
    ///
    /// - Returns: the bytes and their size: `full` for the image itself.
    /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash`; `FHIRStoreError`.
    public func thumbnail(_ size: ThumbnailSize, of reference: PayloadReference) throws -> (size: ThumbnailSize, bytes: Data) {
        try store.read { tx in
            let original = try tx.stored(reference).number
            // From the wanted size to larger ones.
            for size in ThumbnailSize.allCases.reversed().drop(while: { $0 != size }) {
                guard let height = size.height,
                    let blob = try tx.thumbnailRows(
                        "SELECT blob FROM _thumbnail WHERE original = ? AND height = ?", [.integer(original), .integer(Int64(height))]
                    ).first?[0].integer, let found = try tx.reference(toBlob: blob)
                else { continue }
                tx.noteRead(reference)
                return (size, try tx.storedBytes(found))
            }
            return (.full, try data(reference))
        }
    }
}

extension AttachmentKind {
    /// Whether thumbnails of it make sense.
    fileprivate var isImage: Bool { [.jpeg, .png, .tiff].contains(self) }
}

/// A size of an image.
public enum ThumbnailSize: String, Sendable, Hashable, CaseIterable {
    /// The payload itself.
    case full
    /// At most 1,000 pixels high.
    case medium
    /// At most 200 pixels high.
    case small

    /// The maximum height in pixels; nil for the payload itself.
    public var height: Int? {
        switch self {
        case .full: nil
        case .medium: 1_000
        case .small: 200
        }
    }
}
