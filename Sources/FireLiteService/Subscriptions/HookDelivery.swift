import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteTrust
import Foundation

/// Sends the notifications of one subscription to its hook: the handshake, events in order, heartbeats. Each is repeated with growing waits; after the
/// last attempt the subscription is in error, and its events wait until a client requests it again.
actor HookDelivery {
    enum Step {
        /// There may be more to send at once.
        case again
        /// Nothing is to be sent before the time or a signal.
        case wait(Duration?)
        case end
    }

    private let id: String
    private let generation: Int64
    /// Judges events by the filters of this generation and the access of whoever wrote it, also those that were recorded before.
    private let judge: EventJudge
    /// When the last notification was accepted.
    private var lastSent: Date?
    /// What the hook has accepted and could not be noted, as when the disk was full. It is noted before anything else is sent.
    private var accepted: Notification?

    init(_ row: SubscriptionTable.Row, _ service: FHIRService) {
        (id, generation, judge) = (row.id, row.generation, EventJudge(row.access, service))
    }

    /// What is to be sent, and what is noted when the hook has accepted it.
    private struct Notification {
        let subscribed: Subscribed
        let type: String
        let body: Data
        let last: Int64?
    }

    private enum Work {
        case send(Notification)
        /// Nothing of the events up to a number is for the receiver.
        case skip(Subscribed, through: Int64)
        /// The next event cannot be judged or read.
        case broken(Subscribed, event: Int64)
        case overflow(Subscribed)
        case over(Subscribed)
        case wait(Duration?)
        case end
    }

    /// Sends the next notification, if there is one.
    func step(_ service: FHIRService) async -> Step {
        do {
            if let accepted { try await note(accepted, service) }
            accepted = nil
            switch try await next(service) {
            case .end: return .end
            case .wait(let time): return .wait(time)
            case .over(let subscribed):
                try await service.setStatus("off", of: subscribed.row)
                return .end
            case .overflow(let subscribed):
                try await service.setStatus("off", of: subscribed.row, error: "the hook was behind by more events than are kept")
                return .end
            case .skip(let subscribed, let number):
                try await acknowledge(subscribed.row, through: number, service)
                return .again
            case .broken(let subscribed, let number):
                // The client learns of it, and decides how to go on (FHIR R5, Subscriptions, Errors): the events after this one follow when it
                // requests the subscription again.
                try await service.setStatus(
                    "error", of: subscribed.row, error: "event \(number) cannot be judged or read, and is left out", passing: number)
                return .end
            case .send(let notification):
                if let problem = try await send(notification, service) {
                    try await service.setStatus("error", of: notification.subscribed.row, error: problem)
                    return .end
                }
                accepted = notification
                try await note(notification, service)
                accepted = nil
                return .again
            }
        } catch is CancellationError {
            return .end
        } catch {
            // The store is busy, or the disk full: later.
            return .wait(SubscriptionHub.pause)
        }
    }

    /// The next work. An event that cannot be judged or read is tried as often as a notification that is not accepted.
    private func next(_ service: FHIRService) async throws -> Work {
        try await service.configuration.hookRetries.retrying(by: service.configuration.clock) {
            let work = try await work(service)
            guard case .broken = work else { return .done(work) }
            return .failed(.success(work), retryAfter: nil)
        }
    }

    private func work(_ service: FHIRService) async throws -> Work {
        let (id, generation, judge, sent) = (id, generation, judge, lastSent)
        let now = service.configuration.clock.now()
        let kept = Int64(service.configuration.limits.subscriptionEvents)
        return try await service.store.reading {
            try service.read { transaction in
                guard let row = try SubscriptionTable.rows(id, transaction).first, row.generation == generation,
                    let subscribed = try service.subscribed(row, transaction)
                else { return .end }
                let plan = subscribed.plan
                transaction.setAuditParty(AuditParty(row.access.subject))
                let writer = NotificationWriter(service: service, transaction: transaction, subscribed: subscribed)
                func notification(_ type: String, _ events: [NotificationWriter.Event] = [], last: Int64? = nil) throws -> Work {
                    .send(
                        Notification(subscribed: subscribed, type: type, body: try writer.data(try writer.bundle(type, events)), last: last)
                    )
                }
                guard plan.status == "requested" || plan.status == "active" else { return .end }
                if let end = plan.end, end <= now { return .over(subscribed) }
                if plan.status == "requested" { return try notification("handshake") }
                // Events are missing for other reasons, too: those of an erased person.
                guard row.counted - row.delivered <= kept else { return .overflow(subscribed) }
                let events = try SubscriptionTable.events(of: id, after: row.delivered, limit: plan.maximumEvents, transaction)
                if let first = events.first {
                    let found = try writer.contents(of: events, judge)
                    let broken = found.broken.first ?? .max
                    guard first.number < broken else { return .broken(subscribed, event: broken) }
                    // Those before it go first.
                    let last = events.last { $0.number < broken }?.number ?? first.number
                    let list = found.list.filter { $0.event.number < broken }
                    return try list.isEmpty ? .skip(subscribed, through: last) : notification("event-notification", list, last: last)
                }
                let untilEnd = plan.end.map { $0.timeIntervalSince(now) }
                guard let heartbeat = plan.heartbeat else { return .wait(untilEnd.map { .seconds($0) }) }
                let due = (sent ?? .distantPast).addingTimeInterval(heartbeat / .seconds(1)).timeIntervalSince(now)
                guard due > 0 else { return try notification("heartbeat") }
                return .wait(.seconds(min(due, untilEnd ?? due)))
            }
        }
    }

    /// Sends a notification.
    ///
    /// - Returns: why it was not accepted, without what the hook answered; nil if it was.
    private func send(_ notification: Notification, _ service: FHIRService) async throws -> String? {
        let plan = notification.subscribed.plan
        guard case .hook(let url) = plan.channel, let transport = service.configuration.transport else { return "the channel is no hook" }
        var request = HTTPRequest(.post, url, fields: plan.fields, body: notification.body, timeout: plan.timeout, deadline: plan.timeout)
        request.fields["Content-Type"] = plan.format.mediaType(service.release)
        return try await service.configuration.hookRetries.retrying(by: service.configuration.clock) {
            // The origins may be others since the subscription was stored.
            guard service.isHook(url) else { return .done("the address is not allowed any more") }
            do {
                // What the hook answers besides the status is not read. Redirections are not followed.
                let status = try await transport.stream(request).status
                return 200..<300 ~= status ? .done(nil) : .failed(.success("the hook answered with status \(status)"), retryAfter: nil)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                return .failed(.success("the hook was not reached, or did not answer in time"), retryAfter: nil)
            }
        }
    }

    private func note(_ notification: Notification, _ service: FHIRService) async throws {
        lastSent = service.configuration.clock.now()
        let row = notification.subscribed.row
        if notification.type == "handshake" { return try await service.setStatus("active", of: row) }
        if let last = notification.last { try await acknowledge(row, through: last, service) }
    }

    private func acknowledge(_ row: SubscriptionTable.Row, through last: Int64, _ service: FHIRService) async throws {
        try await service.store.writing {
            try service.store.write { try SubscriptionTable.acknowledge(row, through: last, $0) }
        }
    }
}
