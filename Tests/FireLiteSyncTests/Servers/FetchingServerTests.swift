import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Notifications, references and searches with sekmet, a FHIR server by others.
@Suite(.serialized, .ownThread, .enabled(if: LocalServers.fhir != nil, Comment(rawValue: LocalServers.hint)))
struct FetchingServerTests {
    private let client: FHIRClient
    /// What the ids of this run begin with.
    private let prefix = "fetch-\(UUID().uuidString.prefix(8).lowercased())-"

    init() throws { client = try FHIRClient(base: try #require(LocalServers.fhir), release: .r4) }

    private func synchronizer(_ store: FHIRStore, _ scope: SyncScope, _ prefetch: Prefetch? = nil) -> Synchronizer {
        var configuration = Synchronizer.Configuration()
        configuration.prefetch = prefetch
        return Synchronizer(store, client, scope: scope, configuration: configuration)
    }

    private func organization(_ id: String, partOf parent: String? = nil, _ name: String = "Ward") -> Organization {
        Organization {
            $0.id = prefix + id
            $0.name = name
            $0.partOf = parent.map { parent in Reference { $0.reference = "Organization/\(prefix)\(parent)" } }
        }
    }

    @Test func referencesAreFollowed() async throws {
        try await client.update(organization("top"))
        try await client.update(organization("middle", partOf: "top"))
        for number in 0..<60 {
            try await client.update(organization("ward\(number)", partOf: "middle"))
            try await client.update(
                HealthcareService {
                    $0.id = prefix + "service\(number)"
                    $0.name = "Service"
                    $0.providedBy = Reference { $0.reference = "\(client.base.absoluteString)/Organization/\(prefix)ward\(number)" }
                })
        }
        let store = try FHIRStore.inMemory(release: .r4)
        let synchronizer = synchronizer(
            store, .types("HealthcareService"), Prefetch(depth: 2, types: ["Organization"]))
        let result = try await synchronizer.pull()
        #expect(result.prefetched >= 61 && result.leftToPrefetch == 0)
        let (ward, middle, top) = try store.blocking { store in
            let ids = ["ward59", "middle", "top"].map { prefix + $0 }
            return (
                try store.resource(Organization.self, id: ids[0]) != nil, try store.resource(Organization.self, id: ids[1]) != nil,
                try store.resource(Organization.self, id: ids[2]) != nil
            )
        }
        #expect(ward && middle && !top)
        // What was read so stays up to date, with deletions.
        try await client.update(organization("ward1", partOf: "middle", "Changed"))
        try await client.delete(Organization.self, id: prefix + "ward2")
        let later = try await synchronizer.pull()
        #expect(later.pulled == 1 && later.pulledDeletions == 1)
        let (name, deleted) = try store.blocking { store in
            (
                try store.resource(Organization.self, id: prefix + "ward1")?.name,
                try store.resource(Organization.self, id: prefix + "ward2") == nil
            )
        }
        #expect(name == "Changed" && deleted)
    }

    @Test func searchesFallBackToTheServer() async throws {
        for number in 0..<3 { try await client.update(organization("search\(number)", partOf: nil, "\(prefix)name")) }
        let store = try FHIRStore.inMemory(release: .r4)
        let synchronizer = synchronizer(store, .nothing)
        let found = try await synchronizer.search("Organization?name=\(prefix)name&_sort=_id")
        #expect(found.source == .server && found.isComplete && found.matches.map(\.id) == (0..<3).map { "\(prefix)search\($0)" })
        let again = try await synchronizer.search("Organization?name=\(prefix)name", .store)
        #expect(again.source == .store && again.matches.count == 3)
        // Every parameter that sekmet does not know is missing in its self link.
        let error = await #expect(throws: (any Error).self) {
            try await synchronizer.search("Organization?name=\(prefix)name&special=1", .server)
        }
        #expect((error as? SyncError)?.code == .ignoredParameters || (error as? FHIRClientError)?.code == .rejected)
    }

    @Test func notificationsPullWhatTheyName() async throws {
        try await client.update(organization("noted"))
        let store = try FHIRStore.inMemory(release: .r4)
        let synchronizer = synchronizer(store, .types("Organization"))
        try await synchronizer.pull()
        try await client.update(organization("noted", partOf: nil, "Changed"))
        let text = #"{"resourceType":"Organization","id":"\#(prefix)noted"}"#
        let pulled = try await synchronizer.pull(notifiedBy: SubscriptionNotification(body: Data(text.utf8)))
        #expect(pulled.extent == .resources && pulled.result.pulled == 1)
        try await client.delete(Organization.self, id: prefix + "noted")
        let deleted = try await synchronizer.pull(notifiedBy: SubscriptionNotification(body: Data(text.utf8)))
        #expect(deleted.result.pulledDeletions == 1)
        #expect(try store.blocking { try $0.resource(Organization.self, id: prefix + "noted") == nil })
    }

    @Test func subscriptionsComeAndGo() async throws {
        let synchronizer = synchronizer(try FHIRStore.inMemory(release: .r4), .types("Organization"))
        let created = try await synchronizer.subscribe(SubscriptionRequest(.websocket))
        let subscription = try #require(created.first)
        #expect(try await client.read(Subscription.self, id: subscription.id).criteria == "Organization?")
        let renewed = try await synchronizer.renew(subscription, lifetime: .seconds(60))
        #expect(renewed.end ?? .distantFuture < subscription.end ?? .distantPast)
        try await synchronizer.unsubscribe(renewed)
        let error = await #expect(throws: FHIRClientError.self) { try await client.read(Subscription.self, id: subscription.id) }
        #expect(error?.saysAbsent == true)
    }
}
