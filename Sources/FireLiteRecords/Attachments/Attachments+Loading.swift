import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

extension Attachments {
    /// Fetches the content of an attachment with a `url` instead of `data`, and stores it with the resource. Does nothing if it has `data`.
    ///
    /// The app fetches the content, as it knows which addresses to trust and with which token. The bytes are compared with the attachment's
    /// `size` and `hash` (SHA-1, as in FHIR's Attachment) if it has them, and must meet the policy, which limits their size while they
    /// arrive. The `url` stays.
    /// - Parameters:
    ///   - number: the position of the attachment among those of the resource, from 0.
    ///   - typeName: the type of the resource.
    ///   - id: its id.
    ///   - source: returns the bytes at the address, in pieces. A relative address, as of a Binary, is passed unchanged.
    /// - Returns: the number of bytes stored; nil if the attachment had `data`.
    /// - Throws: errors of `source`; `AttachmentError`: `noPlace`, `invalidArgument` for an invalid address, `tooLarge`, `wrongType`,
    ///   `wrongHash`, `missing` if fewer bytes come than stated; `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func load<Pieces: AsyncSequence>(
        _ number: Int, of typeName: String, id: String, from source: @Sendable (URL) async throws -> Pieces
    ) async throws -> Int? where Pieces.Element: Sequence, Pieces.Element.Element == UInt8 {
        let policy = try store.blocking { _ in try self.policy } ?? AttachmentPolicy()
        let stated = try store.blocking { store in
            try store.read { tx in try StatedContent(attachment(number, of: typeName, id, tx).attachment) }
        }
        guard !stated.hasData else { return nil }
        guard let address = stated.address, let url = URL(string: address) else {
            throw AttachmentError(.invalidArgument, "attachment \(number) of \(typeName)/\(id) has no address to fetch it from")
        }
        var bytes = Data()
        for try await piece in try await source(url) {
            try Task.checkCancellation()
            bytes.append(contentsOf: piece)
            try policy.check(byteCount: bytes.count)
            if let size = stated.size, bytes.count > size {
                throw AttachmentError(.tooLarge, "more than the stated \(size) bytes come from the address of an attachment")
            }
        }
        try policy.check(beginning: [UInt8](bytes.prefix(AttachmentKind.beginningBytes)), contentType: stated.contentType)
        try stated.check(bytes)
        let (content, count) = (bytes, bytes.count)
        try await store.writing { try self.set(content, of: number, typeName: typeName, id: id, address: address) }
        return count
    }

    private func set(_ bytes: Data, of number: Int, typeName: String, id: String, address: String) throws {
        try store.write { tx in
            let (resource, attachment) = try attachment(number, of: typeName, id, tx)
            guard try StatedContent(attachment).address == address else {
                throw AttachmentError(.noPlace, "attachment \(number) of \(typeName)/\(id) was changed while it was fetched")
            }
            attachment.setText("data", bytes.fhirBase64)
            attachment.setText("hash", HashAlgorithm.sha1.digest(of: bytes).fhirBase64)
            if let slot = attachment.layout.element(named: "size")?.slot { attachment._setInt(slot, bytes.count) }
            try tx.upsert(resource)
        }
    }

    /// A copy of a stored resource, and an attachment of it, which does not keep its resource.
    private func attachment(
        _ number: Int, of typeName: String, _ id: String, _ tx: ReadTransaction
    ) throws -> (resource: FHIRResource, attachment: FHIRObject) {
        guard let resource = try tx.resource(typeName: typeName, id: id)?.copy() else {
            throw AttachmentError(.noPlace, "\(typeName)/\(id) is not in the store")
        }
        let found = attachments(in: resource)
        guard found.indices.contains(number) else {
            throw AttachmentError(.noPlace, "\(typeName)/\(id) has \(found.count) attachments")
        }
        return (resource, found[number])
    }
}

/// An attachment's statements about its content.
private struct StatedContent {
    let hasData: Bool
    let address: String?
    let contentType: String?
    let size: Int?
    let hash: String?

    init(_ attachment: FHIRObject) throws {
        hasData = attachment.text("data") != nil
        address = attachment.text("url")
        contentType = attachment.text("contentType")
        hash = attachment.text("hash")
        size = attachment.layout.element(named: "size").flatMap { attachment._int($0.slot) }
    }

    func check(_ bytes: Data) throws {
        if let size, bytes.count < size {
            throw AttachmentError(.missing, "fewer than the stated \(size) bytes came from the address of an attachment")
        }
        // Some servers write the digits of the hash.
        let digest = HashAlgorithm.sha1.digest(of: bytes)
        guard let hash, Data(fhirBase64: hash) != digest, hash.lowercased() != digest.hexText else { return }
        throw AttachmentError(.wrongHash, "what came from the address of an attachment does not match its hash")
    }
}
