import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// The examples of the pages on notifications and on what is missing, with a server in memory.
@Suite struct FollowingExamples {
    private let server = ModelServer()

    init() { server.behavior.types += ["Subscription", "Practitioner", "Organization"] }

    private func client() throws -> FHIRClient { try FHIRClient(base: testBase, release: .r4, transport: server) }

    @Test func following() async throws {
        let synchronizer = Synchronizer(try FHIRStore.inMemory(release: .r4), try client(), scope: .types("Patient", "Observation"))
        server.put(samplePatient("1"))
        // example FollowingAServer.md
        let notification = SubscriptionNotification(text: "ping 17")
        let pulled = try await synchronizer.pull(notifiedBy: notification)
        print(pulled.extent, pulled.result.pulled, pulled.hasMissedEvents)
        // end
        #expect(pulled.result.pulled == 1)
        let received = Data(#"{"resourceType":"Patient","id":"1"}"#.utf8)
        // example FollowingAServer.md
        let body = SubscriptionNotification(body: received, contentType: "application/fhir+json")
        if try await synchronizer.pull(notifiedBy: body).subscriptionHasEnded { print("renew it, or create another") }
        // end
        #expect(body.kind == .resource)
        // example FollowingAServer.md
        let (notifications, channel) = AsyncStream.makeStream(of: SubscriptionNotification.self)
        let following = _Concurrency.Task {
            try await synchronizer.follow(notifications) { event in
                if case .pulled(let pull) = event { print(pull.result.pulled) }
            }
        }
        channel.yield(SubscriptionNotification(text: "ping 17"))
        channel.finish()
        try await following.value
        // end
        // example FollowingAServer.md
        var request = SubscriptionRequest(.websocket)
        request.lifetime = .seconds(86_400)
        for subscription in try await synchronizer.subscribe(request) {
            print("bind \(subscription.id)", subscription.typeNames)
        }
        // end
        #expect(server.contents.keys.count { $0.hasPrefix("Subscription/") } == 2)
        // example FollowingAServer.md
        for subscription in try await synchronizer.subscriptions() where subscription.isOwn {
            let renewed = try await synchronizer.renew(subscription)
            try await synchronizer.unsubscribe(renewed)
        }
        // end
        #expect(server.contents.keys.sorted() == ["Patient/1"])
    }

    @Test func fetching() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let client = try client()
        let observation = sampleObservation("x", of: "1")
        observation.performer = [Reference { $0.reference = "Practitioner/7" }]
        server.put(observation)
        server.put(Practitioner { $0.id = "7" })
        // example FetchingWhatIsMissing.md
        var configuration = Synchronizer.Configuration()
        configuration.prefetch = Prefetch(depth: 1, types: ["Practitioner", "Organization"])
        let synchronizer = Synchronizer(store, client, scope: .types("Observation"), configuration: configuration)
        let result = try await synchronizer.pull()
        print(result.prefetched, result.leftToPrefetch)
        for missing in result.missingReferences { print(missing.typeName, missing.id, missing.reason) }
        // end
        #expect(result.prefetched == 1)
        // example FetchingWhatIsMissing.md
        let answer = try await synchronizer.search("Observation?code=http://loinc.org|29463-7&patient=Patient/1", .storeThenServer)
        print(answer.matches.count, answer.source, answer.isComplete)
        if let failure = answer.failure { print("the server has not answered: \(failure)") }
        // end
        #expect(answer.source == .server)
    }
}
