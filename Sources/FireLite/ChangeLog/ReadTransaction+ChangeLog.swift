import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension ReadTransaction {
    var changeTable: ChangeTable {
        access.region?.insert(tables: [ChangeTable.tables[0]])
        return ChangeTable(connection: access.connection)
    }

    /// Whether the file has ever tracked anything.
    var hasChangeTable: Bool { access.schema.ownTables.contains("_change") }

    /// What the store tracks, and the next number.
    func trackingSettings() throws -> TrackingSettings {
        // Any change of a resource may be logged.
        access.region?.insert(tables: [ChangeTable.tables[0]])
        return hasChangeTable ? try TrackingSettings.read(access.connection) : TrackingSettings()
    }

    /// The types that are tracked.
    ///
    /// - Throws: `FHIRStoreError`.
    public func tracked(_ tracking: StoreTracking) throws -> TrackedTypes { try perform { try trackingSettings()[tracking] } }

    /// The number of the last change that a reader has acknowledged; nil if there is no such reader.
    package func place(ofReader name: String) throws -> Int64? { try perform { hasChangeTable ? try changeTable.place(of: name) : nil } }

    // MARK: - The log

    /// The number of the newest entry of the change log; 0 if there was none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func newestChange() throws -> Int64 { try perform { try trackingSettings().next - 1 } }

    /// The lowest number that `changes(since:)` takes: the log is complete after it.
    ///
    /// - Throws: `FHIRStoreError`.
    public func changeLogStart() throws -> Int64 { try perform { try trackingSettings().start - 1 } }

    /// The local changes with numbers after `sequence`, the oldest first: see `FHIRStore.changes(since:limit:squashed:)`.
    ///
    /// - Throws: `FHIRStoreError`: `resyncRequired` if some of them are no longer in the log, or were not logged.
    public func changes(since sequence: Int64, limit: Int? = nil, squashed: Bool = true) throws -> LoggedChanges {
        misuse(unless: limit ?? 1 > 0, "a limit is 1 or more: leave it out for all changes")
        return try changes(since: sequence, limit: limit, squashed: squashed, readsCurrent: true)
    }

    /// The squashed local changes with numbers after `sequence`, the oldest first, without reading what the resources are now: ``LoggedChange/current``
    /// is nil, and a resource that was changed and changed back is listed too.
    ///
    /// - Throws: `FHIRStoreError`: `resyncRequired` if some of them are no longer in the log, or were not logged.
    package func changedResources(since sequence: Int64) throws -> LoggedChanges {
        try changes(since: sequence, limit: nil, squashed: true, readsCurrent: false)
    }

    private func changes(since sequence: Int64, limit: Int?, squashed: Bool, readsCurrent: Bool) throws -> LoggedChanges {
        try perform {
            let settings = try trackingSettings()
            guard sequence >= settings.start - 1, sequence < settings.next else {
                throw FHIRStoreError(
                    .resyncRequired,
                    "the change log has the changes after number \(settings.start - 1) up to \(settings.next - 1), not those after \(sequence)",
                    remedy: .resync)
            }
            guard hasChangeTable else { return LoggedChanges([], through: sequence) }
            let rows = try changeTable.rows("seq > ? AND origin IS NULL", [.integer(sequence)], limit: limit)
            let isCut = limit.map { rows.count >= $0 } ?? false
            let through = isCut ? rows.last?.sequence ?? sequence : settings.next - 1
            if let lost = try lostChanges(after: sequence, through: through, settings) { throw lost.error }
            let log = ChangeLogReader(self)
            let changes =
                squashed
                ? try log.squashed(rows, tracked: settings.changes, readsCurrent: readsCurrent)
                : try log.each(rows, tracked: settings.changes)
            return LoggedChanges(changes, through: through)
        }
    }

    /// The changes after `sequence`, up to `last`, whose rows the log must have and lacks, for readers with statements of their own; nil if it lacks none.
    ///
    /// Rows before the start of the log of changes are not missed, nor are those of a file that keeps a history alone.
    package func lostChanges(after sequence: Int64, through last: Int64) throws -> LostChanges? {
        try perform { hasChangeTable ? try lostChanges(after: sequence, through: last, trackingSettings()) : nil }
    }

    private func lostChanges(after sequence: Int64, through last: Int64, _ settings: TrackingSettings) throws -> LostChanges? {
        let (before, last) = (max(sequence, settings.start - 1), min(last, settings.next - 1))
        guard let mark = settings.mark, before < last else { return nil }
        let lost = try mark.lost(in: before + 1..<last + 1, changeTable)
        return lost.isEmpty ? nil : LostChanges(numbers: lost)
    }
}

