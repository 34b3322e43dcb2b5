import FireLite
import FireLiteCore
import FireLiteXML
import Foundation

/// Writes notifications: Bundles whose first entry says how the subscription stands (FHIR R5, Subscriptions, Notifications; in R4 and R4B those of the
/// guide "Subscriptions R5 Backport").
struct NotificationWriter {
    let service: FHIRService
    let transaction: ReadTransaction
    let subscribed: Subscribed

    /// How a subscription stands.
    struct Standing {
        let row: SubscriptionTable.Row
        /// The code of its status.
        let status: String
        /// The canonical URL of its topic; nil if that cannot be read.
        let topic: String?
        /// Why it is in error.
        let error: String?

        init(_ subscribed: Subscribed) {
            (row, status, topic, error) = (subscribed.row, subscribed.plan.status, subscribed.plan.topic, subscribed.row.error)
        }

        /// - Parameter reason: why it cannot be served.
        init(unserved row: SubscriptionTable.Row, _ reason: String) { (self.row, status, topic, error) = (row, "error", nil, reason) }
    }

    private var release: String { service.release.name }
    private static let backport = "http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/"

    private static func path(_ row: SubscriptionTable.Row) -> String { "Subscription/\(row.id)" }

    /// An event that is sent, with its content if that is sent, too.
    struct Event {
        let event: SubscriptionTable.Event
        let resource: FHIRResource?
    }

    /// A notification.
    ///
    /// - Parameters:
    ///   - type: a code of FHIR's value set `subscription-notification-type`.
    ///   - events: its events, in order.
    ///   - content: what it says of each; nil for what the subscription asks for.
    ///   - broken: the numbers of events that are left out, as they cannot be judged or read.
    func bundle(
        _ type: String, _ events: [Event] = [], content: SubscriptionPlan.Content? = nil, broken: [Int64] = []
    ) throws -> String {
        let hasFocus = (content ?? subscribed.plan.content) != .empty
        let entries = hasFocus ? try events.map { try entry($0.event, $0.resource) } : []
        let status = Self.status(service, Standing(subscribed), type, events.map(\.event), hasFocus: hasFocus, broken: broken)
        var members = [(name: "resourceType", json: "\"Bundle\"")]
        if release != "R5" {
            let profile = Self.backport + "backport-subscription-notification" + (release == "R4" ? "-r4" : "")
            members.append((name: "meta", json: JSONItem.object(["profile": .array([.string(profile)])]).json))
        }
        members.append((name: "type", json: release == "R5" ? "\"subscription-notification\"" : "\"history\""))
        members.append((name: "timestamp", json: JSONText.string(FHIRInstant(service.configuration.clock.now()).literal)))
        members.append((name: "entry", json: JSONText.array([statusEntry(status)] + entries)))
        return JSONText.object(members)
    }

    /// What `$status` says.
    static func statusEntryForSearch(_ service: FHIRService, _ standing: Standing) -> String {
        JSONItem.object([
            "fullUrl": .string("urn:uuid:" + UUID().uuidString.lowercased()), "resource": status(service, standing, "query-status"),
            "search": .object(["mode": .string("match")]),
        ]).json
    }

    // MARK: - Status

    private func statusEntry(_ status: JSONItem) -> String {
        JSONItem.object([
            "fullUrl": .string("urn:uuid:" + UUID().uuidString.lowercased()), "resource": status,
            "request": .object(["method": .string("GET"), "url": .string(Self.path(subscribed.row) + "/$status")]),
            "response": .object(["status": .string("200")]),
        ]).json
    }

    private static func reference(_ event: SubscriptionTable.Event, _ service: FHIRService) -> String {
        "\(service.base)/\(event.type)/\(event.id)"
    }

    private static func instant(_ milliseconds: Int64) -> JSONItem {
        .string(FHIRInstant(Date(timeIntervalSince1970: Double(milliseconds) / 1_000)).literal)
    }

