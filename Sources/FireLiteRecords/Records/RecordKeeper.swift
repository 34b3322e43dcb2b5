import FireLiteCrypto
import Foundation

/// Follows the writes of a store object: creation, updates and deletion of resources, however they are written.
final class RecordKeeper: WriteParticipant, @unchecked Sendable {
    // `lock` guards the variables.
    private let lock = NSLock()
    private var currentEncryption = RecordEncryption.none
    private var currentPending: @Sendable (ReadTransaction) throws -> Set<RecordKey> = PendingRecords.inOutbox
    private var currentClock: @Sendable () -> Date

    init(clock: @escaping @Sendable () -> Date) { currentClock = clock }

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

    // MARK: - Checking

    var checkedPart: String { "what is kept of records" }

    func findings(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        try [RecordTables.records, .appData].flatMap { tables in
            try transaction.numberFindings(of: tables.module, tables.name, [tables.key, "version", "edition"])
        }
    }

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

    var tables: RecordTables { .records }

    private func added(_ resources: ArraySlice<WrittenResource>, type: String, time: Int64, tx: WriteTransaction) throws {
        let named = resources.filter { $0.id != nil }
        // `records` records its own writes.
        let noted = try revisions(named.map(\.root), tx)
        var new: [WrittenResource] = []
        for (place, resource) in named.enumerated() {
            guard let revision = noted[place] else {
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

    /// The revisions that are recorded of new resources, in their order; nil for those without a row.
    private func revisions(_ roots: [Int64], _ tx: ReadTransaction) throws -> [Int64?] {
        guard let first = roots.first, let last = roots.last else { return [] }
        if roots.count == 1 { return [try noted(first, tx).first?[0].integer] }
        var revisions = [Int64?](repeating: nil, count: roots.count)
        // Between the numbers of new resources there are few others, and one that is stepped over costs less than a look-up.
        guard last - first < 4 * Int64(roots.count), zip(roots, roots.dropFirst()).allSatisfy({ $0 < $1 }) else {
            try tx.forEachRow(
                of: tables.module, wanted: roots,
                "SELECT wanted.place, r.revision FROM wanted CROSS JOIN \(tables.name) r ON r.root = wanted.value"
            ) { place, row in revisions[place] = row.value(1).integer }
            return revisions
        }
        var place = 0
        try tx.forEachStatementRow(
            of: tables.module, "SELECT root, revision FROM \(tables.name) WHERE root BETWEEN ? AND ? ORDER BY root",
            [.integer(first), .integer(last)]
        ) { row in
            guard let root = row.value(0).integer else { return }
            while place < roots.count, roots[place] < root { place += 1 }
            if place < roots.count, roots[place] == root { revisions[place] = row.value(1).integer }
        }
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
            row.version = try tx.incremented(old.version, in: tables.name)
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
        let tombstoned = try tables.tombstoned(type, ids, tx)
        var rows: [RecordRow] = []
        rows.reserveCapacity(ids.count)
        for (place, id) in ids.enumerated() {
            guard tombstoned.contains(place) else {
                rows.append(RecordRow(number: roots[place], type: type, id: id, time: time))
                continue
            }
            rows.append(try row(continuing: type, id, as: roots[place], time, tx))
        }
        return rows
    }

    func store(_ row: RecordRow, revision: Int64, _ tx: WriteTransaction) throws { try store([row], revisions: [revision], tx) }

    func store(_ rows: [RecordRow], revisions: [Int64], _ tx: WriteTransaction) throws {
        var next = 0
        while next < rows.count {
            let count = rows.count - next < Self.storedTogether ? 1 : Self.storedTogether
            try tx.run(on: tables.module, count == 1 ? Self.storeOne : Self.storeSeveral) { values in
                for place in 0..<count { rows[next + place].bind(to: values, after: place * RecordRow.width, revisions[next + place]) }
            }
            next += count
        }
    }

    /// So many rows are stored by one statement: starting and ending it costs as much as a row.
    private static let storedTogether = 16
    private static let storeOne = storing(1)
    private static let storeSeveral = storing(storedTogether)

    private static func storing(_ count: Int) -> String {
        let row = "(" + Array(repeating: "?", count: RecordRow.width).joined(separator: ", ") + ")"
        return "INSERT OR REPLACE INTO _record(root, revision, \(RecordRow.columns)) VALUES "
            + Array(repeating: row, count: count).joined(separator: ", ")
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
