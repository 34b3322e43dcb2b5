import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

extension ReadRun {
    private static let name = "Subscription"

    /// `$status` (FHIR, Subscription, Operation $status): of one subscription, or of those that `id` and `status` select.
    func subscriptionStatus(_ id: String?) throws -> Answer {
        try call.require(.read, Self.name)
        let items = try parameters()
        var ids = Set(items.words("id"))
        if let id { ids = [id] }
        let statuses = Set(items.words("status"))
        var entries: [String] = []
        for row in try SubscriptionTable.rows(nil, transaction) where ids.isEmpty || ids.contains(row.id) {
            guard isOwn(row), let standing = try standing(of: row) else { continue }
            guard statuses.isEmpty || statuses.contains(standing.status) else { continue }
            entries.append(NotificationWriter.statusEntryForSearch(service, standing))
        }
        if let id, entries.isEmpty {
            _ = try resource(Self.name, id)
            throw ServiceFault(404, "not-found", "the subscription is switched off, or cannot be served")
        }
        var members = [
            (name: "resourceType", json: "\"Bundle\""), (name: "type", json: "\"searchset\""), (name: "total", json: "\(entries.count)"),
        ]
        if !entries.isEmpty { members.append((name: "entry", json: JSONText.array(entries))) }
        return Answer(200, .json(JSONText.object(members)))
    }

    /// `$events` (FHIR, Subscription, Operation $events): the events that are kept, from a number to a number.
    func subscriptionEvents(_ id: String) throws -> Answer {
        let subscribed = try subscription(id)
        let items = try parameters()
        func number(_ name: String) throws -> Int64? {
            try items.last(name).map { text in
                guard let number = Int64(text), number >= 0 else {
                    throw ServiceFault(400, "value", "the value is the number of an event", at: "http.\(name)")
                }
                return number
            }
        }
        let content = try items.last("content").map { text in
            guard let content = SubscriptionPlan.Content(rawValue: text) else {
                throw ServiceFault(400, "value", "the content is empty, id-only or full-resource", at: "http.content")
            }
            return content
        }
        let first = try number("eventsSinceNumber") ?? 1
        let events = try SubscriptionTable.events(
            of: id, after: max(first, 1) - 1, through: try number("eventsUntilNumber") ?? .max,
            limit: service.configuration.limits.maximumPageSize, transaction)
        let writer = NotificationWriter(service: service, transaction: transaction, subscribed: subscribed)
        let found = try writer.contents(of: events, content: content, EventJudge(call.access, service))
        return Answer(200, .json(try writer.bundle("query-event", found.list, content: content, broken: found.broken)))
    }

    /// The subscription, if the client may read its events.
    ///
    /// - Throws: `ServiceFault` with status 404 or 410 if there is none, 403 if it is another's.
    func subscription(_ id: String) throws -> Subscribed {
        _ = try resource(Self.name, id)
        guard let row = try SubscriptionTable.rows(id, transaction).first else {
            throw ServiceFault(404, "not-found", "the subscription was never requested by a client of this server")
        }
        guard let subscribed = try owned(row) else {
            throw ServiceFault(403, "forbidden", "the subscription is of another client")
        }
        return subscribed
    }

    /// How the client's own subscription stands; nil if it may not see it, or if it was deleted.
    private func standing(of row: SubscriptionTable.Row) throws -> NotificationWriter.Standing? {
        do { return try owned(row).map { NotificationWriter.Standing($0) } } catch let error where !error.isPassing {
            // What cannot be served is in error, although its resource may be damaged, so that its own status cannot be changed.
            return NotificationWriter.Standing(unserved: row, FHIRService.unservedReason(error))
        }
    }

    private func isOwn(_ row: SubscriptionTable.Row) -> Bool { call.access.scopes == nil || call.access.subject == row.access.subject }

    /// The subscription of a row if the client may see it and its events: its own, or any with a token that permits everything.
    private func owned(_ row: SubscriptionTable.Row) throws -> Subscribed? {
        guard isOwn(row), try seen(.read, { try transaction.resource(typeName: Self.name, id: row.id) }) != nil else { return nil }
        return try service.subscribed(row, transaction)
    }
}

extension FHIRService {
    /// Answers `$events`, as a Bundle or as a stream.
    func subscriptionEvents(_ id: String, _ call: ServiceCall) async throws -> ServiceResponse {
        let isStream =
            call.request.method == .get
            && HeaderElement.list(call.request.fields["Accept"]).contains { $0.value.lowercased() == EventFeed.mediaType }
        guard isStream else { return try await reading(call) { try $0.subscriptionEvents(id) } }
        // Says at once what is wrong.
        _ = try await reading(call) { run in
            _ = try run.subscription(id)
            return Answer(200)
        }
        let text = call.request.fields["Last-Event-ID"] ?? call.query.last("eventsSinceNumber").flatMap { Int64($0) }.map { "\($0 - 1)" }
        let last = text.map { Int64($0) }
        if let last, last ?? -1 < 0 {
            throw ServiceFault(400, "value", "the field has the number of an event", at: "http.Last-Event-ID")
        }
        let (number, signal) = try await subscriptions.addStream(limit: configuration.limits.eventStreams)
        let feed = EventFeed(self, id: id, call: call, after: last ?? nil, stream: number, signal)
        return ServiceResponse(
            200, fields: ["Content-Type": EventFeed.mediaType, "X-Accel-Buffering": "no"], body: .stream(HTTPBody { try await feed.next() })
        )
    }
}

