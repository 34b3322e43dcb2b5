import FireLiteR4
import FireLiteReleases
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Subscriptions at the server: created, renewed and ended.
@Suite struct SubscriptionTests {
    private static let endpoint = address("https://app.example.org/hook")

    private func server(_ release: FHIRRelease = .r4) -> ModelServer {
        let server = ModelServer(release: release)
        server.behavior.types.append("Subscription")
        return server
    }

    private func subscriptions(_ server: ModelServer) throws -> [[String: JSONValue]] {
        try server.contents.filter { $0.key.hasPrefix("Subscription/") }.sorted { $0.value < $1.value }.map { _, json in
            guard case .object(let members) = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)) else { return [:] }
            return members
        }
    }

    /// Without a topic: one for each search of the scope.
    @Test(arguments: ["DSTU2", "STU3", "R4", "R4B"]) func criteriaAreTheSearchesOfTheScope(name: String) async throws {
        let release = try #require(BundledRelease.named(name)).release
        let server = server(release)
        let device = try Device(server, scope: .search("Patient", ["gender": "female"]) + .types("Observation"), release: release)
        let created = try await device.synchronizer.subscribe(SubscriptionRequest(.websocket))
        #expect(created.map(\.typeNames) == [["Patient"], ["Observation"]] && created.allSatisfy(\.isOwn))
        let sent = try subscriptions(server)
        #expect(sent.compactMap { $0["criteria"]?.text }.sorted() == ["Observation?", "Patient?gender=female"])
        for subscription in sent {
            #expect(subscription["status"] == "requested" && subscription["end"]?.text?.hasPrefix("2023-11-21T") == true)
            guard case .object(let channel)? = subscription["channel"] else {
                Issue.record("no channel")
                continue
            }
            #expect(channel["type"] == "websocket" && (channel["payload"] != nil) == (name == "DSTU2"))
        }
        #expect(try await device.synchronizer.subscriptions() == created)
    }

    /// R4 with a topic, as the backport says.
    @Test func topicsAreBackportedToR4() async throws {
        let server = server()
        let device = try Device(server)
        var request = SubscriptionRequest(
            .restHook(endpoint: Self.endpoint, fields: ["Authorization: Bearer x"]), topic: "http://example.org/topic")
        request.filters = ["Observation?patient=Patient/1"]
        request.heartbeat = .seconds(60)
        let created = try await device.synchronizer.subscribe(request)
        #expect(created.map(\.typeNames) == [["Observation", "Patient"]] && created.first?.topic == "http://example.org/topic")
        let json = try #require(server.contents.first { $0.key.hasPrefix("Subscription/") }?.value)
        for part in [
            #""criteria":"http://example.org/topic""#, #"backport-payload-content","valueCode":"id-only""#,
            #"backport-filter-criteria","valueString":"Observation?patient=Patient/1""#,
            #"backport-heartbeat-period","valueUnsignedInt":60"#, #""endpoint":"https://app.example.org/hook""#,
            #""header":["Authorization: Bearer x"]"#,
        ] { #expect(json.contains(part), "\(part)") }
    }

    @Test func r5WantsATopic() async throws {
        let release = try #require(BundledRelease.named("R5")).release
        let server = server(release)
        let device = try Device(server, release: release)
        let error = await #expect(throws: SyncError.self) { try await device.synchronizer.subscribe(SubscriptionRequest(.websocket)) }
        #expect(error?.code == .invalidArgument && server.writes.isEmpty)
        var request = SubscriptionRequest(.restHook(endpoint: Self.endpoint, fields: ["X-Key: 1"]), topic: "http://example.org/topic")
        request.filters = ["Observation?patient=Patient/1&code:in=x"]
        try await device.synchronizer.subscribe(request)
        let sent = try #require(try subscriptions(server).first)
        #expect(
            sent["topic"] == "http://example.org/topic" && sent["content"] == "id-only"
                && sent["endpoint"] == "https://app.example.org/hook")
        #expect(sent["filterBy"] != nil && sent["parameter"] == [["name": "X-Key", "value": "1"]])
    }

    @Test func aServerThatDoesNotOfferItIsNotAsked() async throws {
        let server = ModelServer()
        let device = try Device(server)
        let error = await #expect(throws: SyncError.self) { try await device.synchronizer.subscribe(SubscriptionRequest(.websocket)) }
        #expect(error?.code == .notOffered && error?.message.contains("CapabilityStatement") == true && server.writes.isEmpty)
    }

    @Test func aRestHookIsPrivate() async throws {
        let device = try Device(server())
        let hook = SubscriptionRequest.Channel.restHook(endpoint: address("http://app.example.org/hook"))
        let error = await #expect(throws: SyncError.self) { try await device.synchronizer.subscribe(SubscriptionRequest(hook)) }
        #expect(error?.code == .invalidArgument)
    }

    /// A ping of a subscription that is known pulls its types only.
    @Test func aPingPullsTheSubscriptionsTypes() async throws {
        let server = server()
        server.put(samplePatient("a"))
        server.put(sampleObservation("x", of: "a"))
        let device = try Device(server)
        let created = try await device.synchronizer.subscribe(SubscriptionRequest(.websocket))
        try await device.sync(.pull)
        let observations = try #require(created.first { $0.typeNames == ["Observation"] })
        server.put(samplePatient("b"))
        server.put(sampleObservation("y", of: "a"))
        server.clear()
        let pulled = try await device.synchronizer.pull(notifiedBy: SubscriptionNotification(text: "ping \(observations.id)"))
        #expect(pulled.result.pulled == 1 && !server.requests.contains { $0.url.path.contains("Patient") })
    }

    @Test func subscriptionsAreRenewedAndEnded() async throws {
        let server = server()
        let device = try Device(server, scope: .types("Patient"))
        let created = try #require(try await device.synchronizer.subscribe(SubscriptionRequest(.websocket)).first)
        device.clock.advance(600_000)
        let renewed = try await device.synchronizer.renew(created, lifetime: .seconds(86_400))
        #expect(renewed.end == device.clock.now.addingTimeInterval(86_400))
        #expect(try subscriptions(server).first?["end"]?.text?.hasPrefix("2023-11-22T") == true)
        #expect(try await device.synchronizer.subscriptions() == [renewed])
        try await device.synchronizer.unsubscribe(renewed)
        #expect(try subscriptions(server).isEmpty)
        #expect(try await device.synchronizer.subscriptions().isEmpty)
        // Once more is no error, and renewing says that it is gone.
        try await device.synchronizer.unsubscribe(renewed)
        let error = await #expect(throws: FHIRClientError.self) { try await device.synchronizer.renew(renewed) }
        #expect(error?.saysAbsent == true)
    }

    /// What the server does not confirm does not count.
    @Test func aPortalsPageCreatesNoSubscription() async throws {
        let server = server()
        let device = try Device(server)
        server.behavior.before = { request, _ in
            request.method == .post ? HTTPResponse(200, fields: ["Content-Type": "text/html"], body: Data("<html>".utf8)) : nil
        }
        await #expect(throws: FHIRClientError.self) { try await device.synchronizer.subscribe(SubscriptionRequest(.websocket)) }
        #expect(try await device.synchronizer.subscriptions().isEmpty)
    }
}
