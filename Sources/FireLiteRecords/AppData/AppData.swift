import FireLiteCore
import Foundation

/// An app's own data in the store: bytes or Codable values under ids, with annotations and metadata.
///
/// ```swift
/// try store.appData.put(encoding: settings, id: "settings", annotations: ["ui"])
/// let settings = try store.appData.get("settings")?.decoded(Settings.self)
/// ```
/// Calls inside a `read` or `write` of the store are part of it.
public struct AppData: Sendable {
    /// The store.
    public let store: FHIRStore
    private let keeper: RecordKeeper

    init(_ store: FHIRStore) {
        self.store = store
        keeper = Records(store).keeper
    }

    var tables: RecordTables { .appData }
    var vault: RecordVault { RecordVault(tables: tables, domain: "appdata", encryption: keeper.encryption) }

    // MARK: - Storing

    /// Stores bytes under an id, and replaces existing ones.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - id: the id of the item.
    ///   - form: the form of the bytes, such as a media type; nil keeps the existing one.
    ///   - annotations: the annotations; nil keeps existing ones.
    /// - Returns: the metadata.
    /// - Throws: ``RecordError``: `missingID` for an empty id, `emptyAnnotation`, `missingKey`; `FHIRStoreError`.
    @discardableResult
    public func put(_ data: Data, id: String, form: String? = nil, annotations: [String]? = nil) throws -> RecordMetadata {
        guard !id.isEmpty else { throw RecordError(.missingID, "app data needs an id") }
        let new = try annotations.map { try RecordAnnotation.normalized($0) }
        return try store.joiningWrite { tx in try put(data, id: id, form: form, annotations: new, tx: tx) }
    }

    /// Stores a value as JSON under an id, and replaces existing app data.
    ///
    /// - Parameters:
    ///   - value: the value, which is stored as JSON.
    ///   - id: the id of the item.
    ///   - annotations: the annotations; nil keeps existing ones.
    /// - Returns: the metadata.
    /// - Throws: errors of encoding; ``RecordError``: `missingID` for an empty id, `emptyAnnotation`, `missingKey`; `FHIRStoreError`.
    @discardableResult
    public func put(encoding value: some Encodable, id: String, annotations: [String]? = nil) throws -> RecordMetadata {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .sortedKeys
        return try put(encoder.encode(value), id: id, form: MediaType.json, annotations: annotations)
    }

