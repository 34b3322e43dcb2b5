import FireLite
import FireLiteCore
import Foundation

extension FHIRStore {
    /// Compares the journals of synchronizers and the outbox with the resources and changes that they are about, whenever this store
    /// object is checked.
    ///
    /// A ``Synchronizer`` and an ``Outbox`` do so for their store. Call it before a check of a store that has neither.
    public func checkJournals() { _ = participant(JournalKeeper.self) { JournalKeeper() } }

    /// Whether the file has a journal of a synchronizer, or an outbox.
    package var hasJournals: Bool {
        get throws { try read { try $0.hasTables(of: SyncJournal.tables) || $0.hasTables(of: OutboxTables.module) } }
    }
}

/// Takes part in checks of the store, and in no write.
private final class JournalKeeper: WriteParticipant {
    var writtenTypes: Set<String>? { [] }
    var checkedPart: String { "what synchronizations keep" }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {}

    func findings(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        if try transaction.hasTables(of: SyncJournal.tables) { findings += try JournalCheck(transaction).findings() }
        if try transaction.hasTables(of: OutboxTables.module) {
            findings += try transaction.outboxFindings()
            findings += try transaction.numberFindings(of: OutboxTables.module, "_outbox", ["seq"])
        }
        return findings
    }
}

/// Compares what a synchronizer has noted with the store. What is wrong there is lost, sent or deleted at the server by the next sync.
private struct JournalCheck {
    let transaction: ReadTransaction

    init(_ transaction: ReadTransaction) { self.transaction = transaction }

    func findings() throws -> [StoreFinding] {
        let servers = try rows("SELECT server, base FROM _sync_server").compactMap { row in
            row[0].integer.map { (number: $0, base: row[1].text) }
        }
        var findings = try strays()
        for server in servers {
            guard let base = server.base, URL(string: base)?.scheme != nil else {
                findings.append(finding("_sync_server", "server \(server.number) has no address: what waits for it is never sent"))
                continue
            }
            let changed = try changed(since: base)
            findings += try changes(server.number, changed)
            findings += try missing(server.number, changed) + undecided(server.number) + lost(server.number, base)
        }
        return findings
    }

