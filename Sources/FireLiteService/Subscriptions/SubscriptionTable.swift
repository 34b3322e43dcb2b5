import FireLite
import FireLiteCore
import Foundation

/// What a service keeps in the store's file about subscriptions: whose they are, the events of each with their numbers, and how far it has read the
/// changes. It is written in the transactions of the resources, so events and numbers survive a restart.
enum SubscriptionTable {
    static let tables = ModuleTables(
        module: "subscription", version: 1,
        tables: [
            ModuleTable(
                "_subscription", key: "number",
                columns: [
                    .init("id", .text), .init("generation", .integer), .init("subject", .text), .init("scopes", .text),
                    .init("patient", .text), .init("since", .integer), .init("counted", .integer), .init("delivered", .integer),
                    .init("error", .text),
                ], indexes: [.init("id", isUnique: true)]),
            ModuleTable(
                "_subscription_event", key: "number",
                columns: [
                    .init("subscription", .text), .init("event", .integer), .init("kind", .integer), .init("type", .text),
                    .init("id", .text), .init("version", .integer), .init("time", .integer),
                ], indexes: [.init("subscription", "event", isUnique: true)]),
            ModuleTable("_subscription_place", key: "number", columns: [.init("seq", .integer)]),
        ])

    /// A subscription that was stored through the service.
    struct Row: Sendable {
        let id: String
        /// Grows each time that a client writes the subscription.
        let generation: Int64
        /// The access of whoever wrote it, which limits what it sees.
        let access: ServiceAccess
        /// Only later changes concern it.
        let since: Int64
        /// The number of the last event.
        let counted: Int64
        /// The number of the last event that the hook has acknowledged, or that was left out.
        let delivered: Int64
        let error: String?
    }

    /// An event of a subscription.
    struct Event: Sendable {
        /// Its number, which counts the events of the subscription.
        let number: Int64
        let kind: StoreEvent.Kind
        let type: String
        let id: String
        let version: Int64
        /// In milliseconds since 1970.
        let time: Int64
    }

    // MARK: - Subscriptions

    /// The scopes of a token that permits everything. A row without scopes permits nothing.
    private static let everything = "*"

    /// Notes that a client wrote a subscription. It concerns changes from now on, and events that were recorded before and not delivered.
    ///
    /// - Parameter goesOn: whether its events were recorded until now, so that it concerns changes, too, that are not read yet.
    static func note(_ id: String, _ access: ServiceAccess, goesOn: Bool, _ transaction: WriteTransaction) throws {
        let scopes = SQLValue.text(access.scopes.map { $0.map(\.description).joined(separator: " ") } ?? everything)
        try transaction.run(
            on: tables,
            """
            INSERT INTO _subscription(id, generation, subject, scopes, patient, since, counted, delivered) VALUES (?, 1, ?, ?, ?, ?, 0, 0)
            ON CONFLICT(id) DO UPDATE SET generation = generation + 1, subject = excluded.subject, scopes = excluded.scopes,
              patient = excluded.patient, error = NULL,
              since = coalesce(CASE WHEN ? THEN max(since, (SELECT seq FROM _subscription_place)) END, excluded.since),
              delivered = max(delivered, coalesce((SELECT min(event) - 1 FROM _subscription_event WHERE subscription = excluded.id), counted))
            """,
            [
                .text(id), .text(access.subject), scopes, access.patient.map { .text($0) } ?? .null,
                .integer(try transaction.newestChange()), .integer(goesOn ? 1 : 0),
            ])
    }

    /// Forgets the events of a subscription; their numbers are not given again.
    static func removeEvents(of id: String, _ transaction: WriteTransaction) throws {
        guard try transaction.hasTables(of: tables) else { return }
        try transaction.run(on: tables, "DELETE FROM _subscription_event WHERE subscription = ?", [.text(id)])
    }

    /// Forgets a subscription and its events.
    static func remove(_ id: String, _ transaction: WriteTransaction) throws {
        guard try transaction.hasTables(of: tables) else { return }
        try removeEvents(of: id, transaction)
        try transaction.run(on: tables, "DELETE FROM _subscription WHERE id = ?", [.text(id)])
    }

    /// The subscriptions, or the one with an id.
    static func rows(_ id: String? = nil, _ transaction: ReadTransaction) throws -> [Row] {
        let columns = "id, generation, subject, scopes, patient, since, counted, delivered, error"
        let found =
            try id.map { try transaction.rows(of: tables, "SELECT \(columns) FROM _subscription WHERE id = ?", [.text($0)]) }
            ?? transaction.rows(of: tables, "SELECT \(columns) FROM _subscription ORDER BY number")
        return found.compactMap { row in
            guard let id = row[0].text, let generation = row[1].integer, let subject = row[2].text else { return nil }
            let scopes = row[3].text == everything ? nil : SMARTScope.list(row[3].text ?? "")
            let access = ServiceAccess(subject: subject, scopes: scopes, patient: row[4].text)
            return Row(
                id: id, generation: generation, access: access, since: row[5].integer ?? .max, counted: row[6].integer ?? 0,
                delivered: row[7].integer ?? 0, error: row[8].text)
        }
    }