/// Changes whose rows the log has lost.
package struct LostChanges: Sendable {
    /// In ascending order, and never empty.
    package let numbers: [ClosedRange<Int64>]

    /// What a reader of the log throws that would skip them.
    package var error: FHIRStoreError {
        FHIRStoreError(
            .resyncRequired, "the change log has lost its changes with the numbers \(ChangeLogMark.text(numbers))", remedy: .resync)
    }
}

/// Turns rows of `_change` into changes.
struct ChangeLogReader {
    private let transaction: ReadTransaction
    private var access: StoreConnection { transaction.access }

    init(_ transaction: ReadTransaction) { self.transaction = transaction }

    private struct Resource {
        let typeName: String
        let id: String?
        let pk: String
        let content: String?
    }

    /// One change for each resource, in the order of their first changes.
    ///
    /// - Parameter readsCurrent: whether the resources are read as they are now; otherwise their contents are nil.
    func squashed(_ rows: [ChangeTable.Row], tracked: TrackedTypes, readsCurrent: Bool) throws -> [LoggedChange] {
        var order: [Int64] = []
        var first: [Int64: ChangeTable.Row] = [:]
        var last: [Int64: ChangeTable.Row] = [:]
        for row in rows {
            if first.updateValue(first[row.root] ?? row, forKey: row.root) == nil { order.append(row.root) }
            last[row.root] = row
        }
        let named = readsCurrent ? [:] : try self.named(order.filter { last[$0]?.kind != .deleted })
        return try order.compactMap { root in
            guard let first = first[root], let last = last[root] else { return nil }
            let base = try content(first)
            let now = last.kind == .deleted ? nil : try readsCurrent ? stored(root) : named[root]
            try requireOneType(first, last.typeName)
            try requireOneType(first, now?.typeName)
            guard base != nil || now != nil, !readsCurrent || base != now?.content else { return nil }
            let kind: ResourceChange.Kind = base == nil ? .added : now == nil ? .deleted : .updated
            return change(kind, last, base: base, now, tracked: tracked)
        }
    }

    /// Each change by itself, with the content before and after it.
    func each(_ rows: [ChangeTable.Row], tracked: TrackedTypes) throws -> [LoggedChange] {
        try rows.compactMap { row in
            guard row.kind != .deleted else { return change(.deleted, row, base: try content(row), nil, tracked: tracked) }
            let following = try transaction.changeTable.rows(
                "seq > ? AND root = ?", [.integer(row.sequence), .integer(row.root)], limit: 1
            ).first
            let now: Resource?
            if let following, !following.isNumber {
                now = Resource(
                    typeName: following.typeName ?? "", id: following.id,
                    pk: following.pk ?? transaction.store.identity.pk(ofRoot: row.root),
                    content: try content(following))
            } else {
                now = try stored(row.root)
            }
            try requireOneType(row, now?.typeName)
            return change(row.kind, row, base: try content(row), now, tracked: tracked)
        }
    }

