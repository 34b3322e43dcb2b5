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

    private var release: String { service.release.name }
    private static let backport = "http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/"

    private var path: String { "Subscription/\(subscribed.row.id)" }

    /// A notification.
    ///
    /// - Parameters:
    ///   - type: a code of FHIR's value set `subscription-notification-type`.
    ///   - events: its events, in order.
    ///   - content: what it says of each; nil for what the subscription asks for.
    ///   - access: the access of whoever reads it, if that is not the subscription's owner.
    func bundle(
        _ type: String, _ events: [SubscriptionTable.Event] = [], content: SubscriptionPlan.Content? = nil, access: ServiceAccess? = nil,
        probe: ContentProbe? = nil
    ) throws -> String {
        let content = content ?? subscribed.plan.content
        var seen: [SubscriptionTable.Event] = []
        var entries: [String] = []
        for event in events {
            let resource = try resource(of: event, content: content, access: access, probe: probe)
            guard resource.isVisible else { continue }
            seen.append(event)
            if content != .empty { entries.append(try entry(event, resource.content)) }
        }
        let status = status(type, seen, hasFocus: content != .empty)
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
    func statusEntryForSearch() -> String {
        JSONItem.object([
            "fullUrl": .string("urn:uuid:" + UUID().uuidString.lowercased()), "resource": status("query-status", [], hasFocus: false),
            "search": .object(["mode": .string("match")]),
        ]).json
    }

    // MARK: - Status

    private func statusEntry(_ status: JSONItem) -> String {
        JSONItem.object([
            "fullUrl": .string("urn:uuid:" + UUID().uuidString.lowercased()), "resource": status,
            "request": .object(["method": .string("GET"), "url": .string(path + "/$status")]),
            "response": .object(["status": .string("200")]),
        ]).json
    }

    private func reference(_ event: SubscriptionTable.Event) -> String { "\(service.base)/\(event.type)/\(event.id)" }

    private static func instant(_ milliseconds: Int64) -> JSONItem {
        .string(FHIRInstant(Date(timeIntervalSince1970: Double(milliseconds) / 1_000)).literal)
    }

    /// A SubscriptionStatus, or in R4 the Parameters that stand for it.
    private func status(_ type: String, _ events: [SubscriptionTable.Event], hasFocus: Bool) -> JSONItem {
        let (plan, row) = (subscribed.plan, subscribed.row)
        guard release == "R4" else {
            let items = events.map { event in
                JSONItem.object([
                    "eventNumber": .string(String(event.number)), "timestamp": Self.instant(event.time),
                    "focus": hasFocus ? .object(["reference": .string(reference(event))]) : nil,
                ])
            }
            return .object([
                "resourceType": .string("SubscriptionStatus"), "status": .string(plan.status), "type": .string(type),
                "eventsSinceSubscriptionStart": .string(String(row.counted)), "notificationEvent": items.isEmpty ? nil : .array(items),
                "subscription": .object(["reference": .string("\(service.base)/\(path)")]), "topic": .string(plan.topic),
                "error": row.error.map { .array([.object(["text": .string($0)])]) },
            ])
        }
        func parameter(_ name: String, _ type: String, _ value: JSONItem) -> JSONItem {
            .object([JSONItem.Member(name: "name", value: .string(name)), JSONItem.Member(name: "value" + type, value: value)])
        }
        var parameters = [
            parameter("subscription", "Reference", .object(["reference": .string("\(service.base)/\(path)")])),
            parameter("topic", "Canonical", .string(plan.topic)), parameter("status", "Code", .string(plan.status)),
            parameter("type", "Code", .string(type)), parameter("events-since-subscription-start", "String", .string(String(row.counted))),
        ]
        for event in events {
            var parts = [
                parameter("event-number", "String", .string(String(event.number))),
                parameter("timestamp", "Instant", Self.instant(event.time)),
            ]
            if hasFocus { parts.append(parameter("focus", "Reference", .object(["reference": .string(reference(event))]))) }
            parameters.append(.object(["name": .string("notification-event"), "part": .array(parts)]))
        }
        if let error = row.error { parameters.append(parameter("error", "CodeableConcept", .object(["text": .string(error)]))) }
        return .object([
            "resourceType": .string("Parameters"),
            "meta": .object(["profile": .array([.string(Self.backport + "backport-subscription-status-r4")])]),
            "parameter": .array(parameters),
        ])
    }

    // MARK: - Events

    /// The content of an event's version if it is to be sent, and whether the reader may see it.
    private func resource(
        of event: SubscriptionTable.Event, content: SubscriptionPlan.Content, access: ServiceAccess?, probe: ContentProbe?
    ) throws -> (content: FHIRResource?, isVisible: Bool) {
        let judges = access?.scopes != nil
        guard judges || content == .fullResource && event.kind != .delete else { return (nil, true) }
        let place = try StoreEvents(store: service.store).place(of: event.type, id: event.id, version: event.version, transaction)
        let found = try place.flatMap { try service.store.content(at: $0, transaction) }
        if judges, let access {
            // What nobody can judge any more is hidden.
            guard let found, let probe, try probe.permits(access, found) else { return (nil, false) }
        }
        guard content == .fullResource, event.kind != .delete, let found else { return (nil, true) }
        return (try transaction.whole(found).stamped(version: event.version), true)
    }

    private func entry(_ event: SubscriptionTable.Event, _ resource: FHIRResource?) throws -> String {
        let path = "\(event.type)/\(event.id)"
        var members = [(name: "fullUrl", json: JSONText.string(reference(event)))]
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
