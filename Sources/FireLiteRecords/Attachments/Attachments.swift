import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

extension FHIRStore {
    /// The payloads of attachments, which can be stored apart from their resources.
    public var attachments: Attachments { Attachments(store: self) }
}

/// The payloads of a store's attachments: `data` of each Attachment, and the content of a Binary.
///
/// ```swift
/// try store.attachments.externalizeNewPayloads()
/// try store.write { tx in try tx.upsert(document) }
/// ```
/// From then on a resource that is fetched has a short reference where the payload was (``PayloadReference``), and fetching it reads nothing of the
/// payload. `resolvingPayloads(in:)` returns a copy with the payloads, as exports write it.
public struct Attachments: Sendable {
    /// The store.
    public let store: FHIRStore

    init(store: FHIRStore) { self.store = store }

    // MARK: - Keeping apart

    /// Keeps the payloads of everything that is stored from now on apart from its rows. Those that are in rows stay there: see `externalizePayloads`.
    ///
    /// - Parameter policy: the policy. Default: payloads of at least 4,096 bytes.
    /// - Throws: `FHIRStoreError`.
    public func externalizeNewPayloads(_ policy: AttachmentPolicy = AttachmentPolicy()) throws {
        if policy.fileThreshold != nil, PayloadFolder(store) == nil {
            throw AttachmentError(.invalidArgument, "a store in memory has no folder for files: leave out fileThreshold")
        }
        let before = store.payloads.keeper
        // Before the write, so that it is one with a keeper.
        keep(policy)
        do {
            try store.write { tx in
                try tx.runBlobs("DELETE FROM _blob_policy")
                try tx.runBlobs(
                    "INSERT INTO _blob_policy(policy, minimum, maximum, types) VALUES (1, ?, ?, ?)",
                    [
                        .integer(Int64(policy.minimumBytes)), .integer(Int64(policy.maximumBytes)),
                        policy.kinds.map { .text($0.map(\.rawValue).sorted().joined(separator: " ")) } ?? .null,
                    ])
                if try policy.fileThreshold != nil || tx.hasTables(of: PayloadFileTables.module) {
                    try tx.run(on: PayloadFileTables.module, "DELETE FROM _blobfile_policy")
                }
                if let bytes = policy.fileThreshold {
                    try tx.run(
                        on: PayloadFileTables.module, "INSERT INTO _blobfile_policy(policy, minimum) VALUES (1, ?)",
                        [.integer(Int64(bytes))])
                }
            }
        } catch {
            store.payloads.keeper = before
            throw error
        }
    }

