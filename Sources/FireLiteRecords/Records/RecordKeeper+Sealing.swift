import FireLiteCore
import FireLiteCrypto
import Foundation

/// Resources that come in with an import or a sync, and go out with an export or a push, whole.
extension RecordKeeper: ContentSealer {
    var hasKeys: Bool { encryption.keyring != nil }

    func seals(_ typeName: String, _ tx: ReadTransaction) throws -> Bool { encryption.elements(of: typeName) != nil }

    private var vault: RecordVault { RecordVault(tables: .records, domain: "resource", encryption: encryption) }

    // MARK: - Going out

    func open(number root: Int64, _ typeName: String, _ tx: ReadTransaction) throws -> FHIRResource {
        try Self.mapping {
            guard let row = try RecordTables.records.row(root, tx), let content = try vault.open(row, tx)?.content else {
                throw RecordError(.cannotOpen, "the sealed \(typeName) has lost its key: restore it from a backup")
            }
            return try FHIRJSON.resource(from: content, release: tx.store.release)
        }
    }

    // MARK: - Coming in

    func store(_ resource: FHIRResource, _ policy: UpsertPolicy, _ tx: WriteTransaction) throws -> SealedOutcome {
        try Self.mapping {
            let type = resource.resourceType
            let id = resource.id ?? UUID().uuidString.lowercased()
            let elements = try elements(of: type, tx)
            let whole = resource.isManaged || resource.ownerObject != nil ? resource.copy() : resource
            whole.id = id
            guard let found = try tx.registered(type, id: id) else {
                _ = try create(whole, annotations: [], elements: elements, tx: tx)
                return .added
            }
            var row = try RecordTables.records.row(found.root, tx) ?? RecordRow(unknown: found.root, type: type, id: id)
            let sealed = try vault.open(row, tx)
            let content = try FHIRJSON.data(tx.withPayloads(whole))
            if sealed?.content == content { return .unchanged }
            if policy == .keepNewer,
                let stored = try sealed.map({ try FHIRJSON.resource(from: $0.content, release: tx.store.release) })
                    ?? tx.resource(typeName: type, id: id),
                MetaVersion(whole).isOlder(than: MetaVersion(stored))
            {
                return .older
            }
            let texts = try sealed?.annotations ?? vault.annotations(of: row, tx)
            try seal(whole, content: content, annotations: texts, elements: elements, row: &row, revision: found.revision, tx: tx)
            return .updated
        }
    }

    /// Stores a new sealed record.
    @discardableResult
    func create(
        _ resource: FHIRResource, annotations: [String], elements: SealedElements, tx: WriteTransaction
    ) throws -> RecordRow {
        let type = resource.resourceType
        try tx.add(elements.stub(of: resource))
        guard let id = resource.id, let found = try tx.registered(type, id: id) else { throw RecordError.notFound(type) }
        var row = try begin(found.root, type: type, id: id, revision: found.revision, time: now, tx: tx)
        try vault.seal(FHIRJSON.data(tx.withPayloads(resource)), annotations, of: &row, tx)
        try store(row, revision: found.revision, tx)
        return row
    }

    /// Seals new content of a stored record.
    ///
    /// - Parameter revision: that of the stored resource before.
    func seal(
        _ resource: FHIRResource, content: Data, annotations: [String], elements: SealedElements, row: inout RecordRow,
        revision: Int64, tx: WriteTransaction
    ) throws {
        let stored = try tx.upsert(elements.stub(of: resource))
        var after = try tx.registered(row.type, id: row.id)?.revision ?? revision
        if after == revision {
            // The elements in the clear stay unchanged, but observers, above all a sync, must see the change.
            try tx.renew(number: row.number)
            after = try tx.registered(row.type, id: row.id)?.revision ?? revision
        }
        withExtendedLifetime(stored) {}
        row.version = try tx.incremented(row.version, in: tables.name)
        row.updated = now
        try vault.seal(content, annotations, of: &row, tx)
        try store(row, revision: after, tx)
    }

    /// The sealed elements of a type. Without a setting, those of an existing sealed resource, so that a program with only the keyring
    /// reveals no more than the one that sealed it.
    private func elements(of type: String, _ tx: ReadTransaction) throws -> SealedElements {
        if let elements = encryption.elements(of: type) { return elements }
        let tables = RecordTables.records
        let sealed = try tx.rows(
            of: tables.module,
            """
            SELECT r.root, \(RecordRow.columns.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", ")) FROM _record r
            WHERE r.type = ? AND r.deleted IS NULL AND EXISTS (SELECT 1 FROM _record_content c WHERE c.owner = r.root) LIMIT 1
            """, [.text(type)]
        ).first.map { RecordRow($0) }
        guard let sealed, let stub = try tx.resource(typeName: type, id: sealed.id) else { return SealedElements.keeping() }
        return SealedElements(keepingThoseOf: stub)
    }

    // MARK: - Texts

    func seal(text: String) throws -> String {
        try Self.mapping {
            guard let keyring = encryption.keyring else { throw RecordError(.missingKey, "there is no keyring", remedy: .giveKeyring) }
            let key = try SealedBytes.newKey()
            let wrapped = try keyring.wrap(key, context: Self.textContext("key"))
            let body = try SealedBytes.seal(Data(text.utf8), key: key, context: Self.textContext("text"))
            return ContentSealing.textStart
                + [Data(wrapped.commonID.utf8), wrapped.bytes, body].map { $0.base64EncodedString() }.joined(separator: ":")
        }
    }

    func open(text: String) throws -> String {
        try Self.mapping {
            guard let keyring = encryption.keyring else { throw RecordError(.missingKey, "there is no keyring", remedy: .giveKeyring) }
            let failure = RecordError(.cannotOpen, "a sealed text was changed, or the keyring is another one than it was sealed with")
            let parts = text.dropFirst(ContentSealing.textStart.count).split(separator: ":").compactMap { Data(base64Encoded: String($0)) }
            guard parts.count == 3 else { throw failure }
            let key = try keyring.unwrap(
                WrappedKey(commonID: String(decoding: parts[0], as: UTF8.self), bytes: parts[1]), context: Self.textContext("key")
            ) { failure }
            return String(decoding: try SealedBytes.open(parts[2], key: key, context: Self.textContext("text")) { failure }, as: UTF8.self)
        }
    }

    private static func textContext(_ part: String) -> Data { Data("firelite/1\n\(part)\nsync".utf8) }

    /// Runs the body, and turns errors of keys into those of the store, which the modules above know.
    private static func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as RecordError where error.code == .missingKey {
            throw FHIRStoreError(.missingKey, error.text.problem, remedy: error.remedy)
        } catch let error as RecordError where error.code == .cannotOpen {
            throw FHIRStoreError(.wrongKey, error.text.problem, remedy: error.remedy)
        }
    }
}
