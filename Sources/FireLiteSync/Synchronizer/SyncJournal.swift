import FireLite
import FireLiteCore
import Foundation

/// What a synchronizer knows about one server, in the store's own file, for one write.
///
/// `_sync_server` has a row for each server, `_sync_scope` one for each search of a scope with its cursor, `_sync_resource` the server's version of each
/// resource, `_sync_change` the changes that wait to be sent, `_sync_unreadable` what the server sent and could not be read, `_sync_missing` the targets of
/// references that are not here, and `_sync_subscription` how far the events of a subscription came. All SQL on these tables is in this type.
struct SyncJournal {
    let tx: WriteTransaction
    /// The number of the server.
    let server: Int64
    /// The server's base address.
    let base: String
    let configuration: Synchronizer.Configuration
    /// The device's time.
    let now: Date
    /// What is noted of the rows, and those that this write adds and takes out.
    let tally = JournalCensus.Tally()

    static let tables = ModuleTables(
        module: "sync", version: 3,
        tables: [
            ModuleTable(
                "_sync_server", key: "server",
                columns: [
                    .init("base", .text), .init("started", .integer), .init("owner", .text), .init("until", .integer),
                    .init("result", .text),
                ], indexes: [.init("base", isUnique: true)]),
            ModuleTable(
                "_sync_scope", key: "scope",
                columns: [
                    .init("server", .integer), .init("search", .text), .init("type", .text), .init("since", .integer),
                    .init("newest", .integer), .init("page", .text),
                ], indexes: [.init("server", "search", isUnique: true)]),
            ModuleTable(
                "_sync_resource", key: "resource",
                columns: [
                    .init("server", .integer), .init("type", .text), .init("id", .text), .init("version", .text),
                    .init("scope", .integer), .init("own", .integer),
                ], indexes: [.init("server", "type", "id", isUnique: true)]),
            ModuleTable(
                "_sync_change", key: "change",
                columns: [
                    .init("server", .integer), .init("type", .text), .init("id", .text), .init("seq", .integer), .init("base", .text),
                    .init("content", .text), .init("isEach", .integer), .init("sent", .integer), .init("earlier", .text),
                    .init("state", .integer), .init("attempts", .integer), .init("status", .integer), .init("issues", .text),
                    .init("remote", .text), .init("remoteVersion", .text),
                ], indexes: [.init("server", "type", "id"), .init("server", "state", "change")]),
            ModuleTable(
                "_sync_unreadable", key: "unreadable",
                columns: [
                    .init("server", .integer), .init("type", .text), .init("id", .text), .init("version", .text), .init("text", .text),
                    .init("reason", .text),
                ], indexes: [.init("server", "type", "id")]),
            ModuleTable(
                "_sync_missing", key: "missing",
                columns: [
                    .init("server", .integer), .init("type", .text), .init("id", .text), .init("depth", .integer),
                    .init("state", .integer), .init("status", .integer), .init("asked", .integer),
                ], indexes: [.init("server", "type", "id", isUnique: true), .init("server", "state", "missing")]),
            ModuleTable(
                "_sync_subscription", key: "subscription",
                columns: [
                    .init("server", .integer), .init("id", .text), .init("types", .text), .init("topic", .text),
                    .init("last", .integer), .init("until", .integer), .init("own", .integer),
                ], indexes: [.init("server", "id", isUnique: true)]),
        ])

    /// Opens the journal of a server, whose row is created if there is none.
    init(_ tx: WriteTransaction, base: String, _ configuration: Synchronizer.Configuration, now: Date) throws {
        self.tx = tx
        self.now = now
        self.base = base
        self.configuration = configuration
        func find() throws -> Int64? {
            try tx.rows(of: Self.tables, "SELECT server FROM _sync_server WHERE base = ?", [.text(base)]).first?[0].integer
        }
        var number = try find()
        if number == nil {
            // A file of an earlier version gets its new tables first, and then has the row.
            try Self.extendTables(tx)
            number = try find()
        }
        if number == nil {
            try tx.run(on: Self.tables, "INSERT INTO _sync_server(base, started) VALUES (?, 0)", [.text(base)])
            number = try find()
        }
        tally.noted = try tx.notedJournal(base)
        server = try Self.renumbered(number ?? 0, tally.noted, tx)
    }

