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

    /// The contents of an event, read when they are first needed. Content that is no longer kept is missing.
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
            let found = try place.flatMap { try transaction.store.content(at: $0, transaction) }
            known[isAfter] = .some(found)
            return found
        }
    }

    /// What was found of events.
    struct Found: Sendable {
        /// The events of subscriptions, in order.
        var matches: [SubscriptionTable.Match] = []
        /// The subscriptions with an event that cannot be judged, as when its content is damaged, with the reason.
        var failed: [(row: SubscriptionTable.Row, reason: String)] = []
    }

    /// A criterion of a topic that cannot be evaluated for an event.
    private struct CriterionError: Error {}

    /// Compares events with all subscriptions. One that cannot be judged for a subscription holds up neither others nor later events.
    ///
    /// - Parameter lost: changes among them that the log has lost: each subscription may have had an event there.
    /// - Throws: errors that are no fault of an event, such as those of a store that is busy.
    func matches(_ events: [StoreEvent], _ lost: LostChanges? = nil) throws -> Found {
        var found = Found()
        var failed: Set<String> = []
        if let end = lost?.numbers.last?.upperBound {
            for one in subscriptions where one.isRecording && one.row.since < end {
                failed.insert(one.row.id)
                found.failed.append((one.row, Self.changesAreLost))
            }
        }
        for event in events {
            let contents = Contents(event, transaction)
            for subscription in subscriptions where subscription.isRecording && event.sequence > subscription.row.since {
                let row = subscription.row
                do {
                    guard try isMatch(subscription, event, contents), let id = try event.id ?? contents.after()?.id else { continue }
                    found.matches.append(
                        SubscriptionTable.Match(subscription: row.id, generation: row.generation, event: event, id: id))
                } catch let error where !error.isPassing {
                    let reason = error is CriterionError ? Self.criterionFails : Self.cannotBeJudged
                    if failed.insert(row.id).inserted { found.failed.append((row, reason)) }
                }
            }
        }
        return found
    }

    private static let changesAreLost = "the store has lost changes, perhaps with events: read what the server has, and request it again"
    private static let cannotBeJudged = "an event cannot be judged, and is left out without a number"
    private static let criterionFails = "the topic's fhirPathCriteria fails for an event, which is left out without a number"

    /// - Throws: `CriterionError` if no trigger is true, one of them fails, and the subscription would be notified if it were true.
    private func isMatch(_ subscription: Subscribed, _ event: StoreEvent, _ contents: Contents) throws -> Bool {
        let triggers = subscription.topic.triggers.filter {
            $0.concerns(event.type) && ($0.interactions.isEmpty || $0.interactions.contains(event.kind.interaction))
        }
        guard !triggers.isEmpty else { return false }
        var fails = false
        let isTriggered = try triggers.contains { trigger in
            do { return try self.isTriggered(trigger, event, contents) } catch is FHIRPathError {
                fails = true
                return false
            }
        }
        guard isTriggered || fails, try passes(subscription, event, contents) else { return false }
        if !isTriggered { throw CriterionError() }
        return true
    }

    /// The filters and the scopes, which count for what the resource is now; for a deleted one, what it was.
    private func passes(_ subscription: Subscribed, _ event: StoreEvent, _ contents: Contents) throws -> Bool {
        let filters = subscription.filters(for: event.type)
        guard !filters.isEmpty || subscription.row.access.scopes != nil else { return true }
        guard let content = try event.kind == .delete ? contents.before() : contents.after(), content.id != nil else { return false }
        guard try filters.isEmpty || probe.meets(filters, content) else { return false }
        return try probe.permits(subscription.row.access, content)
    }

    /// - Throws: `FHIRPathError` if the trigger's expression fails for the resource.
    private func isTriggered(_ trigger: ServiceTopic.Trigger, _ event: StoreEvent, _ contents: Contents) throws -> Bool {
        if let query = trigger.query, try !meets(query, event, contents) { return false }
        guard let path = trigger.path else { return true }
        guard let focus = try contents.after() ?? contents.before() else { return false }
        var context = FHIRPathContext()
        context.variables["previous"] = try contents.before().map { [FHIRPathValue($0)] } ?? []
        context.variables["current"] = try contents.after().map { [FHIRPathValue($0)] } ?? []
        return try path.bool(on: focus, context: context) ?? false
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