    /// Stores bytes under several ids with the same annotations, in one write.
    ///
    /// - Parameters:
    ///   - items: the bytes by id.
    ///   - annotations: the annotations of each; nil keeps existing ones.
    /// - Returns: the stored ids, sorted, and those that failed.
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError` if nothing could be stored.
    @discardableResult
    public func put(_ items: [String: Data], annotations: [String]? = nil) throws -> BatchResult<String> {
        let new = try annotations.map { try RecordAnnotation.normalized($0) }
        return try store.joiningWrite { tx in
            try .collecting(items.sorted { $0.key < $1.key }, id: \.key) { id, data in
                guard !id.isEmpty else { throw RecordError(.missingID, "app data needs an id") }
                _ = try put(data, id: id, form: nil, annotations: new, tx: tx)
                return id
            }
        }
    }

    private func put(_ data: Data, id: String, form: String?, annotations: [String]?, tx: WriteTransaction) throws -> RecordMetadata {
        let time = keeper.now
        let stored = try row(id, tx)
        var row = try stored ?? RecordRow(number: nextNumber(tx), type: "", id: id, time: time)
        if stored != nil { row.version = try tx.incremented(row.version, in: tables.name) }
        if row.deleted != nil { row.created = time }
        row.updated = time
        row.deleted = nil
        if let form { row.type = form }
        var texts = annotations ?? []
        if annotations == nil, let stored, stored.deleted == nil { texts = try vault.annotations(of: row, tx) }
        let wasDeleted = stored?.deleted != nil
        try store(row, tx)
        let hasKey = try tables.wrappedKey(of: row.number, tx) != nil
        if keeper.encryption.keyring != nil || hasKey {
            try vault.seal(data, texts, of: &row, tx)
        } else {
            try tables.setContent(data, of: row.number, tx)
            if annotations != nil || wasDeleted { try vault.setAnnotations(texts, of: &row, tx) }
        }
        try store(row, tx)
        return row.metadata(isPending: false)
    }

    /// Replaces the annotations and keeps the bytes.
    ///
    /// - Parameters:
    ///   - id: the id of the item.
    ///   - annotations: the new annotations; none removes all.
    /// - Throws: ``RecordError``: `notFound`, `emptyAnnotation`, `missingKey`; `FHIRStoreError`.
    public func annotate(_ id: String, with annotations: [String]) throws {
        let texts = try RecordAnnotation.normalized(annotations)
        try store.joiningWrite { tx in
            guard var row = try row(id, tx), row.deleted == nil else { throw RecordError.notFound("app data") }
            if try vault.annotations(of: row, tx) == texts { return }
            row.updated = keeper.now
            try vault.setAnnotations(texts, of: &row, tx)
            try store(row, tx)
        }
    }

    // MARK: - Deleting

    /// Deletes the bytes; metadata and annotations stay as a tombstone, and the key of sealed bytes is destroyed.
    ///
    /// - Throws: ``RecordError/Code/notFound``; `FHIRStoreError`.
    public func delete(_ id: String) throws { try store.joiningWrite { try delete(id, $0) } }

    /// Deletes the bytes of several ids, in one write.
    ///
    /// - Returns: the deleted ids, and the unknown ones.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func delete(ids: [String]) throws -> BatchResult<String> {
        try store.joiningWrite { tx in
            try .collecting(ids, id: { $0 }) { id in
                try delete(id, tx)
                return id
            }
        }
    }

    private func delete(_ id: String, _ tx: WriteTransaction) throws {
        guard var row = try row(id, tx), row.deleted == nil else { throw RecordError.notFound("app data") }
        row.deleted = keeper.now
        row.updated = row.deleted
        try tables.shred(row.number, tx)
        try store(row, tx)
    }

    /// Deletes the tombstones of deleted app data.
    ///
    /// - Parameter date: only tombstones from before this date; nil for all.
    /// - Returns: the number of deleted tombstones.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func purge(deletedBefore date: Date? = nil) throws -> Int {
        try store.joiningWrite { try tables.purge(before: date.map(RecordTime.milliseconds), $0) }
    }

    // MARK: - Reading

    /// The app data under an id; nil if there is none, or if it was deleted.
    ///
    /// - Throws: ``RecordError``: `missingKey`, `cannotOpen`; `FHIRStoreError`.
    public func get(_ id: String) throws -> AppDataRecord? {
        try store.read { tx in
            guard let row = try row(id, tx), row.deleted == nil else { return nil }
            return try record(row, tx)
        }
    }

    /// The app data under several ids, in the order of the ids.
    ///
    /// - Returns: the app data found, and the ids that failed: unknown ones, and those of sealed app data that cannot be opened.
    /// - Throws: `FHIRStoreError`.
    public func get(ids: [String]) throws -> BatchResult<AppDataRecord> {
        try store.read { tx in
            try .collecting(ids, id: { $0 }) { id in
                guard let row = try row(id, tx), row.deleted == nil else { throw RecordError.notFound("app data") }
                return try record(row, tx)
            }
        }
    }

    /// A query for app data.
    public var query: AppDataQuery { AppDataQuery(self) }

    // MARK: - Parts

    /// The row of an id, deleted or not.
    func row(_ id: String, _ tx: ReadTransaction) throws -> RecordRow? {
        try tx.rows(of: tables.module, "SELECT number, \(RecordRow.columns) FROM _appdata WHERE id = ?", [.text(id)]).first
            .map { RecordRow($0) }
    }

    private func nextNumber(_ tx: WriteTransaction) throws -> Int64 {
        try tx.incremented(tx.rows(of: tables.module, "SELECT max(number) FROM _appdata").first?[0].integer ?? 0, in: tables.name)
    }

    private func store(_ row: RecordRow, _ tx: WriteTransaction) throws {
        try tx.run(
            on: tables.module, "INSERT OR REPLACE INTO _appdata(number, \(RecordRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(row.number), .text(row.type), .text(row.id), .optional(row.created), .optional(row.updated),
                .optional(row.deleted), .integer(row.version), .integer(row.edition),
            ])
    }

    func record(_ row: RecordRow, _ tx: ReadTransaction) throws -> AppDataRecord {
        let sealed = try vault.open(row, tx)
        guard let data = try sealed?.content ?? tables.content(of: row.number, tx) else {
            throw RecordError(.invalidContent, "the bytes of app data are missing", remedy: .check)
        }
        return AppDataRecord(
            id: row.id, data: data, form: row.type.isEmpty ? nil : row.type, version: Int(row.version),
            metadata: row.metadata(isPending: false), annotations: try sealed?.annotations ?? tables.annotations(of: row.number, tx))
    }

    func summary(_ row: RecordRow, _ tx: ReadTransaction, _ opensAnnotations: Bool) throws -> RecordSummary {
        RecordSummary(
            typeName: row.type, id: row.id, metadata: row.metadata(isPending: false),
            annotations: row.deleted == nil && opensAnnotations
                ? try vault.annotations(of: row, tx) : try tables.annotations(of: row.number, tx),
            isSealed: try tables.wrappedKey(of: row.number, tx) != nil)
    }

    func filterSQL(_ filter: RecordFilter) throws -> RecordFilter.SQL { try filter.sql(tables, code: keeper.encryption.code) }
}

extension FHIRStore {
    /// The app's own data in the store.
    public var appData: AppData { AppData(self) }
}
