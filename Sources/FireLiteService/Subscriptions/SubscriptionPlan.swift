import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// What a resource Subscription asks for: of R5, or of R4 and R4B as the guide "Subscriptions R5 Backport" has it.
struct SubscriptionPlan: Sendable {
    enum Channel: Sendable {
        /// Notifications are sent to an address.
        case hook(URL)
        /// Clients read notifications as server-sent events.
        case stream
    }

    enum Content: String, Sendable {
        case empty
        case idOnly = "id-only"
        case fullResource = "full-resource"
    }

    /// A search parameter that resources of a type must meet.
    struct Filter: Sendable {
        /// The type; nil for all.
        let type: String?
        let parameter: SearchRequest.Parameter
        var comparator: String?
        let place: String
    }

    let id: String
    /// The code of `Subscription.status`.
    let status: String
    /// The canonical URL of the topic, as the subscription has it.
    let topic: String
    let channel: Channel
    let content: Content
    let format: ContentFormat
    /// Header fields for the hook.
    let fields: HTTPFields
    let filters: [Filter]
    let heartbeat: Duration?
    let timeout: Duration
    /// The maximum number of events in a notification.
    let maximumEvents: Int
    let end: Date?

    /// The code of a channel by server-sent events.
    static let streamCode = "server-sent-events"
    private static let backport = "http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/"
    private static let longestTimeout = 120
    private static let mostEvents = 100
    /// Fields that the transport sets.
    private static let ownFields: Set<String> = [
        "host", "content-length", "content-type", "transfer-encoding", "connection", "expect", "te", "upgrade", "trailer",
    ]

    /// - Throws: `ServiceFault` with status 422 for a subscription that cannot be served.
    init(_ item: JSONItem, isR5: Bool) throws(ServiceFault) {
        func number(_ item: JSONItem?) -> Int? { if case .number(let text)? = item?.content { Int(text) } else { nil } }
        func extended(_ item: JSONItem?, _ name: String) -> JSONItem? {
            item?["extension"]?.items.first { $0["url"]?.text == Self.backport + name }
        }
        id = item["id"]?.text ?? ""
        status = item["status"]?.text ?? ""
        let channel = isR5 ? item : item["channel"] ?? .object([])
        let place = isR5 ? "Subscription" : "Subscription.channel"
        let topicName = isR5 ? "topic" : "criteria"
        guard let topic = item[topicName]?.text, topic.contains(":") else {
            throw ServiceFault(
                422, "not-supported", "subscriptions are by topic: its canonical URL is missing", at: "Subscription.\(topicName)")
        }
        self.topic = topic
        let kind =
            isR5
            ? item["channelType"]?["code"]?.text
            : extended(channel["_type"], "backport-channel-type")?["valueCoding"]?["code"]?.text ?? channel["type"]?.text
        switch kind {
        case "rest-hook":
            guard let url = channel["endpoint"]?.text.flatMap({ URL(string: $0) }), Origin(url) != nil, url.user == nil else {
                throw ServiceFault(422, "required", "a rest-hook needs an address of HTTP or HTTPS", at: "\(place).endpoint")
            }
            self.channel = .hook(url)
        case Self.streamCode: self.channel = .stream
        default:
            throw ServiceFault(
                422, "not-supported", "the channel is rest-hook or \(Self.streamCode)", at: isR5 ? "\(place).channelType" : "\(place).type")
        }
        let content =
            isR5 ? item["content"]?.text : extended(channel["_payload"], "backport-payload-content")?["valueCode"]?.text
        guard let known = Content(rawValue: content ?? Content.empty.rawValue) else {
            throw ServiceFault(422, "not-supported", "the content is empty, id-only or full-resource", at: "\(place).content")
        }
        self.content = known
        let type = isR5 ? item["contentType"]?.text : channel["payload"]?.text
        guard let format = type == nil ? ContentFormat.json : ContentFormat(mediaType: type ?? "") else {
            throw ServiceFault(
                422, "not-supported", "notifications are application/fhir+json or application/fhir+xml", at: "\(place).contentType")
        }
        self.format = format
        fields = try Self.fields(isR5 ? item["parameter"] : channel["header"], isR5, place)
        filters = try isR5 ? Self.filters(item["filterBy"]) : Self.backportFilters(item["_criteria"])
        let period = number(isR5 ? item["heartbeatPeriod"] : extended(channel, "backport-heartbeat-period")?["valueUnsignedInt"]) ?? 0
        heartbeat = period > 0 ? .seconds(period) : nil
        let timeout = number(isR5 ? item["timeout"] : extended(channel, "backport-timeout")?["valueUnsignedInt"]) ?? 0
        self.timeout = .seconds(timeout > 0 ? min(timeout, Self.longestTimeout) : 30)
        let count = number(isR5 ? item["maxCount"] : extended(channel, "backport-max-count")?["valuePositiveInt"]) ?? Self.mostEvents
        maximumEvents = max(1, min(count, Self.mostEvents))
        end = item["end"]?.text.flatMap { FHIRInstant($0)?.date }
    }

