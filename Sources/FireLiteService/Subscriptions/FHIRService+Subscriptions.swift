import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import FireLiteTrust
import Foundation

// Subscriptions by topic (FHIR R5, Subscriptions; for R4 and R4B the guide "Subscriptions R5 Backport").

extension FHIRService {
    /// Whether the release has subscriptions by topic.
    private var knowsSubscriptions: Bool {
        switch release.name {
        case "R4B", "R5": true
        case "R4": !configuration.topics.isEmpty
        default: false
        }
    }

    /// Whether clients can subscribe: not without a history, which has the events, and not in a store that cannot be written.
    func hasSubscriptions(_ history: TrackedTypes) -> Bool {
        knowsSubscriptions && !history.isEmpty && !configuration.isReadOnly && store.configuration.access == .readWrite
    }

    /// Whether clients can subscribe, by what the store tracks now. A store that cannot be read has none.
    var hasOwnSubscriptions: Bool { knowsSubscriptions && (try? store.tracked(.history)).map { hasSubscriptions($0) } ?? false }

    /// The topic with a canonical URL: of the configuration, or of the store.
    func topic(_ canonical: String, _ transaction: ReadTransaction) throws -> ServiceTopic? {
        if let topic = configuration.topics.first(where: { $0.isNamed(canonical) && $0.isActive }) { return topic }
        return try storedTopics(transaction).first { $0.isNamed(canonical) && $0.isActive }
    }

    /// The topics that the store has. One that cannot be used is none.
    func storedTopics(_ transaction: ReadTransaction) throws -> [ServiceTopic] {
        guard let layout = release.resourceLayout(named: "SubscriptionTopic"), transaction.hasTable(of: layout) else { return [] }
        var topics: [ServiceTopic] = []
        try store.forEach(QueryRequest(layout)) { resource in
            if let topic = try? ServiceTopic(Self.item(resource)) { topics.append(topic) }
        }
        return topics
    }

    /// The topic that a subscription names.
    func topicName(of subscription: FHIRResource) -> String? { subscription.text(release.name == "R5" ? "topic" : "criteria") }

    static func item(_ resource: FHIRResource) throws -> JSONItem {
        do { return try JSONItemReader.read(FHIRJSON.data(resource)) } catch {
            throw ServiceFault(500, "exception", "the resource cannot be read")
        }
    }

    /// A stored subscription; nil if a client did not store it through a service, or if it was deleted.
    ///
    /// - Throws: `ServiceFault` for one that cannot be served.
    func subscribed(_ row: SubscriptionTable.Row, _ transaction: ReadTransaction) throws -> Subscribed? {
        guard let resource = try transaction.resource(typeName: "Subscription", id: row.id) else { return nil }
        let plan = try SubscriptionPlan(Self.item(resource), isR5: release.name == "R5")
        guard let topic = try topic(plan.topic, transaction) else {
            throw ServiceFault(422, "not-found", "the topic of the subscription is not one of the server's", at: "Subscription.topic")
        }
        return Subscribed(row: row, plan: plan, topic: topic)
    }

    /// Why a subscription is in error that cannot be served.
    static func unservedReason(_ error: any Error) -> String {
        (error as? ServiceFault)?.issues.first?.text ?? "the subscription or its topic cannot be read"
    }

    /// Whether notifications may be sent to an address: only to listed origins, as `$import` fetches only from such.
    func isHook(_ url: URL) -> Bool {
        guard configuration.transport != nil, let origin = Origin(url), url.user == nil else { return false }
        return configuration.hookOrigins.contains { URL(string: $0).flatMap { Origin($0) } == origin }
    }

    /// Ends the streams of events, so that their clients connect again later: for a server that stops.
    public func endEventStreams() async { await subscriptions.endStreams() }

    /// Changes the status of a subscription, unless a client has written it meanwhile.
    ///
    /// - Parameters:
    ///   - error: why it is in error, for who reads its status.
    ///   - number: the number of an event that is left out with those before it; nil for none.
    func setStatus(_ status: String, of row: SubscriptionTable.Row, error: String? = nil, passing number: Int64? = nil) async throws {
        try await store.writing {
            try self.write { transaction, now in
                transaction.setAuditParty(AuditParty(row.access.subject))
                guard let known = try SubscriptionTable.rows(row.id, transaction).first, known.generation == row.generation,
                    let resource = try transaction.resource(typeName: "Subscription", id: row.id)
                else { return }
                if let number { try SubscriptionTable.acknowledge(row, through: number, transaction) }
                let isOther = resource.text("status") != status
                if number != nil || isOther || error != nil && known.error != error {
                    try SubscriptionTable.setError(error, of: row.id, transaction)
                }
                guard isOther else { return }
                let changed = try transaction.whole(resource).copy()
                changed.setText("status", status)
                if self.release.name != "R5" { changed.setText("error", error) }
                let version = FHIRStore.revision(of: resource).map { String($0 &+ 1) }
                changed.setServerMeta(version: version, updated: FHIRInstant(now))
                try transaction.upsert(changed)
            }
        }
    }
}

// MARK: - Writing

extension WriteRun {
    private static let name = "Subscription"

