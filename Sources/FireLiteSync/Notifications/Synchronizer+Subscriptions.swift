import FireLite
import FireLiteCore
import Foundation

extension Synchronizer {
    /// Asks the server for notifications about the resources of the scope.
    ///
    /// Without a topic there is a Subscription for each search of the scope, whose criteria are that search; with one there is one
    /// Subscription. Each expires after ``SubscriptionRequest/lifetime``, also one whose answer was lost.
    ///
    /// - Parameter request: how the server notifies.
    /// - Returns: the subscriptions.
    /// - Throws: `SyncError.notOffered` if the server's CapabilityStatement does not offer to create Subscriptions; `SyncError.invalidArgument` without a topic
    ///   if the release wants one; `FHIRClientError`; `AuthorizationError`; `FHIRStoreError`.
    @discardableResult
    public func subscribe(_ request: SubscriptionRequest) async throws -> [ServerSubscription] {
        try checkRelease()
        var run = SyncRun(self, nil)
        try await requireSubscriptions(&run)
        let searches = try await run.searches()
        let types = Array(Set(request.types ?? searches.map(\.typeName))).sorted()
        guard !types.isEmpty else {
            throw SyncError(.invalidArgument, "a subscription is about no type: give the synchronizer a scope, or the request types")
        }
        let end = client.configuration.clock.now().addingTimeInterval(request.lifetime / .seconds(1))
        var wanted: [(criteria: String, types: [String])] = [("", types)]
        if request.topic == nil { wanted = Self.criteria(searches.filter { types.contains($0.typeName) }, types) }
        var subscriptions: [ServerSubscription] = []
        for (criteria, types) in wanted {
            let json = try SubscriptionText(
                request, release: store.release, criteria: criteria, end: end, configuration: client.configuration
            ).json
            let text = FHIRRequest(.post, "Subscription", fields: FHIRRequest.contentFields(client.release), body: json)
            let receipt = try await client.confirmed(text)
            guard let id = receipt.id else {
                throw FHIRClientError(.invalidResponse, "\(text): the server does not say which id the Subscription has")
            }
            let subscription = ServerSubscription(
                id: id, typeNames: types, topic: request.topic, end: end, lastEvent: nil, isOwn: true)
            try await journal { try $0.keep(subscription) }
            subscriptions.append(subscription)
        }
        return subscriptions
    }

    /// Extends a subscription, and reactivates it if the server has ended it.
    ///
    /// - Parameters:
    ///   - subscription: the subscription.
    ///   - lifetime: how long it lasts from now on.
    /// - Returns: the subscription with its new end.
    /// - Throws: `FHIRClientError`, with `FHIRClientError.saysAbsent` if the server has removed it: then create another; `AuthorizationError`;
    ///   `FHIRStoreError`.
    @discardableResult
    public func renew(
        _ subscription: ServerSubscription, lifetime: Duration = .seconds(604_800)
    ) async throws -> ServerSubscription {
        let end = client.configuration.clock.now().addingTimeInterval(lifetime / .seconds(1))
        let response = try await client.send(try .read("Subscription", id: subscription.id))
        let key = SyncKey(typeName: "Subscription", id: subscription.id)
        guard let resource = try client.state(response, key).resource else { return subscription }
        let milliseconds = ServerTime.milliseconds(end) ?? 0
        if let slot = resource.layout.element(named: "end")?.slot {
            resource._setInstant(slot, FHIRInstant(ServerTime.instant(milliseconds)))
        }
        if resource.text("status") != "active", let slot = resource.layout.element(named: "status")?.slot {
            resource._setString(slot, "requested")
        }
        _ = try await client.confirmed(try .update(resource, ifMatch: resource.child("meta")?.text("versionId")))
        let renewed = ServerSubscription(
            id: subscription.id, typeNames: subscription.typeNames, topic: subscription.topic, end: end, lastEvent: subscription.lastEvent,
            isOwn: subscription.isOwn)
        try await journal { try $0.keep(renewed) }
        return renewed
    }

    /// Ends a subscription. It is not an error if the server has already removed it.
    ///
    /// - Throws: `FHIRClientError`; `AuthorizationError`; `FHIRStoreError`.
    public func unsubscribe(_ subscription: ServerSubscription) async throws {
        do {
            _ = try await client.confirmed(.delete("Subscription", id: subscription.id))
        } catch let error as FHIRClientError where error.saysAbsent {}
        try await journal { try $0.removeSubscription(subscription.id) }
    }

    /// The subscriptions that the store knows: those that it created, and others whose events arrived.
    ///
    /// - Throws: `FHIRStoreError`.
    public func subscriptions() async throws -> [ServerSubscription] { try await journal { try $0.subscriptions() } }

    private func requireSubscriptions(_ run: inout SyncRun) async throws {
        let interactions = try await run.abilities().subscriptionInteractions
        guard interactions?.contains("create") ?? false else {
            throw SyncError(
                .notOffered,
                "the server's CapabilityStatement does not offer to create Subscriptions: pull periodically, or let its operator set one up"
            )
        }
    }

    /// The criteria of R4's Subscriptions for searches: one each, and compartments as whole types, as criteria are searches of a type.
    private static func criteria(_ searches: [SyncRun.Search], _ types: [String]) -> [(criteria: String, types: [String])] {
        var criteria: [(criteria: String, types: [String])] = []
        for search in searches where search.path == search.typeName {
            criteria.append(("\(search.typeName)?\(search.parameters.query)", [search.typeName]))
        }
        for type in types where !criteria.contains(where: { $0.types == [type] }) { criteria.append(("\(type)?", [type])) }
        return criteria
    }
}

extension SyncJournal {
    func keep(_ subscription: ServerSubscription) throws {
        let values: [SQLValue] = [
            .text(subscription.typeNames.joined(separator: " ")), .optional(subscription.topic),
            subscription.end.flatMap { ServerTime.milliseconds($0) }.map { .integer($0) } ?? .null, .integer(subscription.isOwn ? 1 : 0),
            .integer(server), .text(subscription.id),
        ]
        let changed = try tx.run(
            on: Self.tables, "UPDATE _sync_subscription SET types = ?, topic = ?, until = ?, own = ? WHERE server = ? AND id = ?", values)
        guard changed == 0 else { return }
        try run("INSERT INTO _sync_subscription(types, topic, until, own, server, id) VALUES (?, ?, ?, ?, ?, ?)", values)
    }

    func removeSubscription(_ id: String) throws {
        try run("DELETE FROM _sync_subscription WHERE server = ? AND id = ?", [.integer(server), .text(id)])
    }

    func subscriptions() throws -> [ServerSubscription] {
        try rows(
            "SELECT id, types, topic, until, last, own FROM _sync_subscription WHERE server = ? ORDER BY subscription", [.integer(server)]
        ).map { row in
            ServerSubscription(
                id: row[0].text ?? "", typeNames: row[1].text?.split(separator: " ").map(String.init) ?? [], topic: row[2].text,
                end: row[3].integer.map { Date(timeIntervalSince1970: Double($0) / 1_000) }, lastEvent: row[4].integer,
                isOwn: row[5].integer == 1)
        }
    }
}
