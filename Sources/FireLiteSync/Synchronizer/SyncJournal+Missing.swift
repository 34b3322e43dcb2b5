import FireLite
import FireLiteCore
import Foundation

/// The key in `_sync_scope` for resources of a type that were read by their ids and that no search of the scope has found.
enum FetchedScope {
    private static let prefix = "_fetched/"

    /// - Parameter depth: how many references lead to them; 0 for what a search of the app or a notification brought.
    static func key(_ typeName: String, depth: Int) -> String { "\(prefix)\(depth)/\(typeName)" }

    /// - Returns: nil for another key.
    static func depth(inKey key: String) -> Int? {
        guard key.hasPrefix(prefix) else { return nil }
        return key.dropFirst(prefix.count).split(separator: "/").first.flatMap { Int($0) }
    }
}

/// The references of what comes in, collected before it is stored.
struct ReferencesToFollow {
    private var keys: Set<SyncKey> = []
    private let depth: Int
    private let journal: SyncJournal
    private var seals: [String: Bool] = [:]

    /// - Parameter depth: how many references lead to what comes in.
    /// - Returns: nil if references are not followed.
    init?(_ journal: SyncJournal, depth: Int) throws {
        guard let prefetch = journal.configuration.prefetch, depth < prefetch.depth else { return nil }
        self.journal = journal
        self.depth = depth + 1
    }

    mutating func add(_ state: RemoteState) throws {
        guard let resource = state.resource else { return }
        try add(resource)
    }

    mutating func add(_ resource: FHIRResource) throws {
        let type = resource.resourceType
        let isSealed = try seals[type] ?? journal.tx.sealsIncoming(type)
        seals[type] = isSealed
        guard !isSealed else { return }
        keys.formUnion(ReferenceScan.findings(in: FHIRJSON.data(resource), base: journal.base).keys)
    }

    /// Notes those that are not here, once what came in is stored.
    func note() throws {
        let types = journal.configuration.prefetch?.types
        for key in keys.sorted(by: { ($0.typeName, $0.id) < ($1.typeName, $1.id) }) where types?.contains(key.typeName) ?? true {
            guard FHIRRequest.isAddressable(key.id), journal.tx.store.release.hasResourceType(named: key.typeName) else { continue }
            try journal.noteMissing(key, depth: depth)
        }
    }
}

/// A resource that references lead to and that is to be read.
struct WantedReference: Sendable {
    let key: SyncKey
    let depth: Int
}

extension SyncJournal {
    private static let wanted: Int64 = 0

    /// Whether the store has a resource, or had it and was asked to remove it.
    func isHere(_ key: SyncKey) throws -> Bool {
        try known(key) != nil || tx.registered(key.typeName, id: key.id) != nil
    }

    /// Notes a resource that something refers to, unless it is here or the server has said lately that it does not give it.
    fileprivate func noteMissing(_ key: SyncKey, depth: Int) throws {
        guard try !isHere(key) else { return }
        let place: [SQLValue] = [.integer(server), .text(key.typeName), .text(key.id)]
        let row = try rows("SELECT missing, depth, state, asked FROM _sync_missing WHERE server = ? AND type = ? AND id = ?", place).first
        guard let row, let number = row[0].integer else {
            return try run(
                "INSERT INTO _sync_missing(server, type, id, depth, state) VALUES (?, ?, ?, ?, 0)", place + [.integer(Int64(depth))])
        }
        if row[2].integer != Self.wanted {
            let patience = Int64((configuration.prefetch?.patience ?? .zero) / .milliseconds(1))
            // A clock that was set back must not make it wait for ever.
            let asked = row[3].integer ?? 0
            let age = ServerTime.range.contains(asked) ? milliseconds - asked : -1
            guard age >= patience || age < 0 else { return }
        } else if row[1].integer ?? 0 <= Int64(depth) {
            return
        }
        try run("UPDATE _sync_missing SET depth = ?, state = 0 WHERE missing = ?", [.integer(Int64(depth)), .integer(number)])
    }

    private var milliseconds: Int64 { now.milliseconds(.down) }

    /// The next resources to read, without those that came meanwhile.
    func wantedReferences(limit: Int) throws -> [WantedReference] {
        var found: [WantedReference] = []
        while found.isEmpty {
            let rows = try rows(
                "SELECT missing, type, id, depth FROM _sync_missing WHERE server = ? AND state = 0 ORDER BY missing LIMIT ?",
                [.integer(server), .integer(Int64(limit))])
            guard !rows.isEmpty else { break }
            for row in rows {
                let key = SyncKey(typeName: row[1].text ?? "", id: row[2].text ?? "")
                // What is not wanted any more by other settings is forgotten.
                if try !isWanted(key, depth: Int(row[3].integer ?? 1)) || isHere(key) {
                    try run("DELETE FROM _sync_missing WHERE missing = ?", [row[0]])
                } else {
                    found.append(WantedReference(key: key, depth: Int(row[3].integer ?? 1)))
                }
            }
        }
        return found
    }

