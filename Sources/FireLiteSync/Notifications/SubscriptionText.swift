import FireLiteCore
import Foundation

/// A Subscription as JSON, in one of two forms: with criteria and a channel up to R4B, with a topic from R5 on. The layout of the release says which.
struct SubscriptionText {
    let json: Data

    /// - Parameters:
    ///   - request: how the server notifies.
    ///   - release: the release of the Subscription.
    ///   - criteria: the search, if there is no topic.
    ///   - end: when it ends.
    ///   - configuration: what addresses are private.
    /// - Throws: `SyncError.invalidArgument`; `FHIRDecodingError` if the release does not accept it.
    init(
        _ request: SubscriptionRequest, release: FHIRRelease, criteria: String, end: Date, configuration: FHIRClient.Configuration
    ) throws {
        if case .restHook(let endpoint, _) = request.channel {
            guard let origin = Origin(endpoint), configuration.isPrivate(origin) else {
                throw SyncError(
                    .invalidArgument, "the address of a rest-hook is HTTPS, as everybody on the way could read what is sent there")
            }
        }
        guard let layout = release.resourceLayout(named: "Subscription") else {
            throw SyncError(.invalidArgument, "FHIR \(release.name) has no Subscription")
        }
        let instant = ServerTime.instant(ServerTime.milliseconds(end) ?? 0)
        var members: [String: JSONValue] = [
            "resourceType": "Subscription", "status": "requested", "reason": "keeps a store up to date", "end": .string(instant),
        ]
        if layout.element(named: "criteria") != nil {
            Self.addCriteria(request, release: release, criteria: criteria, members: &members)
        } else {
            guard let topic = request.topic else {
                throw SyncError(
                    .invalidArgument,
                    "a Subscription of FHIR \(release.name) is about a topic: name one that the server offers (SubscriptionTopic)")
            }
            try Self.addTopic(request, release: release, topic: topic, members: &members)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = try encoder.encode(JSONValue.object(members))
        json = FHIRJSON.data(try FHIRJSON.resource(from: text, release: release))
    }

    /// The form up to R4B; with a topic as Subscriptions R5 Backport says (<https://hl7.org/fhir/uv/subscriptions-backport/>).
    private static func addCriteria(
        _ request: SubscriptionRequest, release: FHIRRelease, criteria: String, members: inout [String: JSONValue]
    ) {
        let extensions = "http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-"
        func member(_ name: String, _ type: String, _ value: JSONValue) -> JSONValue { ["url": .string(extensions + name), type: value] }
        var channel: [String: JSONValue] = ["type": .string(request.channel.code)]
        if case .restHook(let endpoint, let fields) = request.channel {
            channel["endpoint"] = .string(endpoint.absoluteString)
            if !fields.isEmpty { channel["header"] = .array(fields.map { .string($0) }) }
        }
        if let topic = request.topic {
            members["meta"] = ["profile": [.string(extensions + "subscription")]]
            members["criteria"] = .string(topic)
            if !request.filters.isEmpty {
                let filters = request.filters.map { member("filter-criteria", "valueString", .string($0)) }
                members["_criteria"] = ["extension": .array(filters)]
            }
            channel["payload"] = .string(release.facts.json)
            channel["_payload"] = ["extension": [member("payload-content", "valueCode", .string(request.content.rawValue))]]
            if let heartbeat = request.heartbeat {
                channel["extension"] = [member("heartbeat-period", "valueUnsignedInt", .number(max(heartbeat / .seconds(1), 1).rounded()))]
            }
        } else {
            members["criteria"] = .string(criteria)
            // Without a type of content nothing is sent along.
            if release.facts.subscriptionsNeedPayload { channel["payload"] = .string(release.facts.json) }
        }
        members["channel"] = .object(channel)
    }

    private static func addTopic(
        _ request: SubscriptionRequest, release: FHIRRelease, topic: String, members: inout [String: JSONValue]
    ) throws {
        members["topic"] = .string(topic)
        members["channelType"] = [
            "system": "http://terminology.hl7.org/CodeSystem/subscription-channel-type", "code": .string(request.channel.code),
        ]
        members["contentType"] = .string(release.facts.json)
        members["content"] = .string(request.content.rawValue)
        if case .restHook(let endpoint, let fields) = request.channel {
            members["endpoint"] = .string(endpoint.absoluteString)
            let parameters = fields.compactMap { field -> JSONValue? in
                let parts = field.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                return parts.count == 2 ? ["name": .string(parts[0]), "value": .string(parts[1])] : nil
            }
            if !parameters.isEmpty { members["parameter"] = .array(parameters) }
        }
        if let heartbeat = request.heartbeat { members["heartbeatPeriod"] = .number(max(heartbeat / .seconds(1), 1).rounded()) }
        let filters = try request.filters.flatMap { try filter($0) }
        if !filters.isEmpty { members["filterBy"] = .array(filters) }
    }

    /// The parts of `Type?parameter=value&…`.
    private static func filter(_ text: String) throws -> [JSONValue] {
        let halves = text.split(separator: "?", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { throw SyncError(.invalidArgument, "a filter of a topic is Type?parameter=value") }
        return try halves[1].split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? String($0) }
            guard sides.count == 2 else { throw SyncError(.invalidArgument, "a filter of a topic is Type?parameter=value") }
            let name = sides[0].split(separator: ":", maxSplits: 1).map(String.init)
            var filter: [String: JSONValue] = [
                "resourceType": .string(halves[0]), "filterParameter": .string(name[0]), "value": .string(sides[1]),
            ]
            if name.count == 2 { filter["modifier"] = .string(name[1]) }
            return .object(filter)
        }
    }
}

extension SubscriptionRequest.Channel {
    /// FHIR's code.
    var code: String {
        switch self {
        case .websocket: "websocket"
        case .restHook: "rest-hook"
        }
    }
}
