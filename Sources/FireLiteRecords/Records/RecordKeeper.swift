import FireLiteCrypto
import Foundation

/// Follows the writes of a store object: creation, updates and deletion of resources, however they are written.
final class RecordKeeper: WriteParticipant, @unchecked Sendable {
    // `lock` guards the variables.
    private let lock = NSLock()
    private var currentEncryption = RecordEncryption.none
    private var currentPending: @Sendable (ReadTransaction) throws -> Set<RecordKey> = PendingRecords.inOutbox
    private var currentClock: @Sendable () -> Date = FHIRClock.system.now

    var encryption: RecordEncryption {
        get { lock.withLock { currentEncryption } }
        set { lock.withLock { currentEncryption = newValue } }
    }

    var pending: @Sendable (ReadTransaction) throws -> Set<RecordKey> {
        get { lock.withLock { currentPending } }
        set { lock.withLock { currentPending = newValue } }
    }

    var clock: @Sendable () -> Date {
        get { lock.withLock { currentClock } }
        set { lock.withLock { currentClock = newValue } }
    }

    /// The current time, as tables keep it.
    var now: Int64 { RecordTime.milliseconds(clock()) }

    // MARK: - Following writes

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {
        let time = now
        for resource in resources {
            switch resource.kind {
            case .added: if let id = resource.id { try added(resource, id: id, time: time, tx: transaction) }
            case .updated: try updated(resource, noted: noted(resource.root, transaction), time: time, tx: transaction)
            case .deleted: try deleted(resource, time, transaction)
            }
        }
    }

    private var tables: RecordTables { .records }

    private func added(_ resource: WrittenResource, id: String, time: Int64, tx: WriteTransaction) throws {
        // `records` records its own writes.
        let noted = try noted(resource.root, tx)
        guard noted.isEmpty else { return try updated(resource, noted: noted, time: time, tx: tx) }
        try begin(resource.root, type: resource.typeName, id: id, revision: resource.revision, time: time, tx: tx)
    }

    /// The revision that is recorded; none without a row.
    private func noted(_ root: Int64, _ tx: ReadTransaction) throws -> [SQLRow] {
        try tx.rows(of: tables.module, "SELECT revision FROM _record WHERE root = ?", [.integer(root)])
    }

    /// Begins a record, or continues a deleted one.
    @discardableResult
    func begin(
        _ root: Int64, type: String, id: String, revision: Int64, time: Int64, tx: WriteTransaction
    ) throws -> RecordRow {
        let row = try row(continuing: type, id, as: root, time, tx)
        try store(row, revision: revision, tx)
        return row
    }

    /// The row of a record that begins, or continues a deleted one, whose own row is removed. The caller stores it.
    func row(continuing type: String, _ id: String, as root: Int64, _ time: Int64, _ tx: WriteTransaction) throws -> RecordRow {
        var row = RecordRow(number: root, type: type, id: id, time: time)
        if let old = try tables.tombstone(type, id, tx) {
            row.created = old.created
            row.version = old.version + 1
            row.edition = old.edition
            try tx.run(
                on: tables.module, "UPDATE _record_annotation SET owner = ? WHERE owner = ? AND keyed = 0",
                [.integer(root), .integer(old.number)])
            try tables.remove(old.number, tx)
        }
        return row
    }

    func store(_ row: RecordRow, revision: Int64, _ tx: WriteTransaction) throws {
        try tx.run(
            on: tables.module,
            "INSERT OR REPLACE INTO _record(root, revision, \(RecordRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(row.number), .integer(revision), .text(row.type), .text(row.id), .optional(row.created), .optional(row.updated),
                .optional(row.deleted), .integer(row.version), .integer(row.edition),
            ])
    }

    private func updated(_ resource: WrittenResource, noted: [SQLRow], time: Int64, tx: WriteTransaction) throws {
        guard let id = resource.id else { return try tables.remove(resource.root, tx) }
        guard noted.first?[0].integer != resource.counted else {
            guard resource.counted != resource.revision else { return }
            // Several changes of the write have become one.
            try tx.run(
                on: tables.module, "UPDATE _record SET revision = ? WHERE root = ?", [.integer(resource.revision), .integer(resource.root)])
            return
        }
        if try tables.wrappedKey(of: resource.root, tx) != nil {
            throw RecordError(
                .sealed,
                "a sealed \(resource.typeName) was changed without records, which would leave old content sealed: use records.update")
        }
        if noted.isEmpty {
            var row = RecordRow(unknown: resource.root, type: resource.typeName, id: id)
            if resource.oldID != id, resource.oldID == nil { row.created = time }
            row.updated = time
            return try store(row, revision: resource.revision, tx)
        }
        try tx.run(
            on: tables.module, "UPDATE _record SET id = ?, updated = ?, revision = ?, version = version + 1 WHERE root = ?",
            [.text(id), .integer(time), .integer(resource.revision), .integer(resource.root)])
    }

    private func deleted(_ resource: WrittenResource, _ time: Int64, _ tx: WriteTransaction) throws {
        guard let id = resource.id else { return }
        if try tables.row(resource.root, tx) == nil {
            try store(RecordRow(unknown: resource.root, type: resource.typeName, id: id), revision: 0, tx)
        }
        try tables.shred(resource.root, tx)
        try tx.run(
            on: tables.module, "UPDATE _record SET deleted = ?, updated = ?, revision = 0 WHERE root = ?",
            [.integer(time), .integer(time), .integer(resource.root)])
    }
}

extension SQLValue {
    static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
}