/// The events of a subscription as server-sent events (WHATWG, HTML, Server-sent events): each message is a notification, its id the number of its last
/// event, so that a client that connects again with `Last-Event-ID` goes on after it.
final class EventFeed: Sendable {
    static let mediaType = "text/event-stream"
    /// The wait between heartbeats unless the subscription says another.
    private static let heartbeat = Duration.seconds(15)
    /// How long a stream lasts: its token counts again when the client connects again.
    private static let lifetime: TimeInterval = 300

    private let service: FHIRService
    private let id: String
    private let call: ServiceCall
    private let stream: UUID
    private let signal: SubscriptionHub.Signal
    private let judge: EventJudge
    private let state: State

    /// `@unchecked Sendable`: one reader asks for one piece after another.
    private final class State: @unchecked Sendable {
        var last: Int64?
        var hasBegun = false
        /// When the last message was given.
        var sent = Date.distantPast

        init(_ last: Int64?) { self.last = last }
    }

    init(
        _ service: FHIRService, id: String, call: ServiceCall, after last: Int64?, stream: UUID, _ signal: SubscriptionHub.Signal
    ) {
        (self.service, self.id, self.call, self.stream, self.signal) = (service, id, call, stream, signal)
        judge = EventJudge(call.access, service)
        state = State(last)
    }

    deinit {
        let (hub, stream) = (service.subscriptions, stream)
        Task { await hub.removeStream(stream) }
    }

    /// The next messages; nil when the stream ends.
    func next() async throws -> Data? {
        while true {
            try Task.checkCancellation()
            let age = service.configuration.clock.now().timeIntervalSince(call.now)
            guard await service.subscriptions.hasStream(stream), age < Self.lifetime else { return nil }
            let before = state.last
            guard let found = try await messages(state.hasBegun ? nil : "handshake") else { return nil }
            if let data = given(found) { return data }
            // Events that are not for the client may hide others behind them.
            guard state.last == before else { continue }
            let period = (found.heartbeat ?? Self.heartbeat) / .seconds(1)
            let due = state.sent.addingTimeInterval(period).timeIntervalSince(now)
            if due > 0 {
                // Events of other subscriptions raise it, too.
                _ = await signal.wait(.seconds(due), service.configuration.clock)
                continue
            }
            guard let beat = try await messages("heartbeat") else { return nil }
            if let data = given(beat) { return data }
        }
    }

    /// Notes what is given; nil if there is nothing.
    private func given(_ messages: (text: String, last: Int64?, heartbeat: Duration?)) -> Data? {
        state.last = messages.last
        guard !messages.text.isEmpty else { return nil }
        state.hasBegun = true
        state.sent = now
        return Data(messages.text.utf8)
    }

    /// Messages with what is new.
    ///
    /// - Parameter type: that of a first message without events; nil for none.
    /// - Returns: nil if the subscription is not active any more, or the client may not read it.
    private func messages(_ type: String?) async throws -> (text: String, last: Int64?, heartbeat: Duration?)? {
        let (call, id, last, judge) = (call, id, state.last, judge)
        return try await service.store.reading {
            try self.service.read { transaction in
                let run = ReadRun(self.service, call, transaction)
                let subscribed: Subscribed
                do { subscribed = try run.subscription(id) } catch is ServiceFault { return nil }
                guard ["active", "error"].contains(subscribed.plan.status), subscribed.plan.end.map({ $0 > self.now }) ?? true else {
                    return nil
                }
                let writer = NotificationWriter(service: self.service, transaction: transaction, subscribed: subscribed)
                var text = ""
                // Who does not say where it was, begins now.
                let first = last ?? subscribed.row.counted
                if let type { text += Self.message(type, try writer.bundle(type), id: first) }
                let events = try SubscriptionTable.events(of: id, after: first, limit: subscribed.plan.maximumEvents, transaction)
                let found = try writer.contents(of: events, judge)
                if let newest = events.last?.number, !found.list.isEmpty || !found.broken.isEmpty {
                    text += Self.message(
                        "event-notification", try writer.bundle("event-notification", found.list, broken: found.broken), id: newest)
                }
                return (text, events.last?.number ?? first, subscribed.plan.heartbeat)
            }
        }
    }

    private var now: Date { service.configuration.clock.now() }

    private static func message(_ type: String, _ bundle: String, id: Int64) -> String {
        "id: \(id)\nevent: \(type)\ndata: \(bundle)\n\n"
    }
}
