import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

/// Keeps the payloads of a store's attachments in `_blob`, by their hash.
struct AttachmentKeeper: PayloadKeeper {
    let places: PayloadPlaces
    /// The minimum size of a payload to keep apart; with nil none are moved, and existing ones are still read.
    let minimumBytes: Int?
    /// Whether payloads in the clear that resources refer to are sealed, if there is a keyring.
    var sealsKnown = false

    // MARK: - Writing

    func detach(from resource: FHIRResource, _ tx: WriteTransaction) throws -> DetachedPayloads? {
        var found: [(FHIRObject, Int, String)] = []
        let shortest = minimumBytes.map { min(max($0, 1), 1 << 40) / 3 * 4 } ?? .max
        places.forEach(in: resource) { object, slot, text in
            if text.utf8.count >= min(shortest, 72) { found.append((object, slot, text)) }
        }
        guard !found.isEmpty else { return nil }
        var detached = DetachedPayloads()
        do {
            for (object, slot, text) in found {
                if let reference = PayloadReference(text) {
                    let known = try known(reference, resource, tx)
                    guard sealsKnown, !reference.isSealed, tx.payloadKeyring != nil else {
                        detached.payloads.append(known)
                        continue
                    }
                    let bytes = try tx.storedBytes(reference)
                    let sealed = try tx.storePayload(bytes, digest: reference.hash, isLiteral: reference.isLiteral)
                    try tx.moveThumbnails(from: known, to: sealed.number)
                    detached.payloads.append(sealed.number)
                    detached.replace(slot, of: object, with: sealed.reference.description)
                } else if text.utf8.count >= shortest, let payload = Self.payload(of: text), payload.bytes.count >= minimumBytes ?? .max {
                    let digest = HashAlgorithm.sha256.digest(of: payload.bytes)
                    let stored = try tx.storePayload(payload.bytes, digest: digest, isLiteral: payload.isLiteral)
                    detached.payloads.append(stored.number)
                    detached.replace(slot, of: object, with: stored.reference.description)
                }
            }
        } catch {
            detached.restore()
            throw error
        }
        return detached.payloads.isEmpty ? nil : detached
    }

    private func known(_ reference: PayloadReference, _ resource: FHIRResource, _ tx: WriteTransaction) throws -> Int64 {
        if let blob = try tx.blob(withHash: reference.hash), blob.byteCount == reference.byteCount { return blob.number }
        throw AttachmentError(
            .missing,
            "a \(resource.resourceType) refers to a payload that is not in this store: get the whole resource from the store it is from, or set `data`"
        )
    }

    /// The stored form of base64 text: the bytes if they encode to the same text, otherwise the text; nil if it is not base64.
    static func payload(of text: String) -> (bytes: Data, isLiteral: Bool)? {
        if let bytes = Data(base64Encoded: text), isPlain(text, of: bytes) { return (bytes, false) }
        return Data(fhirBase64: text) == nil ? nil : (Data(text.utf8), true)
    }

    /// Whether bytes that were read from a base64 text without white space are written as that text: only the end of one can differ.
    private static func isPlain(_ text: String, of bytes: Data) -> Bool {
        guard text.utf8.count == (bytes.count + 2) / 3 * 4 else { return false }
        let rest = bytes.count % 3 == 0 ? 3 : bytes.count % 3
        return text.utf8.suffix(4).elementsEqual(bytes.suffix(rest).base64EncodedString().utf8) || bytes.isEmpty
    }

    func note(_ payloads: [Int64], ofResource root: Int64, isNew: Bool, keepsVersions: Bool, _ tx: WriteTransaction) throws {
        var missing = Set(payloads)
        if !isNew {
            for row in try tx.blobRows("SELECT reference, blob, kept FROM _blob_reference WHERE root = ?", [.integer(root)]) {
                guard let reference = row[0].integer, let blob = row[1].integer, row[2].integer == 0 else { continue }
                if missing.remove(blob) != nil { continue }
                if keepsVersions {
                    try tx.runBlobs("UPDATE _blob_reference SET kept = 1 WHERE reference = ?", [.integer(reference)])
                } else {
                    try tx.runBlobs("DELETE FROM _blob_reference WHERE reference = ?", [.integer(reference)])
                    tx.loosePayloads.insert(blob)
                }
            }
        }
        for blob in missing.sorted() {
            try tx.runBlobs("INSERT INTO _blob_reference(root, blob, kept) VALUES (?, ?, 0)", [.integer(root), .integer(blob)])
        }
    }

    func willCommit(_ tx: WriteTransaction) throws {
        while !tx.loosePayloads.isEmpty {
            let loose = tx.loosePayloads
            tx.loosePayloads.removeAll()
            // Unrecorded references may exist; `collect` finds them. What a lost table referred to, nobody knows.
            guard try !tx.mayLackPayloadReferences && !tx.hasLostTables else { break }
            // The thumbnails of what is deleted come next.
            try tx.deleteBlobs(tx.unused(loose.sorted()))
        }
        try tx.keepFilesInUse()
    }

    // MARK: - Reading

    func whole(_ resource: FHIRResource, _ tx: ReadTransaction) throws -> FHIRResource {
        var hasReferences = false
        places.forEach(in: resource) { if PayloadReference($2) != nil { hasReferences = true } }
        guard hasReferences else { return resource }
        let copy = resource.copy()
        var texts = DetachedPayloads()
        try places.forEach(in: copy) { object, slot, text in
            if let reference = PayloadReference(text) { texts.replace(slot, of: object, with: try tx.text(reference)) }
        }
        return copy
    }
}

extension ReadTransaction {
    /// The resource with its payloads, even if this store object keeps none apart: sealed and exchanged content must not refer to this
    /// file.
    ///
    /// - Throws: `AttachmentError`; `FHIRStoreError`.
    func withPayloads<Resource: FHIRResource>(_ resource: Resource) throws -> Resource {
        let keeper = AttachmentKeeper(places: PayloadPlaces(store.release), minimumBytes: nil)
        // The copy has the class of the object.
        return try keeper.whole(resource, self) as? Resource ?? resource
    }
}