    private func isWanted(_ key: SyncKey, depth: Int) -> Bool {
        guard let prefetch = configuration.prefetch, FHIRRequest.isAddressable(key.id), isType(key.typeName) else { return false }
        return depth <= prefetch.depth && prefetch.types?.contains(key.typeName) ?? true
    }

    var wantedCount: Int {
        get throws {
            Int(try rows("SELECT count(*) FROM _sync_missing WHERE server = ? AND state = 0", [.integer(server)]).first?[0].integer ?? 0)
        }
    }

    /// Notes that a resource came, so that nothing is missing.
    func removeMissing(_ key: SyncKey) throws {
        try run(
            "DELETE FROM _sync_missing WHERE server = ? AND type = ? AND id = ?", [.integer(server), .text(key.typeName), .text(key.id)])
    }

    /// Notes why a resource did not come.
    func keep(_ missing: MissingReference) throws {
        try run(
            "UPDATE _sync_missing SET state = ?, status = ?, asked = ? WHERE server = ? AND type = ? AND id = ?",
            [
                .integer(missing.reason.state), missing.status.map { .integer(Int64($0)) } ?? .null, .integer(milliseconds),
                .integer(server), .text(missing.typeName), .text(missing.id),
            ])
    }

    func missingReferences(limit: Int?) throws -> [MissingReference] {
        let rows = try rows(
            """
            SELECT m.type, m.id, m.state, m.status FROM _sync_missing m
            LEFT JOIN _sync_resource r ON r.server = m.server AND r.type = m.type AND r.id = m.id AND r.own IS NOT 3
            WHERE m.server = ? AND m.state <> 0 AND r.id IS NULL ORDER BY m.missing
            """ + (limit.map { " LIMIT \(max($0, 0))" } ?? ""), [.integer(server)])
        return rows.map { row in
            MissingReference(
                typeName: row[0].text ?? "", id: row[1].text ?? "", reason: .init(state: row[2].integer ?? 0),
                status: row[3].integer.map { Int($0) })
        }
    }

    func retryMissingReferences() throws -> Int {
        try tx.run(on: Self.tables, "UPDATE _sync_missing SET state = 0 WHERE server = ? AND state <> 0", [.integer(server)])
    }

    // MARK: - What the store has already

    /// The key in `_sync_scope` of how far the references of what was here before were looked at: `newest` is the last row, `since` is set at the end.
    private static let scanned = "_prefetch"

    /// Looks at the references of the next resources that were pulled before references were followed.
    ///
    /// - Returns: whether there may be more.
    func scanStored(limit: Int) throws -> Bool {
        var cursor = try cursor(Self.scanned, type: "")
        guard cursor.since == nil, var references = try ReferencesToFollow(self, depth: 0) else { return false }
        let rows = try rows(
            "SELECT resource, type, id FROM _sync_resource WHERE server = ? AND resource > ? ORDER BY resource LIMIT ?",
            [.integer(server), .integer(cursor.newest ?? 0), .integer(Int64(limit))])
        var keys = RisingKeys("_sync_resource", after: cursor.newest ?? 0)
        for row in rows {
            try keys.advance(to: row[0].integer ?? 0)
            cursor.newest = keys.last
            guard let type = row[1].text, let id = row[2].text, isType(type), let resource = try tx.resource(typeName: type, id: id) else {
                continue
            }
            try references.add(resource)
        }
        try references.note()
        if rows.count < limit { cursor.since = 0 }
        try keep(cursor)
        return rows.count == limit
    }

    // MARK: - What was read by its id

    /// Resources that were read by their ids, by the depth of the references that led to them.
    struct FetchedGroup: Sendable {
        let typeName: String
        let depth: Int
        let ids: [String]
    }

    /// Whether anything was read by its id, from any server.
    static func hasFetched(_ tx: ReadTransaction) throws -> Bool {
        try !tx.rows(of: tables, "SELECT 1 FROM _sync_scope WHERE search GLOB '_fetched/*' LIMIT 1").isEmpty
    }

    /// What was read by its id and is in no search of the scope.
    func fetchedGroups(except types: Set<String>) throws -> [FetchedGroup] {
        var groups: [FetchedGroup] = []
        for row in try rows("SELECT scope, search, type FROM _sync_scope WHERE server = ? AND search GLOB '_fetched/*'", [.integer(server)])
        {
            guard let depth = FetchedScope.depth(inKey: row[1].text ?? ""), let type = row[2].text, !types.contains(type), isType(type)
            else {
                continue
            }
            let ids = try rows(
                "SELECT id FROM _sync_resource WHERE server = ? AND type = ? AND scope = ? AND own NOT IN (2, 3) ORDER BY id",
                [.integer(server), .text(type), row[0]]
            ).compactMap { $0[0].text }.filter { FHIRRequest.isAddressable($0) }
            if !ids.isEmpty { groups.append(FetchedGroup(typeName: type, depth: depth, ids: ids)) }
        }
        return groups
    }
}

extension MissingReference.Reason {
    fileprivate var state: Int64 {
        switch self {
        case .absent: 1
        case .deleted: 2
        case .refused: 3
        }
    }

    fileprivate init(state: Int64) { self = state == 1 ? .absent : state == 2 ? .deleted : .refused }
}
