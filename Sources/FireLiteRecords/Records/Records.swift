import FireLite
import FireLiteCore
import Foundation

/// The records of a store: its resources with metadata and annotations.
///
/// ```swift
/// let record = try store.records.create(observation, annotations: ["fitness"])
/// let tagged = try store.records.query(Observation.self).annotated("fitness").all()
/// ```
/// Calls inside a `read` or `write` of the store are part of it. From the first use of `records` on, metadata follows every write through
/// this store object, including upserts, imports and syncs.
public struct Records: Sendable {
    /// The store.
    public let store: FHIRStore
    let keeper: RecordKeeper

    init(_ store: FHIRStore) {
        self.store = store
        keeper = store.participant(RecordKeeper.self) { RecordKeeper(clock: store.clock.now) }
        store.sealing.sealer = keeper
    }

    var tables: RecordTables { .records }

    // MARK: - Settings of the store object

    /// How records, app data and payloads are sealed from now on. Default: not sealed.
    public var encryption: RecordEncryption {
        get { keeper.encryption }
        nonmutating set { keeper.encryption = newValue }
    }

    /// The pending records. Default: those with a request in the store's outbox, and all that a request without a visible id may be about.
    public var pendingKeys: @Sendable (ReadTransaction) throws -> Set<RecordKey> {
        get { keeper.pending }
        nonmutating set { keeper.pending = newValue }
    }

    /// The clock of metadata. Default: that of the store's configuration.
    public var clock: @Sendable () -> Date {
        get { keeper.clock }
        nonmutating set { keeper.clock = newValue }
    }

    // MARK: - Metadata

    /// Metadata and annotations of a record, deleted or not; nil if it does not exist.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    /// - Throws: ``RecordError``; `FHIRStoreError`.
    public func summary(_ typeName: String, id: String) throws -> RecordSummary? {
        try store.read { tx in
            guard let row = try row(typeName, id, tx) ?? tables.tombstone(typeName, id, tx) else { return nil }
            return try summary(row, pending: row.deleted == nil ? keeper.pending(tx) : [], tx)
        }
    }

    /// Replaces the annotations of a record and keeps its content.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    ///   - annotations: the new annotations; none removes all.
    /// - Returns: the annotations as they are kept.
    /// - Throws: ``RecordError``: `notFound`, `emptyAnnotation`; `FHIRStoreError`.
    @discardableResult
    public func annotate(_ typeName: String, id: String, with annotations: [String]) throws -> [String] {
        try annotate(typeName, id: id) { _ in annotations }
    }

    /// Changes the annotations of a record and keeps its content.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    ///   - change: makes the new annotations from the present ones.
    /// - Returns: the annotations as they are kept.
    /// - Throws: ``RecordError``: `notFound`, `emptyAnnotation`; errors of `change`; `FHIRStoreError`.
    @discardableResult
    public func annotate(_ typeName: String, id: String, _ change: ([String]) throws -> [String]) throws -> [String] {
        try store.joiningWrite { tx in
            guard let found = try tx.registered(typeName, id: id), var row = try row(typeName, id, tx) else {
                throw RecordError.notFound("\(typeName)")
            }
            let old = try vault.annotations(of: row, tx)
            let texts = try RecordAnnotation.normalized(change(old))
            if texts == old { return texts }
            row.updated = keeper.now
            try vault.setAnnotations(texts, of: &row, tx)
            try keeper.store(row, revision: found.revision, tx)
            return texts
        }
    }

    /// Deletes the tombstones of deleted records.
    ///
    /// - Parameter date: only tombstones from before this date; nil for all.
    /// - Returns: the number of deleted tombstones.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func purge(deletedBefore date: Date? = nil) throws -> Int {
        try store.joiningWrite { try tables.purge(before: date.map(RecordTime.milliseconds), $0) }
    }

    /// Records what other store objects and processes wrote without records: resources without metadata get the current time, changed ones
    /// count as updated now, and missing ones as deleted now.
    ///
    /// - Returns: the number of changed records.
    /// - Complexity: reads the store's list of resources.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func reconcile() throws -> Int {
        try store.joiningWrite { tx in try RecordReconciliation(keeper: keeper, tx: tx).run() }
    }

    // MARK: - Parts

    var vault: RecordVault { RecordVault(tables: tables, domain: "resource", encryption: keeper.encryption) }

    /// The row of a stored resource: without times if a store object without records wrote it, and nil if it is not stored.
    func row(_ typeName: String, _ id: String, _ tx: ReadTransaction) throws -> RecordRow? {
        guard let root = try tx.registered(typeName, id: id)?.root else { return nil }
        return try tables.row(root, tx) ?? RecordRow(unknown: root, type: typeName, id: id)
    }

    func summary(
        _ row: RecordRow, pending: Set<RecordKey>, _ tx: ReadTransaction, _ opensAnnotations: Bool = true
    ) throws -> RecordSummary {
        RecordSummary(
            typeName: row.type, id: row.id, metadata: row.metadata(isPending: pending.contains(RecordKey(row.type, id: row.id))),
            annotations: row.deleted == nil && opensAnnotations
                ? try vault.annotations(of: row, tx) : try tables.annotations(of: row.number, tx),
            isSealed: try tables.wrappedKey(of: row.number, tx) != nil)
    }
}

extension FHIRStore {
    /// The records of the store. From its first use on, this store object's writes update metadata.
    public var records: Records { Records(self) }
}

extension FHIRStore {
    /// From now on, records writes through this store object in the file's records, if it has any: a deletion leaves its tombstone at once.
    ///
    /// - Throws: `FHIRStoreError`.
    package func followRecordsIfKept() throws {
        if try read({ try $0.hasTables(of: RecordTables.records.module) }) { _ = records }
    }
}