    /// `Name: value`, or in R5 a name and a value.
    private static func fields(_ list: JSONItem?, _ isR5: Bool, _ place: String) throws(ServiceFault) -> HTTPFields {
        var fields: [HTTPFields.Field] = []
        for (index, item) in (list?.items ?? []).enumerated() {
            let place = "\(place).\(isR5 ? "parameter" : "header")[\(index)]"
            let name: String
            let value: String
            if isR5 {
                (name, value) = (item["name"]?.text ?? "", item["value"]?.text ?? "")
            } else {
                let halves = (item.text ?? "").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                name = halves.first.map { HeaderElement.trimmed($0) } ?? ""
                value = halves.count > 1 ? HeaderElement.trimmed(halves[1]) : ""
            }
            guard !isR5 || item["value"] != nil else { throw ServiceFault(422, "required", "the header field has no value", at: place) }
            let request = HTTPRequest(.post, URL(fileURLWithPath: "/"), fields: HTTPFields([.init(name: name, value: value)]))
            guard !ownFields.contains(name.lowercased()), request.hasValidFields else {
                throw ServiceFault(422, "invalid", "this is not a header field that a subscription may set", at: place)
            }
            fields.append(.init(name: name, value: value))
        }
        return HTTPFields(fields)
    }

    private static func filters(_ list: JSONItem?) throws(ServiceFault) -> [Filter] {
        var filters: [Filter] = []
        for (index, item) in (list?.items ?? []).enumerated() {
            let place = "Subscription.filterBy[\(index)]"
            // A search ignores a parameter without a value: everything would pass the filter.
            guard let name = item["filterParameter"]?.text, let value = item["value"]?.text, !value.isEmpty else {
                throw ServiceFault(422, "required", "a filter has a parameter and a value", at: place)
            }
            let comparator = item["comparator"]?.text
            let parameter = SearchRequest.Parameter(
                name: name + (item["modifier"]?.text.map { ":" + $0 } ?? ""), value: (comparator.map { $0 == "eq" ? "" : $0 } ?? "") + value
            )
            filters.append(
                Filter(
                    type: item["resourceType"]?.text.map { ServiceTopic.typeName($0) }, parameter: parameter, comparator: comparator,
                    place: place))
        }
        return filters
    }

    /// Filters of the backport: `Encounter?patient=Patient/123&status=finished`.
    private static func backportFilters(_ criteria: JSONItem?) throws(ServiceFault) -> [Filter] {
        var filters: [Filter] = []
        for item in criteria?["extension"]?.items ?? [] where item["url"]?.text == backport + "backport-filter-criteria" {
            let place = "Subscription.criteria"
            let halves = (item["valueString"]?.text ?? "").split(separator: "?", maxSplits: 1)
            guard halves.count == 2 else {
                throw ServiceFault(422, "invalid", "a filter is a type, a question mark and search parameters", at: place)
            }
            let items: QueryItems
            do { items = try QueryItems(halves[1]) } catch {
                throw ServiceFault(422, "invalid", "the parameters of a filter are not percent-encoded UTF-8", at: place)
            }
            guard items.all.allSatisfy({ !$0.value.isEmpty }) else {
                throw ServiceFault(422, "required", "a parameter of a filter has a value: without it everything would pass", at: place)
            }
            filters += items.all.map { Filter(type: String(halves[0]), parameter: $0, place: place) }
        }
        return filters
    }
}

extension HTTPRequest {
    /// Whether the header fields can be sent.
    fileprivate var hasValidFields: Bool {
        guard let url = URL(string: "http://localhost/") else { return false }
        do {
            _ = try HTTPRequest(method, url, fields: fields).checked()
            return true
        } catch { return false }
    }
}
