import FireLite
import FireLiteCore
import FireLiteFHIRPath
import FireLiteSearch
import Foundation

/// A subscription with its topic, ready to be compared with events.
struct Subscribed: Sendable {
    let row: SubscriptionTable.Row
    let plan: SubscriptionPlan
    let topic: ServiceTopic

    /// Whether events are recorded: also before the handshake, and while the hook fails.
    var isRecording: Bool { ["requested", "active", "error"].contains(plan.status) }

    /// The filters that concern a type.
    func filters(for type: String) -> [SearchRequest.Parameter] {
        plan.filters.filter { $0.type == nil || $0.type == "Resource" || $0.type == type }.map(\.parameter)
    }
}

/// Compares events with subscriptions: the topic's trigger, the filters, and what the subscriber may see.
struct EventMatching {
    let transaction: ReadTransaction
    let probe: ContentProbe
    let subscriptions: [Subscribed]

    /// The contents of an event, read when they are first needed. Content that is damaged or no longer kept is missing.
    private final class Contents {
        private let event: StoreEvent
        private let transaction: ReadTransaction
        private var known: [Bool: FHIRResource?] = [:]

        init(_ event: StoreEvent, _ transaction: ReadTransaction) {
            self.event = event
            self.transaction = transaction
        }

        func before() throws -> FHIRResource? { try content(false, event.before) }
        func after() throws -> FHIRResource? { try content(true, event.after) }

        private func content(_ isAfter: Bool, _ place: VersionPlace?) throws -> FHIRResource? {
            if let found = known[isAfter] { return found }
            var found: FHIRResource?
            do { found = try place.flatMap { try transaction.store.content(at: $0, transaction) } } catch let error as FHIRStoreError
                where error.code == .notAStore
            {}
            known[isAfter] = .some(found)
            return found
        }
    }

    /// The events of subscriptions, in order.
    func matches(_ events: [StoreEvent]) throws -> [SubscriptionTable.Match] {
        var matches: [SubscriptionTable.Match] = []
        for event in events {
            let contents = Contents(event, transaction)
            for subscription in subscriptions where subscription.isRecording && event.sequence > subscription.row.since {
                let triggers = subscription.topic.triggers.filter {
                    $0.concerns(event.type) && ($0.interactions.isEmpty || $0.interactions.contains(event.kind.interaction))
                }
                guard !triggers.isEmpty, try triggers.contains(where: { try isTriggered($0, event, contents) }),
                    try passes(subscription, event, contents), let id = try event.id ?? contents.after()?.id
                else { continue }
                matches.append(
                    SubscriptionTable.Match(
                        subscription: subscription.row.id, generation: subscription.row.generation, event: event, id: id))
            }
        }
        return matches
    }

    /// The filters and the scopes, which count for what the resource is now; for a deleted one, what it was.
    private func passes(_ subscription: Subscribed, _ event: StoreEvent, _ contents: Contents) throws -> Bool {
        let filters = subscription.filters(for: event.type)
        guard !filters.isEmpty || subscription.row.access.scopes != nil else { return true }
        guard let content = try event.kind == .delete ? contents.before() : contents.after(), content.id != nil else { return false }
        guard try filters.isEmpty || probe.meets(filters, content) else { return false }
        return try probe.permits(subscription.row.access, content)
    }

    private func isTriggered(_ trigger: ServiceTopic.Trigger, _ event: StoreEvent, _ contents: Contents) throws -> Bool {
        if let query = trigger.query, try !meets(query, event, contents) { return false }
        guard let path = trigger.path else { return true }
        guard let focus = try contents.after() ?? contents.before() else { return false }
        var context = FHIRPathContext()
        context.variables["previous"] = try contents.before().map { [FHIRPathValue($0)] } ?? []
        context.variables["current"] = try contents.after().map { [FHIRPathValue($0)] } ?? []
        // An expression that fails for a resource is not true of it.
        do { return try path.bool(on: focus, context: context) ?? false } catch is FHIRPathError { return false }
    }

    /// FHIR, SubscriptionTopic, queryCriteria: with `requireBoth` both tests must pass, otherwise one of them.
    private func meets(_ query: ServiceTopic.QueryCriteria, _ event: StoreEvent, _ contents: Contents) throws -> Bool {
        func test(
            _ items: QueryItems?, on content: () throws -> FHIRResource?, isMissing: Bool, otherwise result: Bool
        ) throws -> Bool? {
            guard let items else { return nil }
            if isMissing { return result }
            guard let content = try content(), content.id != nil else { return false }
            return try probe.meets(items.all, content)
        }
        let previous = try test(
            query.previous, on: contents.before, isMissing: event.kind == .create, otherwise: query.createPasses)
        if let previous, query.requiresBoth != previous { return previous }
        let current = try test(
            query.current, on: contents.after, isMissing: event.kind == .delete, otherwise: query.deletePasses)
        return current ?? previous ?? true
    }
}