    /// Refuses a row that became one of another resource: its content is no earlier state of that one.
    private func requireOneType(_ row: ChangeTable.Row, _ typeName: String?) throws {
        guard let own = row.typeName, let typeName, !typeName.isEmpty, own != typeName else { return }
        throw FHIRStoreError(
            .notAStore,
            "\(transaction.store.path) is damaged: change \(row.sequence) has the type \(own), but its resource \(typeName): restore a backup"
        )
    }

    private func change(
        _ kind: ResourceChange.Kind, _ row: ChangeTable.Row, base: String?, _ now: Resource?, tracked: TrackedTypes
    ) -> LoggedChange? {
        // A resource that was added, and that a server deleted without a trace since, has no type any more.
        guard let typeName = now?.typeName ?? row.typeName, tracked.contains(typeName) else { return nil }
        return LoggedChange(
            sequence: row.sequence, kind: kind, typeName: typeName, resourceID: now.map(\.id) ?? row.id,
            pk: now?.pk ?? row.pk ?? transaction.store.identity.pk(ofRoot: row.root), date: Date(milliseconds: row.time), base: base,
            current: now?.content, release: transaction.store.release)
    }

    private func stored(_ root: Int64) throws -> Resource? {
        guard let registration = try access.registry.registration(root: root) else { return nil }
        let resource = try transaction.loader.resource(registration)
        return Resource(
            typeName: resource.resourceType, id: resource.id, pk: registration.pk ?? transaction.store.identity.pk(ofRoot: root),
            content: FHIRJSON.string(resource))
    }

    /// Resources without their contents, by number.
    private func named(_ roots: [Int64]) throws -> [Int64: Resource] {
        var named: [Int64: Resource] = [:]
        named.reserveCapacity(roots.count)
        for (typeName, names) in Dictionary(grouping: try access.registry.names(ofRoots: roots), by: \.typeName) {
            guard let table = access.schema.table(named: typeName) else { continue }
            let ids = try access.registry.ids(of: table, roots: names.map(\.root))
            for name in names {
                named[name.root] = Resource(
                    typeName: typeName, id: ids[name.root], pk: name.pk ?? transaction.store.identity.pk(ofRoot: name.root), content: nil)
            }
        }
        return named
    }

    // MARK: - Contents

    /// The content that a change replaced, as JSON; nil for an added resource.
    func content(_ row: ChangeTable.Row) throws -> String? { try resource(row).map { FHIRJSON.string($0) } }

    /// The content that a change replaced, compared with its digest; nil for an added resource.
    ///
    /// - Throws: `FHIRStoreError.notAStore` if it is not what was stored.
    func resource(_ row: ChangeTable.Row) throws -> FHIRResource? {
        guard let verified = row.verified(release: transaction.store.release, digestKey: transaction.store.identity.digestKey) else {
            throw damaged(row)
        }
        if let verified { transaction.noteRead(verified.layout.name, id: verified.id, version: row.revision) }
        return verified
    }

    private func damaged(_ row: ChangeTable.Row) -> FHIRStoreError {
        FHIRStoreError(
            .notAStore,
            "\(transaction.store.path) is damaged: the content before change \(row.sequence) does not match its digest: restore a backup")
    }
}

extension ChangeTable.Row {
    /// The content that the change replaced, nil for an added resource and for a pruned version; nil altogether if it does not match its digest.
    func verified(release: FHIRRelease, digestKey: UInt64) -> FHIRResource?? {
        guard let content, let digest else {
            // A row that has only one of the two has lost the other, whatever its marks say.
            let isWhole = content == nil && digest == nil && (kind == .added || isNumber && pk == nil)
            return isWhole ? .some(nil) : nil
        }
        do {
            let resource = try FHIRJSON.resource(from: Data(content.utf8), release: release)
            guard typeName == nil || typeName == resource.layout.name else { return nil }
            return ContentDigest.digest(of: resource, key: digestKey) == digest ? .some(resource) : nil
        } catch {
            // Not the JSON that was stored, so damaged like any other.
            return nil
        }
    }
}

extension Date {
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
