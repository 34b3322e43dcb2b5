import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// A topic that clients can subscribe to: which changes of which resources are events (FHIR R5, SubscriptionTopic).
///
/// ```swift
/// configuration.topics = [ServiceTopic("http://example.org/topics/observations", of: ["Observation"], filters: ["patient", "code"])]
/// ```
/// In R4B and R5, resources SubscriptionTopic in the store are topics too; R4 has no such resource.
public struct ServiceTopic: Sendable {
    /// The canonical URL, by which subscriptions name it.
    public let url: String
    /// The version; nil if it has none.
    public let version: String?
    let isActive: Bool
    let triggers: [Trigger]
    let filters: [Filter]

    /// What makes a change an event.
    struct Trigger: Sendable {
        /// The resource type; `Resource` for all.
        let type: String
        /// The interactions by name; empty for all.
        var interactions: Set<String> = []
        var query: QueryCriteria?
        /// FHIRPath over the resource, with `%previous` and `%current`.
        var path: FHIRPath?

        func concerns(_ type: String) -> Bool { self.type == "Resource" || self.type == type }
    }

    /// Search parameters that a resource must meet before and after the change.
    struct QueryCriteria: Sendable {
        var previous: QueryItems?
        var current: QueryItems?
        /// Whether a creation passes the test of what was before.
        var createPasses = true
        /// Whether a deletion passes the test of what is now.
        var deletePasses = true
        var requiresBoth = false
    }

    /// A search parameter by which subscriptions may filter.
    struct Filter: Sendable {
        /// The resource type; nil for those of all triggers.
        let type: String?
        let parameter: String
        /// The comparators and modifiers that are allowed; empty for all.
        var comparators: Set<String> = []
        var modifiers: Set<String> = []
    }

    /// A topic of every change of some types.
    ///
    /// - Parameters:
    ///   - url: the canonical URL.
    ///   - types: the names of resource types.
    ///   - filters: search parameters of these types by which subscriptions may filter. Default: none.
    public init(_ url: String, of types: [String], filters: [String] = []) {
        self.url = url
        version = nil
        isActive = true
        triggers = types.map { Trigger(type: $0) }
        self.filters = filters.map { Filter(type: nil, parameter: $0) }
    }

    /// Reads a resource SubscriptionTopic of R4B or R5.
    ///
    /// - Parameter json: the resource in JSON.
    /// - Throws: ``ServiceError/Code/configuration`` for JSON that is no such resource, or a criterion that cannot be parsed.
    public init(json: Data) throws {
        let item: JSONItem
        do { item = try JSONItemReader.read(json) } catch {
            throw ServiceError(.configuration, "the topic is not JSON (line \(error.line)): \(error.problem)")
        }
        do { self = try ServiceTopic(item) } catch {
            throw ServiceError(.configuration, "the topic cannot be used: \(error.issues.first?.text ?? "")")
        }
    }

    /// - Throws: `ServiceFault` with status 422.
    init(_ item: JSONItem) throws(ServiceFault) {
        guard item["resourceType"]?.text == "SubscriptionTopic", let url = item["url"]?.text, !url.isEmpty else {
            throw ServiceFault(422, "invalid", "a topic is a SubscriptionTopic with a url")
        }
        self.url = url
        version = item["version"]?.text
        isActive = item["status"]?.text.map { $0 == "active" || $0 == "draft" } ?? true
        var triggers: [Trigger] = []
        for (index, trigger) in (item["resourceTrigger"]?.items ?? []).enumerated() {
            triggers.append(try Self.trigger(trigger, "SubscriptionTopic.resourceTrigger[\(index)]"))
        }
        self.triggers = triggers
        filters = (item["canFilterBy"]?.items ?? []).compactMap { filter in
            guard let parameter = filter["filterParameter"]?.text else { return nil }
            return Filter(
                type: filter["resource"]?.text.map { Self.typeName($0) }, parameter: parameter,
                comparators: Set(filter["comparator"]?.items.compactMap(\.text) ?? []),
                modifiers: Set(filter["modifier"]?.items.compactMap(\.text) ?? []))
        }
    }

    private static func trigger(_ item: JSONItem, _ place: String) throws(ServiceFault) -> Trigger {
        guard let resource = item["resource"]?.text else {
            throw ServiceFault(422, "required", "a trigger names a resource type", at: place)
        }
        var trigger = Trigger(type: typeName(resource))
        trigger.interactions = Set(item["supportedInteraction"]?.items.compactMap(\.text) ?? [])
        if let query = item["queryCriteria"] {
            var criteria = QueryCriteria()
            criteria.previous = try items(query["previous"]?.text, place + ".queryCriteria.previous")
            criteria.current = try items(query["current"]?.text, place + ".queryCriteria.current")
            criteria.createPasses = query["resultForCreate"]?.text != "test-fails"
            criteria.deletePasses = query["resultForDelete"]?.text != "test-fails"
            criteria.requiresBoth = query["requireBoth"]?.content == .bool(true)
            trigger.query = criteria
        }
        if let text = item["fhirPathCriteria"]?.text {
            do { trigger.path = try FHIRPath(text) } catch {
                throw ServiceFault(422, "invalid", "the criterion is not FHIRPath", at: place + ".fhirPathCriteria")
            }
        }
        return trigger
    }

    /// The parameters of `Encounter?status=finished`, or without a type.
    private static func items(_ text: String?, _ place: String) throws(ServiceFault) -> QueryItems? {
        guard let text else { return nil }
        do { return try QueryItems(condition: text) } catch {
            throw ServiceFault(422, "invalid", "the criterion is not a search", at: place)
        }
    }

    /// `Patient`, which may be written as the address of its definition.
    static func typeName(_ text: String) -> String { text.split(separator: "/").last.map(String.init) ?? text }

    /// Whether a canonical reference, perhaps with a version, names it.
    func isNamed(_ canonical: String) -> Bool {
        let halves = canonical.split(separator: "|", maxSplits: 1)
        guard let first = halves.first, first == url else { return false }
        return halves.count < 2 || version == String(halves[1])
    }

    /// The types of which changes may be events.
    var types: Set<String> { Set(triggers.map(\.type)) }
}
