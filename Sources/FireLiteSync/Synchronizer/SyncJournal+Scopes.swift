import FireLite
import Foundation

/// How far a search has been pulled.
struct SyncCursor: Sendable {
    /// The number of the search.
    let scope: Int64
    /// Everything that was changed before this time of the server, in milliseconds, has been pulled; nil if nothing has.
    var since: Int64?
    /// The newest time of change so far, in milliseconds.
    var newest: Int64?
    /// The next page of a pull that goes on; nil between pulls.
    var page: String?
}

extension SyncJournal {
    func cursor(_ key: String, type: String) throws -> SyncCursor {
        let arguments: [SQLValue] = [.integer(server), .text(key)]
        let select = "SELECT scope, since, newest, page FROM _sync_scope WHERE server = ? AND search = ?"
        if try rows(select, arguments).isEmpty {
            try run("INSERT INTO _sync_scope(server, search, type) VALUES (?, ?, ?)", arguments + [.text(type)])
        }
        let row = try rows(select, arguments).first
        // A time that is none is no place: everything is pulled again.
        func time(_ column: Int) -> Int64? { row?[column].integer.flatMap { ServerTime.range.contains($0) ? $0 : nil } }
        return SyncCursor(scope: row?[0].integer ?? 0, since: time(1), newest: time(2), page: row?[3].text)
    }

    func keep(_ cursor: SyncCursor) throws {
        try run(
            "UPDATE _sync_scope SET since = ?, newest = ?, page = ? WHERE scope = ?",
            [
                cursor.since.map { .integer($0) } ?? .null, cursor.newest.map { .integer($0) } ?? .null, .optional(cursor.page),
                .integer(cursor.scope),
            ])
    }

    /// Drops resources that only searches have found which are no longer in the scope; those with changes to send stay.
    ///
    /// - Parameter keys: the searches of the scope.
    /// - Returns: the number of resources.
    func dropSearches(except keys: Set<String>) throws -> Int {
        var dropped = 0
        var types: Set<String> = []
        for row in try rows("SELECT scope, search, type FROM _sync_scope WHERE server = ?", [.integer(server)]) {
            guard let scope = row[0].integer, let key = row[1].text, let type = row[2].text, !keys.contains(key), !isKept(key) else {
                continue
            }
            types.insert(type)
            let found = try rows(
                "SELECT type, id FROM _sync_resource WHERE server = ? AND scope = ?", [.integer(server), .integer(scope)])
            for resource in found {
                let key = SyncKey(typeName: resource[0].text ?? "", id: resource[1].text ?? "")
                guard isType(key.typeName), try changes(of: key).isEmpty else { continue }
                if try tx.delete(typeName: key.typeName, id: key.id) { dropped += 1 }
                try forget(key)
            }
            try run("DELETE FROM _sync_scope WHERE scope = ?", [.integer(scope)])
        }
        // Another search of the type may have found them too.
        for type in types {
            try run(
                "UPDATE _sync_scope SET since = NULL, newest = NULL, page = NULL WHERE server = ? AND type = ? AND search NOT LIKE '_history%'",
                [.integer(server), .text(type)])
        }
        return dropped
    }
}

extension SyncJournal {
    /// Whether the row of a search stays whatever the scope is: places in histories, and what references led to as long as they are followed.
    private func isKept(_ key: String) -> Bool {
        guard let depth = FetchedScope.depth(inKey: key) else { return key.hasPrefix("_") }
        return depth > 0 && configuration.prefetch != nil
    }
}

/// Times of the server as milliseconds.
enum ServerTime {
    /// From 1970 to the last year of FHIR's calendar.
    static let range: Range<Int64> = 0..<253_402_300_800_000

    static func milliseconds(_ date: Date?) -> Int64? { date?.milliseconds(.down) }

    /// As an instant of FHIR.
    static func instant(_ milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let date = "\((Int(parts.tm_year) + 1_900).padded(4))-\((Int(parts.tm_mon) + 1).padded(2))-\(parts.tm_mday.padded(2))"
        let clock = "\(parts.tm_hour.padded(2)):\(parts.tm_min.padded(2)):\(parts.tm_sec.padded(2))"
        return "\(date)T\(clock).\(rest.padded(3))Z"
    }
}