    /// Continues to keep payloads apart in a file that does so already. Call it after you open a store. Does nothing for other files.
    ///
    /// It also deletes payload files that a crash left behind, unless the store is read-only.
    /// - Returns: whether payloads are kept apart.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func resume() throws -> Bool {
        guard try store.read({ try $0.hasTables(of: BlobTables.module) }) else { return false }
        let policy = try policy
        keep(policy)
        // Whoever writes now must not keep the store from opening: the next one sweeps.
        do { try sweepFiles() } catch let error as FHIRStoreError where error.code == .busy {}
        return policy != nil
    }

    /// Deletes files without a payload, if none of them can be needed: while rows are damaged or a payload lacks its content, all stay.
    ///
    /// - Parameters:
    ///   - takesBack: whether payloads that have lost their files get those back whose content matches. Default: false.
    ///   - doubt: why resources may refer to payloads that their rows no longer name; nil if nobody knows of any reason. Default: nil.
    /// - Returns: why files without a payload stay; nil if none do.
    @discardableResult
    func sweepFiles(takesBack: Bool = false, _ doubt: String? = nil) throws -> String? {
        guard let folder = PayloadFolder(store), store.configuration.access == .readWrite else { return nil }
        guard try !store.read({ try Self.unnamed(folder, $0) }).isEmpty else { return nil }
        return try store.write { tx in
            let names = try Set(folder.names())
            let isFile = { (name: String) in names.contains(name) && folder.size(of: name) != nil }
            if takesBack { try tx.takeBackFiles(Self.unnamed(folder, tx), in: folder, isFile) }
            guard let doubt = try doubt ?? tx.payloadDoubt(isFile, readsResources: true) else {
                try folder.sweep(keeping: Self.named(tx), overwrites: tx.unfinishedErasure != nil)
                return nil
            }
            let count = try Self.unnamed(folder, tx).filter(PayloadFolder.isName).count
            return count == 0 ? nil : "\(String(counting: count, "file", "files")) in \(folder.path) without a payload stay, as \(doubt)"
        }
    }

    private static func named(_ tx: ReadTransaction) throws -> Set<String> {
        try Set(tx.fileRows("SELECT name FROM _blobfile").compactMap { $0[0].text })
    }

    /// The names in the folder that no row has.
    private static func unnamed(_ folder: PayloadFolder, _ tx: ReadTransaction) throws -> Set<String> {
        let names = try folder.names()
        return names.isEmpty ? [] : try Set(names).subtracting(named(tx))
    }

    private func keep(_ policy: AttachmentPolicy?) {
        store.payloads.keeper = AttachmentKeeper(places: PayloadPlaces(store.release), minimumBytes: policy?.minimumBytes)
    }

    /// The file's policy; nil if it keeps no payloads apart.
    public var policy: AttachmentPolicy? {
        get throws {
            guard let row = try store.read({ try $0.blobRows("SELECT minimum, maximum, types FROM _blob_policy") }).first,
                let minimum = row[0].integer, let maximum = row[1].integer
            else { return nil }
            let kinds = row[2].text.map { Set($0.split(separator: " ").compactMap { AttachmentKind(rawValue: String($0)) }) }
            return AttachmentPolicy(
                minimumBytes: Int(clamping: minimum), maximumBytes: Int(clamping: maximum), kinds: kinds,
                fileThreshold: try store.read { try $0.minimumFileBytes })
        }
    }

    // MARK: - Reading

    /// The resource as it was stored, opened if it is sealed, and with its separate payloads: a copy, or the same object if it is complete.
    ///
    /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash`; `FHIRStoreError`: `missingKey` and `wrongKey` for a sealed
    ///   resource that cannot be opened.
    public func resolvingPayloads<Resource: FHIRResource>(in resource: Resource) throws -> Resource {
        try store.read { tx in
            // The opened resource has the class of the stored one.
            try tx.withPayloads(tx.opened(resource) as? Resource ?? resource)
        }
    }

    /// The resource with its references to payloads, opened if it is sealed.
    ///
    /// - Throws: `FHIRStoreError`: `missingKey` and `wrongKey`.
    package func opened(_ resource: FHIRResource) throws -> FHIRResource { try store.read { try $0.opened(resource) } }

    /// Refuses a payload by its size, before it is read.
    ///
    /// - Throws: `AttachmentError.tooLarge`; `FHIRStoreError`.
    package func check(byteCount: Int) throws { try (policy ?? AttachmentPolicy()).check(byteCount: byteCount) }

    /// The greatest number of bytes that `put` and `attach` take.
    package var maximumBytes: Int { get throws { try (policy ?? AttachmentPolicy()).maximumBytes } }

    /// The bytes of an attachment's payload, wherever it is stored; nil if it has none.
    ///
    /// - Parameter attachment: an Attachment or a Binary.
    /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash`, `invalidArgument`; `FHIRStoreError`.
    public func data(of attachment: FHIRObject) throws -> Data? {
        guard let slot = PayloadPlaces(store.release).slot(of: attachment) else {
            throw AttachmentError(.invalidArgument, "a \(attachment.layout.name) has no payload: pass an Attachment or a Binary")
        }
        guard case .text(let text)? = attachment.plainValue(slot) else { return nil }
        guard let reference = PayloadReference(text) else { return Data(fhirBase64: text) }
        return try data(reference)
    }

    /// The bytes of a separate payload, compared with their hash.
    ///
    /// - Throws: `AttachmentError`: `missing`, `missingKey`, `wrongHash`; `FHIRStoreError`.
    public func data(_ reference: PayloadReference) throws -> Data {
        let bytes = try store.read { tx in
            tx.noteRead(reference)
            return try tx.storedBytes(reference)
        }
        guard reference.isLiteral else { return bytes }
        guard let data = Data(fhirBase64: String(decoding: bytes, as: UTF8.self)) else {
            throw AttachmentError(
                .wrongHash, "the payload \(reference) is not the base64 text that its reference says: restore it from a backup")
        }
        return data
    }

    // MARK: - Storing

    /// Stores a payload by itself. Set `data` of an attachment to the text of the result before the next `removeUnreferencedPayloads`.
    ///
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - contentType: the stated type; nil for none. Default: nil.
    /// - Throws: `AttachmentError`: `tooLarge`, `wrongType`; `FHIRStoreError`.
    public func put(_ bytes: Data, contentType: String? = nil) throws -> PayloadReference {
        try check(bytes, contentType)
        let digest = HashAlgorithm.sha256.digest(of: bytes)
        return try store.write { tx in
            let stored = try tx.storePayload(bytes, digest: digest)
            tx.loosePayloads.remove(stored.number)
            return stored.reference
        }
    }

    /// Refuses a payload that the policy does not allow.
    ///
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - contentType: the stated type; nil for none.
    /// - Throws: `AttachmentError`: `tooLarge`, `wrongType`; `FHIRStoreError`.
    public func check(_ bytes: Data, _ contentType: String?) throws {
        let policy = try policy ?? AttachmentPolicy()
        try policy.check(byteCount: bytes.count)
        try policy.check(beginning: [UInt8](bytes.prefix(AttachmentKind.beginningBytes)), contentType: contentType)
    }
}
