import FireLite
import FireLiteCore
import Foundation

/// What notifications ask for.
struct NotificationDemand: Sendable {
    /// The resources that they name.
    var keys: [SyncKey] = []
    private var seen: Set<SyncKey> = []
    /// The types of which all changes are to be pulled.
    var types: Set<String> = []
    /// Whether everything that was changed is to be pulled.
    var isWhole = false
    var hasMissedEvents = false
    var ignored = 0
    var hasEnded = false
    /// The last event of each subscription, once this was pulled.
    var last: [String: Int64] = [:]

    var isEmpty: Bool { keys.isEmpty && types.isEmpty && !isWhole }

    mutating func add(_ key: SyncKey) { if seen.insert(key).inserted { keys.append(key) } }
}

extension SyncJournal {
    /// An event that comes so much later than others with higher numbers belongs to a new count.
    private static let disorder: Int64 = 100

    /// What is known of a subscription.
    struct KnownSubscription {
        /// Nil if they are not known.
        let types: [String]?
        /// The number of the last event that was pulled.
        let last: Int64?
    }

    func subscription(_ id: String) throws -> KnownSubscription? {
        try rows("SELECT types, last FROM _sync_subscription WHERE server = ? AND id = ?", [.integer(server), .text(id)]).first.map {
            KnownSubscription(
                types: $0[0].text?.split(separator: " ").map(String.init),
                last: $0[1].integer.flatMap { 0..<Int64.max / 2 ~= $0 ? $0 : nil })
        }
    }

    /// What notifications ask for. Nothing is changed.
    func demand(of notifications: [SubscriptionNotification]) throws -> NotificationDemand {
        var demand = NotificationDemand()
        for notification in notifications { try add(notification, to: &demand) }
        return demand
    }

    private func add(_ notification: SubscriptionNotification, to demand: inout NotificationDemand) throws {
        guard notification.kind != .unrecognized, notification.kind != .bound else { return }
        guard let id = subscriptionID(notification.subscription) else {
            // A subscription of another server.
            demand.ignored += 1
            return
        }
        demand.hasEnded = demand.hasEnded || notification.hasEnded
        let known = id.isEmpty ? nil : try subscription(id)
        func pullTypes() {
            if let types = known?.types, !types.isEmpty { demand.types.formUnion(types) } else { demand.isWhole = true }
        }
        var isNamed = false
        for reference in notification.events.flatMap(\.references) {
            if let key = key(reference) {
                isNamed = true
                demand.add(key)
            } else {
                demand.ignored += 1
            }
        }
        switch notification.kind {
        case .ping: pullTypes()
        case .eventNotification, .queryEvent: if !isNamed, !notification.events.contains(where: { !$0.references.isEmpty }) { pullTypes() }
        default: break
        }
        guard !id.isEmpty, notification.kind != .queryEvent else { return }
        let (last, isMissing) = Self.continued(notification, after: demand.last[id] ?? known?.last)
        if let last { demand.last[id] = last }
        if isMissing {
            demand.hasMissedEvents = true
            pullTypes()
        }
    }

    /// The last event of a subscription after a notification, and whether events before it are missing.
    ///
    /// Numbers can be repeated, late or forged. None of them keeps anything from being pulled: at worst too much is.
    ///
    /// - Parameter known: the last event before; nil if there was none.
    private static func continued(_ notification: SubscriptionNotification, after known: Int64?) -> (last: Int64?, isMissing: Bool) {
        let numbers = Set(notification.events.compactMap(\.number))
        switch notification.kind {
        case .eventNotification:
            let numbers = numbers.isEmpty ? Set([notification.eventCount].compactMap { $0 }) : numbers
            guard let highest = numbers.max() else { return (known, false) }
            let last = known ?? 0
            guard highest > last - disorder else { return (highest, true) }
            guard highest > last else { return (last, false) }
            return (highest, Int64(numbers.count { $0 > last }) < highest - last)
        case .handshake, .heartbeat, .queryStatus:
            guard let count = notification.eventCount else { return (known, false) }
            return (count, count != known ?? 0)
        default: return (known, false)
        }
    }

    /// Notes the last events that were pulled.
    func noteEvents(_ last: [String: Int64]) throws {
        for (id, number) in last {
            let changed = try tx.run(
                on: Self.tables, "UPDATE _sync_subscription SET last = ? WHERE server = ? AND id = ?",
                [.integer(number), .integer(server), .text(id)])
            guard changed == 0 else { continue }
            try run(
                "INSERT INTO _sync_subscription(server, id, last, own) VALUES (?, ?, ?, 0)",
                [.integer(server), .text(id), .integer(number)])
        }
    }

    // MARK: - References

    /// The id of a subscription of this server; empty if none is named, nil if it is one of another server.
    func subscriptionID(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return "" }
        if FHIRRequest.isAddressable(text) { return text }
        guard let key = key(text), key.typeName == "Subscription" else { return nil }
        return key.id
    }

    /// The resource of this server that a reference leads to; nil for any other reference.
    func key(_ reference: String) -> SyncKey? {
        let parts = ReferenceParts(reference)
        guard let type = parts.type, let id = parts.id, parts.base == nil || parts.base == base, FHIRRequest.isAddressable(id),
            tx.store.release.hasResourceType(named: type)
        else { return nil }
        return SyncKey(typeName: type, id: id)
    }
}
