import FireLite
import FireLiteClient
import Foundation

/// How a resource stands with a server, by what the file knows. Nothing is asked of the server, and nothing is written.
package struct SyncStanding: Sendable, Hashable {
    /// The server's base address.
    package let server: String
    /// The state by the list of changes to send; nil if neither the list nor the server's resources contain it.
    package let state: SyncState?
    /// The server's version that was last read or stored; nil if it is not known.
    package let version: String?
    /// How often the server has not accepted the change.
    package let attempts: Int
    /// The status of the last answer; nil if there was none.
    package let status: Int?
    /// What the server said about it. The texts may repeat values of records.
    package let issues: [OutcomeIssue]
    /// The number of the last entry of the change log that the list contains: later ones wait too. Nil if the store was never synchronized with it.
    package let taken: Int64?
}

extension ReadTransaction {
    /// How a resource stands with each server that the store was synchronized with.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the resource's id.
    /// - Throws: `FHIRStoreError`: `olderFormat` if the file was last synchronized by an earlier version and is only read.
    package func syncStandings(of typeName: String, id: String) throws -> [SyncStanding] {
        try syncRows("SELECT server, base FROM _sync_server ORDER BY server").compactMap { row in
            guard let number = row[0].integer, let base = row[1].text else { return nil }
            let key: [SQLValue] = [.integer(number), .text(typeName), .text(id)]
            let known = try syncRows("SELECT version, own FROM _sync_resource WHERE server = ? AND type = ? AND id = ?", key).first
            let change = try syncRows(
                "SELECT state, attempts, status, issues FROM _sync_change WHERE server = ? AND type = ? AND id = ? ORDER BY change DESC LIMIT 1",
                key
            ).first
            let isAbsent = [2, 3].contains(known?[1].integer)
            return SyncStanding(
                server: base, state: change.map { Self.state($0[0].integer) } ?? (known == nil || isAbsent ? nil : .synced),
                version: known?[0].text, attempts: Int(change?[1].integer ?? 0), status: change?[2].integer.map { Int($0) },
                issues: Self.issues(change?[3].text), taken: try place(ofReader: SyncJournal.reader(of: base)))
        }
    }

    private func syncRows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        try rows(of: SyncJournal.tables, sql, arguments)
    }

    private static func state(_ number: Int64?) -> SyncState {
        (number.flatMap { WaitingChange.State(rawValue: $0) } ?? .unknown).syncState
    }

    private static func issues(_ json: String?) -> [OutcomeIssue] {
        guard let json else { return [] }
        do { return try JSONDecoder().decode([OutcomeIssue].self, from: Data(json.utf8)) } catch { return [] }
    }
}
