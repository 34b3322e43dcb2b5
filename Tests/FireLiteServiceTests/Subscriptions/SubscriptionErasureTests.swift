import FireLiteClient
import FireLiteCore
import FireLiteErasure
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteService

/// What subscriptions keep of a person goes with the person.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionErasureTests {
    private static let person = "zyxomma-1"

    private func files(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
            try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).range(of: Data("zyxomma".utf8)) != nil
        }
    }

    @Test func eventsAndSubscriptionsOfAPersonAreErased() async throws {
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: try #require(BundledRelease.named("R5")).release)
        try await store.track(.history)
        let hook = HookSample()
        let scopes = SMARTScope.list("patient/*.rs user/Subscription.cruds")
        let authorizer = try BearerTokens([
            "token-of-all----": ServiceAccess(subject: "all"),
            "token-of-person-": ServiceAccess(subject: "app", scopes: scopes, patient: Self.person),
        ])
        var configuration = FHIRService.Configuration()
        SubscriptionSample.set(&configuration, hook)
        configuration.authorizer = authorizer
        configuration.hookRetries = .never
        func put(_ service: FHIRService, _ who: String, _ path: String, _ body: String, _ method: HTTPMethod = .put) async -> Int {
            await service.respond(
                to: ServiceRequest(
                    method, "/fhir/" + path,
                    fields: ["Content-Type": "application/fhir+json", "Authorization": "Bearer token-of-\(who)"], body: Data(body.utf8))
            ).status
        }
        let service = try FHIRService(store: store, configuration: configuration)
        let json = SubscriptionSample.json("R5", content: "full-resource")
        #expect(await put(service, "all----", "Subscription/s", json) == 201)
        #expect(await put(service, "person-", "Subscription/t", SubscriptionSample.json("R5", id: "t", hook: nil)) == 201)
        await hook.wait { notifications, _ in notifications.count == 1 }
        await hook.answer { _ in .broken }
        // Events of the person come first, in the middle, and from a resource that is deleted.
        for (id, patient) in [("zyxomma-a", Self.person), ("b", "p2"), ("zyxomma-c", Self.person), ("d", "p2"), ("zyxomma-e", Self.person)]
        {
            #expect(await put(service, "all----", "Observation/\(id)", SubscriptionSample.observation(id, of: patient)) == 201)
        }
        let release = store.release
        try await store.write { tx in
            _ = try tx.upsert(FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","id":"\#(Self.person)"}"#.utf8), release: release))
            try tx.delete(typeName: "Observation", id: "zyxomma-e")
        }
        // What is committed is recorded before a subscription is written.
        #expect(await put(service, "all----", "Subscription/none", "", .delete) == 204)
        await service.stop()
        func column(_ sql: String) throws -> [String] { try store.sql(sql).compactMap { $0[0].text } }
        #expect(try column("SELECT id FROM _subscription_event WHERE subscription = 's'").filter { $0.hasPrefix("zyxomma") }.count >= 3)
        #expect(try column("SELECT id FROM _subscription_event WHERE subscription = 't'").isEmpty == false)

        try await store.erase(id: Self.person)
        #expect(try column("SELECT id FROM _subscription") == ["s"])
        #expect(try column("SELECT id FROM _subscription_event ORDER BY event") == ["b", "d"])
        #expect(try files(folder) == [])
        // The others' events follow, and the hook is not taken for one that is too far behind.
        await hook.answer { _ in .status(200) }
        let next = try FHIRService(store: store, configuration: configuration)
        #expect(await put(next, "all----", "Subscription/s", json) == 200)
        #expect(await put(next, "all----", "Observation/f", SubscriptionSample.observation("f", of: "p2")) == 201)
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 3 }
        #expect(await hook.events.map(\.focus) == ["Observation/b", "Observation/d", "Observation/f"])
        await next.stop()
    }

    /// An event whose change was erased after the event was found, and before it was recorded, is not recorded.
    @Test func whatIsErasedMeanwhileIsNoEvent() async throws {
        let store = try FHIRStore(path: ":memory:", release: try #require(BundledRelease.named("R5")).release)
        try await store.track(.history)
        let release = store.release
        try await store.write { tx in
            _ = try tx.upsert(FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","id":"kept"}"#.utf8), release: release))
        }
        func rows(_ sql: String) throws -> [[SQLValue]] { try store.sql(sql).map(\.values) }
        let change = try #require(try rows("SELECT max(seq) FROM _change").first?[0].integer)
        func match(_ id: String, _ sequence: Int64) -> SubscriptionTable.Match {
            let event = StoreEvent(sequence: sequence, kind: .create, type: "Patient", id: id, version: 1, time: 0, before: nil, after: nil)
            return SubscriptionTable.Match(subscription: "s", generation: 1, event: event, id: id)
        }
        let matches = [match("erased", change + 1), match("kept", change)]
        try await store.write { tx in
            try SubscriptionTable.note("s", ServiceAccess(subject: "all"), goesOn: false, tx)
            let isAppended = try SubscriptionTable.append(matches, movingFrom: nil, to: change + 1, limit: 10, tx)
            #expect(isAppended)
        }
        let events = try rows("SELECT event, id FROM _subscription_event").map { "\($0[0].integer ?? 0) \($0[1].text ?? "")" }
        #expect(events == ["1 kept"])
    }
}