    /// Checks a subscription that a client writes, and sets its status: it is `requested` until the handshake, or at once `active` if clients read
    /// its events as a stream. What is switched off is stored as it is.
    ///
    /// - Throws: `ServiceFault` with status 422 or 403 for one that the server could not serve.
    func prepareSubscription(_ resource: FHIRResource) throws {
        if resource.resourceType == Self.name, try HookSecrets.isMasked(resource) {
            throw ServiceFault(
                422, "business-rule", "a header field for the hook is masked: send its value, which only the client knows that set it",
                at: release.name == "R5" ? "\(Self.name).parameter" : "\(Self.name).channel.header")
        }
        guard resource.resourceType == Self.name, release.name.hasPrefix("R"), let status = resource.text("status"),
            status == "requested" || status == "active"
        else { return }
        let history = try transaction.tracked(.history)
        guard service.hasSubscriptions(history) else {
            let reason =
                history.isEmpty ? "the store keeps no history, which has the events" : "the server has no topics, or is not to write"
            throw ServiceFault(422, "not-supported", "there are no subscriptions here: \(reason)", at: Self.name)
        }
        let plan = try SubscriptionPlan(FHIRService.item(resource), isR5: release.name == "R5")
        guard let topic = try service.topic(plan.topic, transaction) else {
            throw ServiceFault(422, "not-found", "the topic is not one of the server's", at: "\(Self.name).topic")
        }
        try check(topic, history)
        if case .hook(let url) = plan.channel, !service.isHook(url) {
            throw ServiceFault(
                422, "security", "the address is not of an origin to which this server sends notifications", at: "\(Self.name).endpoint")
        }
        try check(plan, topic)
        if try transaction.resource(typeName: Self.name, id: resource.id ?? "") == nil,
            try SubscriptionTable.count(transaction) >= service.configuration.limits.subscriptions
        {
            throw ServiceFault(429, "throttled", "there are \(service.configuration.limits.subscriptions) subscriptions already")
        }
        if case .stream = plan.channel { resource.setText("status", "active") } else { resource.setText("status", "requested") }
        if release.name != "R5" { resource.setText("error", nil) }
    }

    private func check(_ topic: ServiceTopic, _ history: TrackedTypes) throws {
        guard !topic.triggers.isEmpty else {
            throw ServiceFault(422, "not-supported", "the topic has no trigger by resources", at: "\(Self.name).topic")
        }
        for type in topic.types.sorted() {
            guard type == "Resource" || release.hasResourceType(named: type) else {
                throw ServiceFault(422, "not-supported", "a trigger of the topic is not of a resource type", at: "\(Self.name).topic")
            }
            let isTracked = type == "Resource" ? history == .all : history.contains(type)
            guard isTracked else {
                throw ServiceFault(
                    422, "not-supported", "the store keeps no history of all types of the topic", at: "\(Self.name).topic")
            }
            try call.require(.read, type == "Resource" ? nil : type)
        }
    }

    private func check(_ plan: SubscriptionPlan, _ topic: ServiceTopic) throws {
        let isAny = topic.types.contains("Resource")
        var probe: ContentProbe?
        func checked(_ parameters: [SearchRequest.Parameter], _ type: String, _ place: String) throws {
            guard let layout = release.resourceLayout(named: type) else { return }
            let known = try probe ?? ContentProbe(for: store, base: service.base)
            probe = known
            do { try known.check(parameters, on: layout) } catch {
                let fault = ServiceFault(error)
                throw ServiceFault(422, fault.issues.first?.code ?? "invalid", fault.issues.first?.text ?? "", at: place)
            }
        }
        for trigger in topic.triggers {
            let items = (trigger.query?.previous?.all ?? []) + (trigger.query?.current?.all ?? [])
            if !items.isEmpty { try checked(items, trigger.type, "\(Self.name).topic") }
        }
        for filter in plan.filters {
            guard filter.type.map({ isAny || $0 == "Resource" || topic.types.contains($0) }) ?? true else {
                throw ServiceFault(422, "not-supported", "the filter is for a type that the topic does not have", at: filter.place)
            }
            let name = String(filter.parameter.name.prefix { $0 != ":" })
            let modifier = filter.parameter.name.split(separator: ":").dropFirst().first.map(String.init)
            let isAllowed = topic.filters.contains { allowed in
                allowed.parameter == name && (allowed.type == nil || filter.type == nil || allowed.type == filter.type)
                    && (allowed.comparators.isEmpty || filter.comparator.map { allowed.comparators.contains($0) } ?? true)
                    && (allowed.modifiers.isEmpty || modifier.map { allowed.modifiers.contains($0) } ?? true)
            }
            guard isAllowed else {
                throw ServiceFault(422, "not-supported", "the topic does not allow to filter by this", at: filter.place)
            }
            let types = filter.type.map { $0 == "Resource" ? topic.types : [$0] } ?? topic.types
            for type in types.sorted() { try checked([filter.parameter], type, filter.place) }
        }
    }

    /// Notes in the same write whose the subscription is.
    ///
    /// - Parameter earlier: the topic and the status that it had before; nil if it is new.
    func noteSubscription(_ stored: FHIRResource, after earlier: (topic: String?, status: String?)? = nil) throws {
        guard stored.resourceType == Self.name, let id = stored.id, let status = stored.text("status") else { return }
        guard status == "requested" || status == "active", service.hasSubscriptions(try transaction.tracked(.history)) else {
            // What another client stores is not for the one before to read.
            let owner = try SubscriptionTable.rows(id, transaction).first?.access.subject
            if let owner, owner != call.access.subject { try SubscriptionTable.remove(id, transaction) }
            return
        }
        // Events of another topic are none of this one.
        let isSame = earlier != nil && earlier?.topic == service.topicName(of: stored)
        if !isSame { try SubscriptionTable.removeEvents(of: id, transaction) }
        let wasRecorded = ["requested", "active", "error"].contains(earlier?.status ?? "")
        try SubscriptionTable.note(id, call.access, goesOn: isSame && wasRecorded, transaction)
        let service = service
        Task { await service.subscriptions.start(service) }
    }

    /// Forgets in the same write what was noted.
    func forgetSubscription(_ type: String, _ id: String) throws {
        if type == Self.name { try SubscriptionTable.remove(id, transaction) }
    }
}