    private func rows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        try transaction.rows(of: SyncJournal.tables, sql, arguments)
    }

    private func finding(_ table: String, _ text: String, _ typeName: String? = nil) -> StoreFinding {
        StoreFinding(.mismatch, table: table, typeName: typeName, "\(table): \(text)")
    }

    /// Rows of servers that the journal does not know.
    private func strays() throws -> [StoreFinding] {
        try ["_sync_scope", "_sync_resource", "_sync_change", "_sync_missing", "_sync_subscription"].compactMap { table in
            let count =
                try rows(
                    "SELECT count(*) FROM \(table) t WHERE NOT EXISTS (SELECT 1 FROM _sync_server s WHERE s.server = t.server)"
                ).first?[0].integer ?? 0
            let rows = String(counting: count, "row is", "rows are")
            return count == 0 ? nil : finding(table, "\(rows) of a server that _sync_server lacks: restore a backup")
        }
    }

    /// Differences between the rows and what the file has noted of them.
    private func lost(_ server: Int64, _ base: String) throws -> [StoreFinding] {
        guard let noted = try transaction.notedJournal(base) else { return [] }
        let counted = try transaction.countedJournal(noted.server)
        let rest = "the next sync compares everything with the server"
        var findings: [StoreFinding] = []
        for (table, before, now) in [
            ("_sync_resource", noted.resources, counted.resources), ("_sync_change", noted.changes, counted.changes),
        ] where before != now {
            let text = String(counting: abs(before - now), "row", "rows") + (abs(before - now) == 1 ? " is " : " are ")
            findings.append(finding(table, text + (now < before ? "missing: " : "too many: ") + rest))
        }
        if noted.isLost { findings.append(finding("_sync_server", "rows of the journal were lost: \(rest)")) }
        return findings
    }

    /// Waiting changes that say something else than the store and its change log.
    private func changes(_ server: Int64, _ changed: Set<SyncKey>?) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let newest = try transaction.newestChange()
        let waiting = try rows(
            "SELECT type, id, seq, base, content, isEach, state, remote FROM _sync_change WHERE server = ? ORDER BY change",
            [.integer(server)])
        for row in waiting {
            try transaction.checkCancellation()
            let key = SyncKey(typeName: row[0].text ?? "", id: row[1].text ?? "")
            guard transaction.store.release.hasResourceType(named: key.typeName), !key.id.isEmpty else {
                findings.append(finding("_sync_change", "a change of no resource type of the release: restore a backup"))
                continue
            }
            func add(_ text: String) { findings.append(finding("_sync_change", text, key.typeName)) }
            if !(0...4).contains(row[6].integer ?? -1) {
                add("a change that neither waits nor is parked nor in conflict: restore a backup")
            }
            if row[2].integer ?? 0 > newest { add("a change with a number that the change log has not reached: restore a backup") }
            for column in [3, 4, 7] where !isReadable(row[column].text, key.typeName) {
                add("the content of a change cannot be read: restore a backup")
            }
            if row[6].integer == 0, row[5].integer != 1, let changed, !changed.contains(key), let sequence = row[2].integer,
                try transaction.registered(key.typeName, id: key.id) == nil, try isInLog(sequence, key)
            {
                add("a change of a resource that is missing and was not deleted here: the next sync would delete it at the server")
            }
        }
        return findings
    }

    /// Whether a state is none, sealed, or one of a resource of the type.
    private func isReadable(_ text: String?, _ typeName: String) -> Bool {
        guard let text, !text.hasPrefix(ContentSealing.textStart) else { return true }
        do {
            return try FHIRJSON.resource(from: Data(text.utf8), release: transaction.store.release).resourceType == typeName
        } catch {
            return false
        }
    }

    /// Whether the change log has an entry of this number for the resource that is no deletion.
    private func isInLog(_ sequence: Int64, _ key: SyncKey) throws -> Bool {
        guard try sequence > transaction.changeLogStart() else { return false }
        let changes: LoggedChanges
        do {
            changes = try transaction.changes(since: sequence - 1, limit: 1, squashed: false)
        } catch let error as FHIRStoreError where error.code == .resyncRequired { return false }
        let entry = changes.first
        return entry?.sequence == sequence && entry?.typeName == key.typeName && entry?.resourceID == key.id && entry?.kind != .deleted
    }

    /// What has changed since a synchronizer last looked; nil if the log does not go back to then, or has lost some of it.
    private func changed(since base: String) throws -> Set<SyncKey>? {
        guard let place = try transaction.place(ofReader: SyncJournal.reader(of: base)), try place >= transaction.changeLogStart(),
            try place <= transaction.newestChange()
        else { return nil }
        do {
            return Set(
                try transaction.changedResources(since: place).compactMap { change in
                    change.resourceID.map { SyncKey(typeName: change.typeName, id: $0) }
                })
        } catch let error as FHIRStoreError where error.code == .resyncRequired { return nil }
    }

    /// Resources that the server has and the store lacks, though nobody has deleted or purged them here, as far as the change log says.
    ///
    /// - Parameter changed: what has changed since the synchronizer last looked; nil if nobody knows.
    private func missing(_ server: Int64, _ changed: Set<SyncKey>?) throws -> [StoreFinding] {
        let tracked = try transaction.tracked(.changes)
        var absent: [String: Int] = [:]
        var keys = RisingKeys("_sync_resource")
        while true {
            let rows = try rows(
                """
                SELECT resource, type, id FROM _sync_resource r WHERE server = ? AND resource > ? AND coalesce(own, 0) NOT IN (2, 3) AND NOT EXISTS
                (SELECT 1 FROM _sync_change c WHERE c.server = r.server AND c.type = r.type AND c.id = r.id) ORDER BY resource LIMIT 1000
                """, [.integer(server), .integer(keys.last)])
            guard let end = rows.last?[0].integer else { break }
            try keys.advance(to: end)
            for row in rows {
                try transaction.checkCancellation()
                let key = SyncKey(typeName: row[1].text ?? "", id: row[2].text ?? "")
                guard tracked.contains(key.typeName), transaction.store.release.hasResourceType(named: key.typeName),
                    try transaction.registered(key.typeName, id: key.id) == nil
                else { continue }
                if !(changed?.contains(key) ?? false) { absent[key.typeName, default: 0] += 1 }
            }
        }
        return absent.sorted { $0.key < $1.key }.map { typeName, count in
            let resources = String(counting: count, "resource that the server has is missing", "resources that the server has are missing")
            let rest =
                changed == nil
                ? ", and the change log does not say whether that is a deletion: restore a backup, or see the next sync"
                : " and \(count == 1 ? "was" : "were") not deleted here: restore a backup"
            return finding("_sync_resource", resources + rest, typeName)
        }
    }

    /// Resources that a synchronizer has found missing after a gap of the change log, and about which nobody has decided.
    private func undecided(_ server: Int64) throws -> [StoreFinding] {
        try rows("SELECT type, count(*) FROM _sync_change WHERE server = ? AND state = 3 GROUP BY type ORDER BY type", [.integer(server)])
            .map { row in
                let resources = String(
                    counting: Int(row[1].integer ?? 0), "resource that the server has is missing",
                    "resources that the server has are missing")
                return finding(
                    "_sync_change", "\(resources), and the change log does not say whether that is a deletion: see `firelite conflicts`",
                    row[0].text)
            }
    }
}

extension ReadTransaction {
    /// Requests of the outbox that could never be sent.
    fileprivate func outboxFindings() throws -> [StoreFinding] {
        let methods: Set<HTTPMethod> = [.get, .head, .post, .put, .patch, .delete]
        return try outboxRows("SELECT \(OutboxEntry.columns) FROM _outbox ORDER BY seq").compactMap { row in
            let entry = OutboxEntry(row)
            guard URL(string: entry.server)?.scheme == nil || !methods.contains(entry.method) else { return nil }
            return StoreFinding(
                .mismatch, table: "_outbox",
                "_outbox: the request \(entry.number) has no server or no method: restore a backup or discard it")
        }
    }
}
