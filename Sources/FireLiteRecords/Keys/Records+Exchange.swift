import FireLiteCore
import FireLiteCrypto
import Foundation

extension Records {
    // MARK: - Export

    /// A record in exchange form, including separate payloads, with new keys wrapped by the primary common key.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    ///   - client: the id of the writing program, for its tag.
    ///   - tags: the form of tags.
    /// - Throws: ``RecordError``: `notFound`, `missingKey`, `cannotOpen`; ``AttachmentError``; `FHIRStoreError`.
    public func wireRecord(_ typeName: String, id: String, client: String, tags: WireTags = .keyed) throws -> WireRecord {
        let keyring = try exchangeKeyring
        return try store.read { tx in
            guard let row = try row(typeName, id, tx), let resource = try tx.resource(typeName: typeName, id: id) else {
                throw RecordError.notFound(typeName)
            }
            let sealed = try vault.open(row, tx)
            let json = try sealed?.content ?? FHIRJSON.data(tx.withPayloads(resource))
            let annotations = try sealed?.annotations ?? tables.annotations(of: row.number, tx)
            let key = try SealedBytes.newKey()
            let wrapped = try keyring.wrap(key, context: Data())
            let attachments = try keyring.wrap(SealedBytes.newKey(), context: Data())
            let plain =
                [
                    WireTags.tag("client", client), WireTags.tag("updatedbyclient", client), WireTags.tag("resourcetype", typeName),
                    WireTags.tag("fhirversion", store.release.version),
                ] + annotations.map { WireTags.tag("custom", $0) }
            return WireRecord(
                recordID: id, date: ResourceDate(resource.layout).date(inJSON: json),
                createdAt: row.created.map { RecordTime.date($0).ISO8601Format() },
                encryptedTags: try plain.map { try tags.encrypted($0, keyring) },
                encryptedBody: try SealedBytes.seal(json, key: key, context: Data()).base64EncodedString(),
                encryptedKey: wrapped.bytes.base64EncodedString(), attachmentKey: attachments.bytes.base64EncodedString(),
                modelVersion: WireRecord.currentModelVersion, commonKeyID: wrapped.commonID, status: RecordStatus.active.rawValue)
        }
    }

    private var exchangeKeyring: RecordKeyring {
        get throws {
            guard let keyring = keeper.encryption.keyring else {
                throw RecordError(.missingKey, "there is no keyring", remedy: .giveKeyring)
            }
            return keyring
        }
    }

    // MARK: - Import

    /// Stores an exchanged record: creates it, or updates the one with its type and id. A deleted record is deleted here too.
    ///
    /// - Parameters:
    ///   - wire: the record.
    ///   - tags: the form of its tags.
    ///   - candidates: annotations to look for among the tags, which are hashed and cannot be read.
    /// - Returns: the type and id.
    /// - Throws: ``RecordError``: `missingKey`, `cannotOpen`, also for a tag that a key of ``WireTags/legacy(key:)`` does not decrypt,
    ///   `unsupportedModelVersion`, `invalidContent`; `FHIRStoreError`.
    @discardableResult
    public func receive(_ wire: WireRecord, tags: WireTags = .keyed, candidates: [String] = []) throws -> RecordKey {
        let keyring = try exchangeKeyring
        guard (1...WireRecord.currentModelVersion).contains(wire.modelVersion) else {
            throw RecordError(
                .unsupportedModelVersion, "the record has version \(wire.modelVersion) of the model: update the library to read it")
        }
        let failure = RecordError(.cannotOpen, "the encrypted record was changed, or its keys are others")
        let key = try keyring.unwrap(WrappedKey(commonID: wire.commonKeyID, bytes: Self.bytes(wire.encryptedKey)), context: Data()) {
            failure
        }
        let json = try SealedBytes.open(Self.bytes(wire.encryptedBody), key: key, context: Data()) { failure }
        let resource: FHIRResource
        do {
            resource = try FHIRJSON.resource(from: json, release: store.release)
        } catch {
            throw RecordError(.invalidContent, "the body of the record is no resource of FHIR \(store.release.name)")
        }
        resource.id = wire.recordID
        let annotations = try annotations(of: wire, tags, candidates, keyring)
        let record = RecordKey(resource.resourceType, id: wire.recordID)
        try store.joiningWrite { tx in
            let isStored = try tx.registered(record.typeName, id: record.id) != nil
            if wire.status == RecordStatus.deleted.rawValue {
                if isStored { try delete(record.typeName, id: record.id) }
                return
            }
            if isStored { try update(resource, annotations: annotations) } else { try create(resource, annotations: annotations) }
            if let text = wire.createdAt, let created = try? Date(text, strategy: .iso8601) {
                try tx.run(
                    on: tables.module, "UPDATE _record SET created = ? WHERE type = ? AND id = ? AND deleted IS NULL",
                    [.integer(RecordTime.milliseconds(created)), .text(record.typeName), .text(record.id)])
            }
        }
        return record
    }

    private func annotations(
        of wire: WireRecord, _ tags: WireTags, _ candidates: [String], _ keyring: RecordKeyring
    ) throws -> [String] {
        let read = try tags.decrypted(wire.encryptedTags).compactMap { WireTags.value(of: $0, "custom") }
        let known = Set(wire.encryptedTags)
        return try read
            + RecordAnnotation.normalized(candidates).filter { known.contains(try tags.encrypted(WireTags.tag("custom", $0), keyring)) }
    }

    private static func bytes(_ base64: String) throws -> Data {
        guard let data = Data(base64Encoded: base64), data.count >= 28 else {
            throw RecordError(.invalidContent, "encrypted data of the record is no base64, or too short")
        }
        return data
    }
}

extension ResourceDate {
    /// The date of a resource's JSON, `yyyy-MM-dd`; nil if it has no whole date.
    func date(inJSON json: Data) -> String? {
        guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else { return nil }
        for path in paths {
            let parts = path.split(separator: ".").map(String.init)
            let value = parts.count == 1 ? object[parts[0]] : (object[parts[0]] as? [String: Any])?[parts[1]]
            if let text = value as? String { return text.utf8.count >= 10 ? String(text.prefix(10)) : nil }
        }
        return nil
    }
}