    /// Adds the tables that a file of an earlier version lacks.
    static func extendTables(_ tx: WriteTransaction) throws {
        _ = try tx.run(on: tables, "UPDATE _sync_unreadable SET server = server WHERE unreadable < 0")
    }

    /// The rows that a statement selects.
    func rows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] { try tx.rows(of: Self.tables, sql, arguments) }

    /// Changes rows.
    func run(_ sql: String, _ arguments: [SQLValue] = []) throws { tally.count(sql, try tx.run(on: Self.tables, sql, arguments)) }

    /// The name of the server's reader of the change log.
    var reader: String { Self.reader(of: base) }

    static func reader(of base: String) -> String { "sync \(base)" }

    /// The name of the reader that stays where everything was sent, so that the log keeps what was not: a sync that fails leaves the log as it was.
    var sentReader: String { "sent \(base)" }

    // MARK: - Lease

    /// Takes the lease, or renews it. A lease of a process that has ended is free at once, on the same machine; any other ends after a while.
    ///
    /// - Throws: `SyncError.busy` if another owner has it.
    func renewLease(_ owner: String, now: Date) throws {
        let time = now.milliseconds(.down)
        let row = try rows("SELECT owner, until FROM _sync_server WHERE server = ?", [.integer(server)]).first
        if let other = row?[0].text, other != owner, row?[1].integer ?? 0 > time, LeaseOwner(other)?.hasEnded != true {
            throw SyncError(.busy, "the store is being synchronized with this server already: wait for that to end")
        }
        let until = time + Int64(configuration.leaseDuration / .milliseconds(1))
        try run(
            "UPDATE _sync_server SET owner = ?, until = ? WHERE server = ?", [.text(owner), .integer(until), .integer(server)])
    }

    /// Gives the lease back and keeps the result.
    ///
    /// - Parameter result: nil to keep the last one.
    func end(_ owner: String, _ result: SyncResult?) throws {
        try noteSent()
        let text = try result.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        try run(
            "UPDATE _sync_server SET owner = NULL, result = coalesce(?, result) WHERE server = ? AND owner = ?",
            [.optional(text), .integer(server), .text(owner)])
    }

    // MARK: - Versions

    /// What is known of a resource at the server.
    struct Known {
        /// The version; nil if the server did not say.
        let version: String?
        /// Whether the version is one that was pushed and not read back.
        let isOwn: Bool
        /// Whether it was purged from the store.
        let isPurged: Bool

        /// - Returns: nil for what was deleted at the server.
        init?(version: String?, own: Int64?) {
            guard own != 3 else { return nil }
            (self.version, isOwn, isPurged) = (version, own == 1, own == 2)
        }
    }

    /// What is known of a resource, or was before it was deleted from here.
    struct Standing {
        let known: Known?
        /// The version that is known, or that was deleted.
        let version: String?

        var isDeleted: Bool { known == nil }
    }

    func standing(_ key: SyncKey) throws -> Standing? {
        try rows(
            "SELECT version, own FROM _sync_resource WHERE server = ? AND type = ? AND id = ?",
            [.integer(server), .text(key.typeName), .text(key.id)]
        ).first.map { Standing(known: Known(version: $0[0].text, own: $0[1].integer), version: $0[0].text) }
    }

    func known(_ key: SyncKey) throws -> Known? { try standing(key)?.known }

    /// - Parameters:
    ///   - isOwn: whether the version is one that was pushed.
    ///   - scope: the search that found it; nil to keep what is known.
    ///   - isNew: whether it is certain that nothing is known of the resource.
    func remember(_ key: SyncKey, version: String?, isOwn: Bool = false, scope: Int64? = nil, isNew: Bool = false) throws {
        // Two statements, as the SQLite of older versions of SQLCipher has no upsert.
        let values: [SQLValue] = [
            .optional(version), scope.map { .integer($0) } ?? .null, .integer(isOwn ? 1 : 0), .integer(server), .text(key.typeName),
            .text(key.id),
        ]
        if !isNew {
            let changed = try tx.run(
                on: Self.tables,
                "UPDATE _sync_resource SET version = ?, scope = coalesce(?, scope), own = ? WHERE server = ? AND type = ? AND id = ?",
                values)
            guard changed == 0 else { return }
        }
        try run("INSERT INTO _sync_resource(version, scope, own, server, type, id) VALUES (?, ?, ?, ?, ?, ?)", values)
    }

    /// Notes that the store no longer has a resource that the server has.
    func markPurged(_ key: SyncKey) throws {
        try run(
            "UPDATE _sync_resource SET own = 2 WHERE server = ? AND type = ? AND id = ?",
            [.integer(server), .text(key.typeName), .text(key.id)])
    }

    func forget(_ key: SyncKey) throws {
        try run(
            "DELETE FROM _sync_resource WHERE server = ? AND type = ? AND id = ?",
            [.integer(server), .text(key.typeName), .text(key.id)])
    }

    // MARK: - Content

    /// The store's state of a resource, with references that the server understands; nil if there is none.
    func stored(_ key: SyncKey) throws -> FHIRResource? { try tx.storedForServer(key) }

    /// A content that can be sent.
    struct Content {
        let json: Data
        /// The resources that it refers to.
        let references: [SyncKey]
    }

    /// The JSON of a resource of the store, with its payloads and with references that the server understands.
    func content(ofStored resource: FHIRResource) throws -> Content {
        let resource = try tx.opened(resource)
        let json = FHIRJSON.data(resource)
        let findings = ReferenceScan.findings(in: json, base: base)
        // References by pk and to payloads are rare, and looking for them in the text is cheaper than in the objects.
        guard resource.id == nil || findings.isLocal else { return Content(json: json, references: findings.keys) }
        try tx.requirePayloads()
        let whole = try tx.whole(tx.withAssignedIDs(resource))
        return whole === resource ? Content(json: json, references: findings.keys) : content(FHIRJSON.data(whole))
    }

    /// The same for JSON that was written from rows alone; nil if more is needed.
    func content(ofRows json: UnsafeBufferPointer<UInt8>) -> Content? {
        let findings = ReferenceScan.findings(in: json, base: base)
        return findings.isLocal ? nil : Content(json: Data(json), references: findings.keys)
    }

    func content(_ json: Data) -> Content { Content(json: json, references: ReferenceScan.findings(in: json, base: base).keys) }

    /// JSON of the change log with its payloads.
    func whole(_ json: String) throws -> String {
        guard ReferenceScan.hasPayload(json) else { return json }
        try tx.requirePayloads()
        return FHIRJSON.string(try tx.whole(resource(json)))
    }

    /// A content as it is kept in the journal: sealed if the resource is, or if payloads are and it has one, so that nothing of it is in the clear.
    func sealing(_ json: String, of key: SyncKey) throws -> String {
        guard let sealer = tx.store.sealing.sealer,
            try tx.isSealed(key.typeName, id: key.id) || tx.sealsIncoming(key.typeName) || sealsPayloads(of: json)
        else { return json }
        return try sealer.seal(text: json)
    }

    /// Whether payloads are sealed, and a text has one, or something that looks like one.
    private func sealsPayloads(of json: String) -> Bool { tx.store.sealing.sealer?.hasKeys ?? false && json.contains("\"data\"") }

    /// The text of a resource that cannot be read, sealed if resources of its type are, or if nobody knows the type.
    func sealing(_ text: String, ofType typeName: String?) throws -> String {
        guard let sealer = tx.store.sealing.sealer, sealer.hasKeys,
            try typeName.map({ try tx.sealsIncoming($0) }) ?? true || sealsPayloads(of: text)
        else { return text }
        return try sealer.seal(text: text)
    }

    /// Whether there are keys to open what is sealed.
    var isOpenable: Bool { tx.store.sealing.sealer?.hasKeys ?? false }

    /// A text as it was before it was sealed, if it was.
    func opened(_ text: String) throws -> String { try text.hasPrefix(ContentSealing.textStart) ? open(text) : text }

    /// Opens what `sealing` made.
    func open(_ text: String) throws -> String { try tx.openedChange(text) }

    func resource(_ json: String) throws -> FHIRResource { try resource(Data(json.utf8)) }

    func resource(_ json: Data) throws -> FHIRResource { try FHIRJSON.resource(from: json, release: tx.store.release) }
}
