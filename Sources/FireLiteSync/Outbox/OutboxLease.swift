import FireLite
import Foundation

/// The right to send to a server, which one outbox has at a time, over all processes that use the store.
///
/// It ends with the flush, with the process, or after a while: each attempt extends it.
struct OutboxLease: Sendable {
    /// Longer than one attempt takes.
    static let duration: TimeInterval = 300

    let server: String
    let owner: LeaseOwner

    /// What an outbox that wants to send finds.
    enum Answer: Sendable {
        /// It may send.
        case granted
        /// Another one sends.
        case taken
        /// The server wants to be asked again then.
        case postponed(Date)
        /// Nothing waits.
        case nothingToSend
    }

    /// What would be answered now; `granted` if `take` must decide.
    func look(_ tx: ReadTransaction, now: Date, through last: Int64) throws -> Answer {
        guard
            try tx.outboxRows("SELECT 1 FROM _outbox WHERE server = ? AND seq <= ? LIMIT 1", [.text(server), .integer(last)]).first != nil
        else { return .nothingToSend }
        guard let row = try tx.outboxRows("SELECT resume, owner, expires FROM _outbox_server WHERE server = ?", [.text(server)]).first
        else { return .granted }
        if let resume = OutboxTime.date(row[0].integer), resume > now { return .postponed(resume) }
        guard let holder = row[1].text.flatMap({ LeaseOwner($0) }), holder != owner, let expires = OutboxTime.date(row[2].integer),
            expires > now, !holder.hasEnded
        else { return .granted }
        return .taken
    }

    /// Takes the lease if it is free.
    func take(_ tx: WriteTransaction, now: Date, through last: Int64) throws -> Answer {
        let answer = try look(tx, now: now, through: last)
        if case .granted = answer { try extend(tx, now: now) }
        return answer
    }

    func extend(_ tx: WriteTransaction, now: Date) throws {
        let values: [SQLValue] = [
            .text(owner.text), .integer(OutboxTime.milliseconds(now.addingTimeInterval(Self.duration))), .text(server),
        ]
        guard try tx.runOutbox("UPDATE _outbox_server SET owner = ?, expires = ? WHERE server = ?", values) == 0 else { return }
        // Recovery may have lost the row.
        try tx.runOutbox("INSERT INTO _outbox_server(owner, expires, server) VALUES (?, ?, ?)", values)
    }

    /// Whether nobody has taken it meanwhile.
    func isHeld(_ tx: ReadTransaction) throws -> Bool {
        try tx.outboxRows("SELECT owner FROM _outbox_server WHERE server = ?", [.text(server)]).first?[0].text == owner.text
    }

    /// Gives it back, if it is still held.
    func release(_ tx: WriteTransaction) throws {
        try tx.runOutbox(
            "UPDATE _outbox_server SET owner = NULL, expires = NULL WHERE server = ? AND owner = ?", [.text(server), .text(owner.text)])
    }
}
