import FireLite
import FireLiteCore

/// What the file notes of a server's rows in the journal, in the transactions that change them, so that it is noticed if some are lost.
///
/// It is a row of `_meta` whose key is `sync.rows`, a blank and the server's address: the server's number, the numbers of its rows in `_sync_resource` and
/// `_sync_change`, and `lost` from when rows were missed until everything was compared. Files of earlier versions have none: the rows are counted.
struct JournalCensus: Equatable {
    var server: Int64
    var resources: Int64
    var changes: Int64
    /// Whether rows were lost, and the server has not been compared yet.
    var isLost = false

    static func key(_ base: String) -> SQLValue { .text("sync.rows \(base)") }

    init(server: Int64, resources: Int64, changes: Int64) { (self.server, self.resources, self.changes) = (server, resources, changes) }

    /// - Returns: nil if the text has no such numbers.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        let numbers = parts.prefix(3).compactMap { Int64($0) }
        guard numbers.count == 3, numbers.allSatisfy({ 0...Int64(Int32.max) * 1_000 ~= $0 }) else { return nil }
        (server, resources, changes) = (numbers[0], numbers[1], numbers[2])
        isLost = parts.dropFirst(3).first == "lost"
    }

    var text: String { "\(server) \(resources) \(changes)" + (isLost ? " lost" : "") }

    /// Rows that one write adds to the tables and takes out of them.
    final class Tally {
        /// What is noted; nil if nothing is.
        var noted: JournalCensus?
        /// Whether this write has found that rows are lost.
        var isDoubtful = false
        private(set) var resources: Int64 = 0
        private(set) var changes: Int64 = 0

        var isEmpty: Bool { resources == 0 && changes == 0 }

        func count(_ sql: String, _ rows: Int) {
            if sql.hasPrefix("DELETE FROM _sync_resource") {
                resources -= Int64(rows)
            } else if sql.hasPrefix("DELETE FROM _sync_change") {
                changes -= Int64(rows)
            } else if sql.hasPrefix("INSERT"), let place = sql.range(of: " INTO _sync_") {
                let rest = sql[place.upperBound...]
                if rest.hasPrefix("resource") { resources += Int64(rows) } else if rest.hasPrefix("change") { changes += Int64(rows) }
            }
        }
    }
}

extension ReadTransaction {
    func notedJournal(_ base: String) throws -> JournalCensus? {
        try rows(of: SyncJournal.tables, "SELECT value FROM _meta WHERE key = ?", [JournalCensus.key(base)]).first?[0].text
            .flatMap { JournalCensus($0) }
    }

    func countedJournal(_ server: Int64) throws -> JournalCensus {
        func count(_ table: String) throws -> Int64 {
            try rows(of: SyncJournal.tables, "SELECT count(*) FROM \(table) WHERE server = ?", [.integer(server)]).first?[0].integer ?? 0
        }
        return JournalCensus(server: server, resources: try count("_sync_resource"), changes: try count("_sync_change"))
    }
}

extension SyncJournal {
    /// Whether rows of the journal were lost, and the server has not been compared since: then nothing is decided because a row is absent.
    var isLost: Bool { tally.noted?.isLost ?? false }

    /// Gives a server that was renumbered the number that its rows have.
    ///
    /// - Returns: the number that it has then.
    static func renumbered(_ number: Int64, _ noted: JournalCensus?, _ tx: WriteTransaction) throws -> Int64 {
        guard let wanted = noted?.server, wanted != number, wanted > 0,
            try tx.rows(of: tables, "SELECT 1 FROM _sync_server WHERE server = ?", [.integer(wanted)]).isEmpty
        else { return number }
        try tx.run(on: tables, "UPDATE _sync_server SET server = ? WHERE server = ?", [.integer(wanted), .integer(number)])
        return wanted
    }

    /// Whether rows are missing, or too many, that the file has noted.
    func findsLoss(isStarted: Bool) throws -> Bool {
        guard let noted = tally.noted, !noted.isLost else { return false }
        let counted = try tx.countedJournal(server)
        return !isStarted && noted.resources + noted.changes > 0 || noted.server != server
            || counted.resources != noted.resources + tally.resources || counted.changes != noted.changes + tally.changes
    }

    /// Begins to compare everything, after rows of the journal were lost: what the log has is taken in, everything else of the store is in doubt, and
    /// everything is pulled again.
    func beginComparing(after place: Int64?) throws {
        tally.noted = try tx.countedJournal(server)
        tally.noted?.isLost = true
        try note(tally.noted)
        try takeIn()
        // What the log says was done here is not in doubt.
        let logged = try place.map { place in
            try rows("SELECT change FROM _sync_change WHERE server = ? AND state = 0 AND seq > ?", [.integer(server), .integer(place)])
        }
        try takeAll(isGap: true)
        for row in logged ?? [] { try run("UPDATE _sync_change SET state = 0 WHERE change = ?", [row[0]]) }
        try run("UPDATE _sync_scope SET since = NULL, newest = NULL, page = NULL WHERE server = ?", [.integer(server)])
    }

    /// Notes that everything was compared.
    func endComparing() throws { if isLost { tally.noted?.isLost = false } }

    /// Takes over a version that is known already, while everything is compared: what differs was edited here since.
    ///
    /// - Returns: false if that says nothing of it.
    func compare(_ state: RemoteState, _ waiting: [WaitingChange], scope: Int64?) throws -> Bool {
        guard let remote = state.resource, let first = waiting.first, first.state == .waiting, !first.isUncertain, !first.isEach,
            let local = try stored(state.key)
        else { return false }
        if local.isSame(atServerAs: remote) {
            try removeChanges(of: state.key)
            try remember(state.key, version: state.version, scope: scope)
        } else if first.base == nil {
            try keepLocal(state, scope)
        }
        return true
    }

    /// Notes the rows at the end of a write.
    ///
    /// - Parameter before: what was noted when it began.
    func noteRows(before: JournalCensus?) throws {
        guard var noted = tally.noted else { return try note(tx.countedJournal(server)) }
        noted.resources += tally.resources
        noted.changes += tally.changes
        if noted != before { try note(noted) }
    }

    private func note(_ census: JournalCensus?) throws {
        guard let census else { return }
        try tx.run(
            on: Self.tables, "INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)", [JournalCensus.key(base), .text(census.text)])
    }
}