    /// A SubscriptionStatus, or in R4 the Parameters that stand for it.
    private static func status(
        _ service: FHIRService, _ standing: Standing, _ type: String, _ events: [SubscriptionTable.Event] = [], hasFocus: Bool = false,
        broken: [Int64] = []
    ) -> JSONItem {
        let (row, release) = (standing.row, service.release.name)
        let subscription = JSONItem.object(["reference": .string("\(service.base)/\(path(row))")])
        let errors = [standing.error, text(of: broken)].compactMap { $0 }.map { JSONItem.object(["text": .string($0)]) }
        guard release == "R4" else {
            let items = events.map { event in
                JSONItem.object([
                    "eventNumber": .string(String(event.number)), "timestamp": instant(event.time),
                    "focus": hasFocus ? .object(["reference": .string(reference(event, service))]) : nil,
                ])
            }
            return .object([
                "resourceType": .string("SubscriptionStatus"), "status": .string(standing.status), "type": .string(type),
                "eventsSinceSubscriptionStart": .string(String(row.counted)), "notificationEvent": items.isEmpty ? nil : .array(items),
                "subscription": subscription, "topic": standing.topic.map { .string($0) },
                "error": errors.isEmpty ? nil : .array(errors),
            ])
        }
        func parameter(_ name: String, _ type: String, _ value: JSONItem) -> JSONItem {
            .object([JSONItem.Member(name: "name", value: .string(name)), JSONItem.Member(name: "value" + type, value: value)])
        }
        var parameters = [
            parameter("status", "Code", .string(standing.status)), parameter("type", "Code", .string(type)),
            parameter("events-since-subscription-start", "String", .string(String(row.counted))),
        ]
        if let topic = standing.topic { parameters.insert(parameter("topic", "Canonical", .string(topic)), at: 0) }
        parameters.insert(parameter("subscription", "Reference", subscription), at: 0)
        for event in events {
            var parts = [
                parameter("event-number", "String", .string(String(event.number))),
                parameter("timestamp", "Instant", instant(event.time)),
            ]
            if hasFocus { parts.append(parameter("focus", "Reference", .object(["reference": .string(reference(event, service))]))) }
            parameters.append(.object(["name": .string("notification-event"), "part": .array(parts)]))
        }
        parameters += errors.map { parameter("error", "CodeableConcept", $0) }
        return .object([
            "resourceType": .string("Parameters"),
            "meta": .object(["profile": .array([.string(backport + "backport-subscription-status-r4")])]),
            "parameter": .array(parameters),
        ])
    }

    // MARK: - Events

    /// Events as they are sent.
    struct Contents {
        /// Those that the receiver is to be notified of, in order.
        var list: [Event] = []
        /// The numbers of those that cannot be judged or read.
        var broken: [Int64] = []
    }

    /// The events that a receiver is to be notified of, with what is sent of each.
    ///
    /// - Throws: errors that are no fault of an event.
    func contents(
        of events: [SubscriptionTable.Event], content: SubscriptionPlan.Content? = nil, _ judge: EventJudge
    ) throws -> Contents {
        var found = Contents()
        for event in events {
            do {
                if let one = try self.event(event, content ?? subscribed.plan.content, judge) { found.list.append(one) }
            } catch let error where !error.isPassing {
                found.broken.append(event.number)
            }
        }
        return found
    }

    /// An event as it is sent; nil for one that is not for the receiver.
    private func event(_ event: SubscriptionTable.Event, _ content: SubscriptionPlan.Content, _ judge: EventJudge) throws -> Event? {
        let isJudged = judge.needsContent(subscribed, event.type)
        let isWhole = content == .fullResource && event.kind != .delete
        guard isJudged || isWhole else { return Event(event: event, resource: nil) }
        let place = try StoreEvents(store: service.store).place(of: event.type, id: event.id, version: event.version, transaction)
        let found = try place.flatMap { try service.store.content(at: $0, transaction) }
        if isJudged {
            // What nobody can judge any more is hidden.
            guard let found, try judge.passes(found, subscribed) else { return nil }
        }
        guard isWhole, let found else { return Event(event: event, resource: nil) }
        let isCurrent = if case .stored? = place { true } else { false }
        let resource = try service.shown(
            try transaction.whole(found).stamped(version: event.version), to: judge.access, isCurrent: isCurrent, transaction)
        // XML cannot hold every text: this is found before the whole notification is written.
        if subscribed.plan.format == .xml { _ = try FHIRXML.data(resource) }
        return Event(event: event, resource: resource)
    }

    /// How many events are left out, and which.
    private static func text(of broken: [Int64]) -> String? {
        guard !broken.isEmpty else { return nil }
        let numbers = broken.prefix(20).map(String.init).joined(separator: ", ") + (broken.count > 20 ? " …" : "")
        return broken.count == 1
            ? "1 event cannot be judged or read, and is left out: \(numbers)"
            : "\(broken.count) events cannot be judged or read, and are left out: \(numbers)"
    }

    private func entry(_ event: SubscriptionTable.Event, _ resource: FHIRResource?) throws -> String {
        let path = "\(event.type)/\(event.id)"
        var members = [(name: "fullUrl", json: JSONText.string(Self.reference(event, service)))]
        if let resource { members.append((name: "resource", json: FHIRJSON.string(resource))) }
        let (method, status) =
            switch event.kind {
            case .create: ("POST", "201")
            case .update: ("PUT", "200")
            case .delete: ("DELETE", "204")
            }
        let request = JSONItem.object(["method": .string(method), "url": .string(event.kind == .create ? event.type : path)])
        let isThere = event.kind != .delete
        let response = JSONItem.object([
            "status": .string(status), "location": isThere ? .string("\(path)/_history/\(event.version)") : nil,
            "etag": isThere ? .string(EntityTag.text(event.version)) : nil, "lastModified": Self.instant(event.time),
        ])
        members += [(name: "request", json: request.json), (name: "response", json: response.json)]
        return JSONText.object(members)
    }

    /// The bytes of a notification in the form that the subscription asks for.
    func data(_ json: String) throws -> Data {
        guard subscribed.plan.format == .xml else { return Data(json.utf8) }
        return try FHIRXML.data(try FHIRJSON.resource(from: Data(json.utf8), release: service.release))
    }
}
