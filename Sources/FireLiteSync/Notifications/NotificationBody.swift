import Foundation

/// The parts of a notification in JSON that say what it is about. Contents of resources are not read.
///
/// R4B and R5 send a Bundle of type `subscription-notification`, which begins with a SubscriptionStatus. R4 sends one of type `history` that begins with
/// Parameters (Subscriptions R5 Backport). A plain R4 rest-hook sends the resource.
struct NotificationBody: Decodable {
    /// A number that R5 writes as a string, as it has 64 bits.
    private struct Number: Decodable {
        let value: Int64?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let number: Int64?
            do { number = try container.decode(Int64.self) } catch is DecodingError { number = Int64(try container.decode(String.self)) }
            // What leaves no room for the next number is none.
            value = number.flatMap { 0..<Int64.max / 2 ~= $0 ? $0 : nil }
        }
    }

    private struct Reference: Decodable {
        let reference: String?
    }

    private struct Event: Decodable {
        let eventNumber: Number?
        let focus: Reference?
        let additionalContext: [Reference]?
    }

    private struct Parameter: Decodable {
        let name: String?
        let valueString: String?
        let valueCode: String?
        let valueCanonical: String?
        let valueUri: String?
        let valueUnsignedInt: Number?
        let valueInteger64: Number?
        let valueInteger: Number?
        let valueReference: Reference?
        let part: [Parameter]?

        var text: String? { valueCode ?? valueCanonical ?? valueUri ?? valueString }

        var number: Int64? {
            (valueUnsignedInt ?? valueInteger64 ?? valueInteger)?.value
                ?? valueString.flatMap { Int64($0) }.flatMap { 0..<Int64.max / 2 ~= $0 ? $0 : nil }
        }
    }

    private struct Resource: Decodable {
        let resourceType: String?
        let id: String?
        let type: String?
        let status: String?
        let topic: String?
        let subscription: Reference?
        let eventsSinceSubscriptionStart: Number?
        let notificationEvent: [Event]?
        let parameter: [Parameter]?

        private enum CodingKeys: String, CodingKey {
            case resourceType, id, type, status, topic, subscription, eventsSinceSubscriptionStart, notificationEvent, parameter
        }

        /// Only Parameters and SubscriptionStatus are read whole: in other resources the names mean something else.
        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            resourceType = try values.decodeIfPresent(String.self, forKey: .resourceType)
            id = try values.decodeIfPresent(String.self, forKey: .id)
            let isStatus = resourceType == "SubscriptionStatus"
            type = isStatus ? try values.decodeIfPresent(String.self, forKey: .type) : nil
            status = isStatus ? try values.decodeIfPresent(String.self, forKey: .status) : nil
            topic = isStatus ? try values.decodeIfPresent(String.self, forKey: .topic) : nil
            subscription = isStatus ? try values.decodeIfPresent(Reference.self, forKey: .subscription) : nil
            eventsSinceSubscriptionStart = isStatus ? try values.decodeIfPresent(Number.self, forKey: .eventsSinceSubscriptionStart) : nil
            notificationEvent = isStatus ? try values.decodeIfPresent([Event].self, forKey: .notificationEvent) : nil
            parameter = resourceType == "Parameters" ? try values.decodeIfPresent([Parameter].self, forKey: .parameter) : nil
        }
    }

    private struct Entry: Decodable {
        struct Request: Decodable {
            let url: String?
        }

        let fullUrl: String?
        let request: Request?
        let resource: Resource?

        /// What the entry is about: its place, else its content.
        var reference: String? {
            for text in [request?.url, fullUrl].compactMap({ $0 }) where ResourceLocation(text) != nil && !text.hasPrefix("urn:") {
                return text
            }
            guard let type = resource?.resourceType, let id = resource?.id else { return nil }
            return "\(type)/\(id)"
        }
    }

    private let resourceType: String
    private let id: String?
    private let type: String?
    private let entry: [Entry]?

    private enum CodingKeys: String, CodingKey {
        case resourceType, id, type, entry
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        resourceType = try values.decode(String.self, forKey: .resourceType)
        id = try values.decodeIfPresent(String.self, forKey: .id)
        let isBundle = resourceType == "Bundle"
        type = isBundle ? try values.decodeIfPresent(String.self, forKey: .type) : nil
        entry = isBundle ? try values.decodeIfPresent([Entry].self, forKey: .entry) : nil
    }

    /// - Returns: nil for anything but a resource.
    init?(_ json: Data) {
        guard json.contains(UInt8(ascii: "{")) else { return nil }
        do { self = try JSONDecoder().decode(Self.self, from: json) } catch { return nil }
    }

    /// - Returns: nil for a Bundle that is no notification.
    var notification: SubscriptionNotification? {
        guard resourceType == "Bundle" else {
            guard let id else { return nil }
            let event = SubscriptionNotification.Event(number: nil, references: ["\(resourceType)/\(id)"])
            return SubscriptionNotification(.resource, events: [event])
        }
        guard let entry, let head = entry.first?.resource else { return nil }
        switch (type, head.resourceType) {
        case ("subscription-notification", "SubscriptionStatus"), ("history", "SubscriptionStatus"): return status(head, entry.dropFirst())
        case ("history", "Parameters"), ("subscription-notification", "Parameters"): return backport(head, entry.dropFirst())
        default: return nil
        }
    }

    private func status(_ head: Resource, _ rest: ArraySlice<Entry>) -> SubscriptionNotification? {
        let events = (head.notificationEvent ?? []).map { event in
            let references = [event.focus] + (event.additionalContext ?? [])
            return SubscriptionNotification.Event(number: event.eventNumber?.value, references: references.compactMap { $0?.reference })
        }
        return notification(
            head.type, subscription: head.subscription?.reference, topic: head.topic, status: head.status,
            count: head.eventsSinceSubscriptionStart?.value, events: events, rest: rest)
    }

    private func backport(_ head: Resource, _ rest: ArraySlice<Entry>) -> SubscriptionNotification? {
        func first(_ name: String) -> Parameter? { head.parameter?.first { $0.name == name } }
        let events = (head.parameter ?? []).filter { $0.name == "notification-event" }.map { event in
            let parts = event.part ?? []
            let references = parts.filter { $0.name == "focus" || $0.name == "additional-context" }.compactMap(\.valueReference?.reference)
            return SubscriptionNotification.Event(number: parts.first { $0.name == "event-number" }?.number, references: references)
        }
        return notification(
            first("type")?.text, subscription: first("subscription")?.valueReference?.reference, topic: first("topic")?.text,
            status: first("status")?.text,
            count: first("events-since-subscription-start")?.number, events: events, rest: rest)
    }

    private func notification(
        _ type: String?, subscription: String?, topic: String?, status: String?, count: Int64?,
        events: [SubscriptionNotification.Event], rest: ArraySlice<Entry>
    ) -> SubscriptionNotification? {
        let kinds: Set<SubscriptionNotification.Kind> = [.handshake, .heartbeat, .eventNotification, .queryStatus, .queryEvent]
        guard let kind = type.flatMap({ SubscriptionNotification.Kind(rawValue: $0) }), kinds.contains(kind) else { return nil }
        var events = events
        // Entries that no event names.
        let named = Set(events.flatMap(\.references))
        let others = rest.compactMap(\.reference).filter { !named.contains($0) }
        if !others.isEmpty { events.append(.init(number: nil, references: others)) }
        return SubscriptionNotification(
            kind, subscription: subscription, topic: topic, status: status, eventCount: count, events: events)
    }
}
