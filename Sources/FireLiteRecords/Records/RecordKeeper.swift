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
        var next = resources.startIndex
        while next < resources.endIndex {
            let resource = resources[next]
            next += 1
            switch resource.kind {
            case .added:
                // Several in a row, in few statements.
                let first = next - 1
                while next < resources.endIndex, next - first < Self.together, resources[next].kind == .added,
                    resources[next].typeName == resource.typeName
                {
                    next += 1
                }
                try added(resources[first..<next], type: resource.typeName, time: time, tx: transaction)
            case .updated: try updated(resource, noted: noted(resource.root, transaction), time: time, tx: transaction)
            case .deleted: try deleted(resource, time, transaction)
            }
        }
    }

    /// So many new records are looked up together.
    private static let together = 256

    private var tables: RecordTables { .records }

    private func added(_ resources: ArraySlice<WrittenResource>, type: String, time: Int64, tx: WriteTransaction) throws {
        let named = resources.filter { $0.id != nil }
        // `records` records its own writes.
        let noted = try revisions(named.map(\.root), tx)
        var new: [WrittenResource] = []
        for resource in named {
            guard let revision = noted[resource.root] else {
                new.append(resource)
                continue
            }
            if revision != resource.counted || resource.counted != resource.revision {
                try updated(resource, noted: self.noted(resource.root, tx), time: time, tx: tx)
            }
        }
        let rows = try self.rows(continuing: type, new.map { $0.id ?? "" }, as: new.map(\.root), time, tx)
        try store(rows, revisions: new.map(\.revision), tx)
    }

    /// The revisions that are recorded of resources, by number; none for those without a row.
    private func revisions(_ roots: [Int64], _ tx: ReadTransaction) throws -> [Int64: Int64] {
        guard let first = roots.first else { return [:] }
        if roots.count == 1 { return try noted(first, tx).first?[0].integer.map { [first: $0] } ?? [:] }
        let rows = try tx.rows(
            of: tables.module,
            "SELECT root, revision FROM \(raw: tables.name) WHERE root IN (\(ValueList.rows(roots.map { .integer($0) })))")
        var revisions: [Int64: Int64] = [:]
        for row in rows { revisions[row[0].integer ?? 0] = row[1].integer ?? 0 }
        return revisions
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

    /// The rows of records of a type that begin, as `row(continuing:_:as:_:_:)` makes them.
    func rows(continuing type: String, _ ids: [String], as roots: [Int64], _ time: Int64, _ tx: WriteTransaction) throws -> [RecordRow] {
        if ids.count == 1 { return [try row(continuing: type, ids[0], as: roots[0], time, tx)] }
        let tombstoned = ids.isEmpty ? [] : try tables.tombstoned(type, ids, tx)
        return try zip(ids, roots).map { id, root in
            guard tombstoned.contains(id) else { return RecordRow(number: root, type: type, id: id, time: time) }
            return try row(continuing: type, id, as: root, time, tx)
        }
    }

    func store(_ row: RecordRow, revision: Int64, _ tx: WriteTransaction) throws { try store([row], revisions: [revision], tx) }

    func store(_ rows: [RecordRow], revisions: [Int64], _ tx: WriteTransaction) throws {
        let values: [[SQLValue]] = zip(rows, revisions).map { row, revision in
            [
                .integer(row.number), .integer(revision), .text(row.type), .text(row.id), .optional(row.created), .optional(row.updated),
                .optional(row.deleted), .integer(row.version), .integer(row.edition),
            ]
        }
        try tables.insert(values, "INSERT OR REPLACE INTO _record(root, revision, \(RecordRow.columns))", tx)
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
