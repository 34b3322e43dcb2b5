import FireLite
import Foundation

/// One flush of an outbox: entry after entry, each in a write before and after it is sent. The write after one is the write before the next.
///
/// Before it is sent an entry is marked as begun. One that is found so was on its way when its process ended: the server may have done it.
struct OutboxFlush: Sendable {
    let outbox: Outbox
    /// The number of the last entry to send.
    let last: Int64
    /// Entries that are only read back.
    let answered: Set<Int64>

    private var lease: OutboxLease { outbox.lease }
    private var server: String { outbox.server }
    private var refusals: OutboxRefusals { outbox.refusals }

    /// How long a flush waits before it looks again whether another one has finished.
    private static let patience: Duration = .milliseconds(100)

    private enum Step: Sendable {
        case send(OutboxOutgoing)
        case ended(OutboxFlushResult.Stop?)
        /// Another outbox has taken the lease: this one was asleep for long.
        case lost
    }

    private struct Sent: Sendable {
        let entry: OutboxOutgoing
        let answer: OutboxAnswer
    }

    func run() async throws -> OutboxFlushResult {
        var result = OutboxFlushResult()
        do {
            while true {
                switch try await takeLease() {
                case .nothingToSend: return result
                case .postponed(let date):
                    result.stop = .postponed(date)
                    return result
                case .taken: try await outbox.clock.sleep(Self.patience)
                case .granted:
                    if try await sendAll(&result) { return result }
                }
            }
        } catch {
            await releaseLease()
            throw error
        }
    }

    private func takeLease() async throws -> OutboxLease.Answer {
        let (lease, last, now) = (lease, last, outbox.clock.now())
        let answer = try await outbox.store.read { tx in try lease.look(tx, now: now, through: last) }
        guard case .granted = answer else { return answer }
        return try await outbox.store.write { tx in try lease.take(tx, now: now, through: last) }
    }

    /// Also where the task was cancelled, or the next flush would wait until the lease ends.
    private func releaseLease() async {
        let (store, lease) = (outbox.store, lease)
        let release = Task { try await store.write { tx in try lease.release(tx) } }
        // If the store cannot be written, the lease ends by itself.
        _ = await release.result
    }

    /// - Returns: whether the flush has ended. Otherwise the lease was lost.
    private func sendAll(_ result: inout OutboxFlushResult) async throws -> Bool {
        var sent: Sent?
        var held = OutboxHeld()
        while true {
            let (done, before) = (sent, held)
            let step: Step
            (step, held) = try await outbox.store.write { tx in
                var held = before
                return (try self.step(tx, after: done, &held), held)
            }
            if let done { note(done, &result) }
            switch step {
            case .send(let entry):
                let mayRepeat = !answered.contains(entry.number) && !result.unshown.contains(entry.number)
                sent = Sent(entry: entry, answer: try await outbox.exchange(entry, mayRepeat: mayRepeat))
            case .ended(let stop):
                result.stop = stop ?? held.first.map { .failed($0.number, $0.failure) }
                return true
            case .lost: return false
            }
        }
    }

    private func note(_ sent: Sent, _ result: inout OutboxFlushResult) {
        switch sent.answer {
        case .accepted(let receipt):
            result.sent.append(receipt)
            outbox.report(.sent(receipt))
        case .failed(let failure):
            if failure.isUnshown { result.unshown.append(sent.entry.number) }
            if failure.isRefusal { result.refused.append(sent.entry.number) }
            outbox.report(failure.isRefusal ? .refused(sent.entry.number, failure) : .failed(sent.entry.number, failure))
        }
    }

    // MARK: - In a write

    private func step(_ tx: WriteTransaction, after sent: Sent?, _ held: inout OutboxHeld) throws -> Step {
        let now = outbox.clock.now()
        if let sent {
            try record(sent, tx, now)
            if case .failed(let failure) = sent.answer, failure.isUnshown { held.add(sent.entry, outbox.client, failure) }
        }
        guard try lease.isHeld(tx) else { return .lost }
        if let stop = try stop(after: sent, tx, now) {
            try lease.release(tx)
            return .ended(stop)
        }
        guard let (entry, isRefused) = try next(tx, &held) else {
            try lease.release(tx)
            return .ended(nil)
        }
        if isRefused {
            try lease.release(tx)
            return .ended(.refused(entry.number))
        }
        try tx.runOutbox(
            """
            UPDATE _outbox SET attempts = attempts + 1, uncertain = (uncertain | begun) & ~\(OutboxOutgoing.Doubt.decided), begun = 1, tried = ?
            WHERE seq = ?
            """, [.integer(OutboxTime.milliseconds(now)), .integer(entry.number)])
        try lease.extend(tx, now: now)
        return .send(entry)
    }

    /// The next entry that depends on none of those that are held.
    private func next(_ tx: WriteTransaction, _ held: inout OutboxHeld) throws -> (OutboxOutgoing, isRefused: Bool)? {
        while true {
            let row = try tx.outboxRows(
                "SELECT \(OutboxOutgoing.columns), refused FROM _outbox WHERE server = ? AND seq <= ? AND seq > ?"
                    + (refusals == .park ? " AND refused = 0" : "") + " ORDER BY seq LIMIT 1",
                [.text(server), .integer(last), .integer(held.newest)]
            ).first
            guard let row else { return nil }
            let entry = try OutboxOutgoing(row)
            guard held.isNeeded(by: entry, outbox.client) else { return (entry, row["refused"].integer == 1) }
            held.add(entry, outbox.client, nil)
        }
    }

    private func stop(after sent: Sent?, _ tx: WriteTransaction, _ now: Date) throws -> OutboxFlushResult.Stop? {
        // What was refused ends the flush as the next entry, unless it is parked.
        guard let sent, case .failed(let failure) = sent.answer, !failure.isRefusal, !failure.isUnshown else { return nil }
        if let wait = failure.retryAfter, wait > .zero {
            let resume = now.addingTimeInterval(wait / .seconds(1))
            try tx.runOutbox(
                "UPDATE _outbox_server SET resume = ? WHERE server = ?", [.integer(OutboxTime.milliseconds(resume)), .text(server)])
        }
        return .failed(sent.entry.number, failure)
    }

    /// The mark keeps apart an entry that was discarded meanwhile.
    private func record(_ sent: Sent, _ tx: WriteTransaction, _ now: Date) throws {
        let place: [SQLValue] = [.integer(sent.entry.number), .text(sent.entry.mark)]
        switch sent.answer {
        case .accepted:
            try tx.runOutbox("DELETE FROM _outbox WHERE seq = ? AND mark = ?", place)
            try tx.runOutbox("UPDATE _outbox_server SET resume = NULL WHERE server = ? AND resume IS NOT NULL", [.text(server)])
        case .failed(let failure):
            let values: [SQLValue] = [
                .integer(doubts(failure)), .flag(failure.isRefusal), .optional(failure.status.map { Int64($0) }), .text(failure.message),
                .optional(failure.outcome),
            ]
            try tx.runOutbox(
                """
                UPDATE _outbox SET begun = 0, uncertain = uncertain | ?, refused = ?, status = ?, error = ?, outcome = ?
                WHERE seq = ? AND mark = ?
                """, values + place)
        }
    }

    private func doubts(_ failure: OutboxFailure) -> Int64 {
        (failure.isUncertain ? OutboxOutgoing.Doubt.uncertain : 0) | (failure.isUnshown ? OutboxOutgoing.Doubt.answered : 0)
    }
}

/// What came of sending an entry.
enum OutboxAnswer: Sendable {
    case accepted(OutboxReceipt)
    case failed(OutboxFailure)
}