    static func count(_ transaction: ReadTransaction) throws -> Int {
        Int(try transaction.rows(of: tables, "SELECT count(*) FROM _subscription").first?[0].integer ?? 0)
    }

    /// Changes whenever a client writes or deletes a subscription.
    static func fingerprint(_ transaction: ReadTransaction) throws -> [SQLValue] {
        try transaction.rows(of: tables, "SELECT count(*), sum(generation), max(number) FROM _subscription").first?.values ?? []
    }

    static func setError(_ text: String?, of id: String, _ transaction: WriteTransaction) throws {
        try transaction.run(on: tables, "UPDATE _subscription SET error = ? WHERE id = ?", [text.map { .text($0) } ?? .null, .text(id)])
    }

    /// Notes that the hook has acknowledged the events up to a number.
    static func acknowledge(_ row: Row, through number: Int64, _ transaction: WriteTransaction) throws {
        try transaction.run(
            on: tables, "UPDATE _subscription SET delivered = max(delivered, ?), error = NULL WHERE id = ? AND generation = ?",
            [.integer(number), .text(row.id), .integer(row.generation)])
    }

    // MARK: - Events

    /// The events of a subscription after a number, in order.
    static func events(
        of id: String, after first: Int64, through last: Int64 = .max, limit: Int, _ transaction: ReadTransaction
    ) throws -> [Event] {
        try transaction.rows(
            of: tables,
            """
            SELECT event, kind, type, id, version, time FROM _subscription_event
            WHERE subscription = ? AND event > ? AND event <= ? ORDER BY event LIMIT ?
            """, [.text(id), .integer(first), .integer(last), .integer(Int64(limit))]
        ).compactMap { row in
            guard let number = row[0].integer, let kind = row[1].integer.flatMap({ StoreEvent.Kind(rawValue: $0) }), let type = row[2].text,
                let id = row[3].text, let version = row[4].integer, let time = row[5].integer
            else { return nil }
            return Event(number: number, kind: kind, type: type, id: id, version: version, time: time)
        }
    }

    /// An event that a subscription is to be notified of.
    struct Match: Sendable {
        let subscription: String
        let generation: Int64
        let event: StoreEvent
        let id: String
    }

    /// Appends events and moves the place, unless another process has moved it.
    ///
    /// - Parameters:
    ///   - matches: the events, in order.
    ///   - old: where the place must be; nil if there must be none.
    ///   - place: where it moves to.
    ///   - limit: the number of events that are kept of a subscription.
    /// - Returns: whether the place was where it must be.
    static func append(
        _ matches: [Match], movingFrom old: Int64?, to place: Int64, limit: Int, _ transaction: WriteTransaction
    ) throws -> Bool {
        guard try self.place(transaction) == old else { return false }
        try transaction.run(on: tables, "INSERT OR REPLACE INTO _subscription_place(number, seq) VALUES (1, ?)", [.integer(place)])
        var rows: [String: Row] = [:]
        for row in try self.rows(nil, transaction) { rows[row.id] = row }
        var counts: [String: Int64] = [:]
        for match in matches {
            // What was written again meanwhile concerns later changes only.
            guard let row = rows[match.subscription], row.generation == match.generation else { continue }
            // What was erased meanwhile is no event.
            let isKept = try !transaction.store.sql("SELECT 1 FROM _change WHERE seq = ?", arguments: [.integer(match.event.sequence)])
                .isEmpty
            guard isKept else { continue }
            let number = try transaction.incremented(counts[match.subscription] ?? row.counted, in: "_subscription")
            counts[match.subscription] = number
            try transaction.run(
                on: tables,
                "INSERT INTO _subscription_event(subscription, event, kind, type, id, version, time) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    .text(match.subscription), .integer(number), .integer(match.event.kind.rawValue), .text(match.event.type),
                    .text(match.id),
                    .integer(match.event.version), .integer(match.event.time),
                ])
        }
        for (id, number) in counts.sorted(by: { $0.key < $1.key }) {
            try transaction.run(on: tables, "UPDATE _subscription SET counted = ? WHERE id = ?", [.integer(number), .text(id)])
            try transaction.run(
                on: tables, "DELETE FROM _subscription_event WHERE subscription = ? AND event <= ?",
                [.text(id), .integer(number - Int64(limit))])
        }
        return true
    }

    /// The number of the last change whose events are recorded; nil if there is none yet.
    static func place(_ transaction: ReadTransaction) throws -> Int64? {
        try transaction.rows(of: tables, "SELECT seq FROM _subscription_place").first?[0].integer
    }
}
