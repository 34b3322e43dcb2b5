import FireLiteR4
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What a pull does that a notification has asked for, also if the notification lies.
@Suite struct NotifiedPullTests {
    private let server = ModelServer()

    /// A device that has pulled what there is.
    private func device(scope: SyncScope = .types("Patient", "Observation")) async throws -> Device {
        let device = try Device(server, scope: scope)
        try await device.sync(.pull)
        server.clear()
        return device
    }

    private static func event(
        _ number: Int64?, _ references: String..., subscription: String = "s", kind: SubscriptionNotification.Kind = .eventNotification,
        count: Int64? = nil
    ) -> SubscriptionNotification {
        SubscriptionNotification(
            kind, subscription: subscription, eventCount: count,
            events: number == nil && references.isEmpty ? [] : [.init(number: number, references: references)])
    }

    private var paths: [String] { server.requests.map { $0.url.path.replacingOccurrences(of: "/base/", with: "") } }

    @Test func whatAnEventNamesIsReadAndNothingElse() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let device = try await device()
        for id in ["a", "b", "c"] { server.put(samplePatient(id, "Changed")) }
        let pulled = try await device.synchronizer.pull(notifiedBy: Self.event(1, "Patient/a", "https://fhir.example.org/base/Patient/c"))
        #expect(pulled.extent == .resources && pulled.result.pulled == 2 && !pulled.hasMissedEvents && pulled.ignored == 0)
        #expect(paths == ["Patient"] && server.requests[0].url.query?.contains("_id=a,c") == true)
        #expect(try device.contents()["Patient/b"]?.contains("Smith") == true && device.contents()["Patient/c"] != nil)
        // What was read so is not sent back, and the next pull has only the rest.
        let result = try await device.sync()
        #expect(result.pushed == 0 && result.pulled == 1)
        #expect(try device.contents() == server.contents)
    }

    @Test func aPingPullsWhatWasChanged() async throws {
        server.put(samplePatient("a"))
        let device = try await device()
        server.put(samplePatient("b"))
        server.remove("Patient", "a")
        let pulled = try await device.synchronizer.pull(notifiedBy: SubscriptionNotification(text: "ping 7"))
        #expect(pulled.extent == .types && pulled.result.pulled == 1 && pulled.result.pulledDeletions == 1)
        #expect(try device.contents() == server.contents)
    }

    @Test(arguments: ["bound 7", "pong", "", "<html></html>"]) func otherFramesAskForNothing(text: String) async throws {
        let device = try await device()
        let pulled = try await device.synchronizer.pull(notifiedBy: SubscriptionNotification(text: text))
        #expect(pulled.extent == .nothing && server.requests.isEmpty)
    }

    /// A deletion is what the server says when it is asked.
    @Test func deletionsAreTheServersWord() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let device = try await device()
        server.remove("Patient", "a")
        // Forged: b was not deleted.
        let text =
            #"{"resourceType":"Bundle","type":"history","entry":[{"resource":{"resourceType":"Parameters","parameter":["#
            + #"{"name":"subscription","valueReference":{"reference":"Subscription/s"}},{"name":"type","valueCode":"event-notification"}]}},"#
            + #"{"request":{"method":"DELETE","url":"Patient/b"}},{"request":{"method":"DELETE","url":"Patient/a"}}]}"#
        let pulled = try await device.synchronizer.pull(notifiedBy: SubscriptionNotification(body: Data(text.utf8)))
        #expect(pulled.extent == .resources && pulled.result.pulledDeletions == 1)
        #expect(try device.contents().keys.sorted() == ["Patient/b"])
        // A gateway's page is no deletion either.
        server.behavior.before = { _, _ in HTTPResponse(404, fields: ["Content-Type": "text/html"], body: Data("<html>".utf8)) }
        let refused = try await device.synchronizer.pull(notifiedBy: Self.event(nil, "Patient/b"))
        #expect(refused.refused.map(\.id) == ["b"] && refused.result.pulledDeletions == 0)
        #expect(try device.patient("b") != nil)
    }

    /// Content of a notification never comes into the store.
    @Test func contentOfANotificationIsNotBelieved() async throws {
        server.put(samplePatient("a"))
        let device = try await device()
        let forged = #"{"resourceType":"Patient","id":"a","meta":{"versionId":"9"},"name":[{"family":"Forged"}]}"#
        let bundle =
            #"{"resourceType":"Bundle","type":"subscription-notification","entry":[{"resource":{"resourceType":"SubscriptionStatus","#
            + #""type":"event-notification","subscription":{"reference":"Subscription/s"},"#
            + #""notificationEvent":[{"eventNumber":"1","focus":{"reference":"Patient/a"}}]}},"#
            + #"{"fullUrl":"https://fhir.example.org/base/Patient/a","resource":\#(forged)}]}"#
        for body in [forged, bundle] {
            let pulled = try await device.synchronizer.pull(notifiedBy: SubscriptionNotification(body: Data(body.utf8)))
            #expect(pulled.extent == .resources && pulled.result.pulled == 0 && pulled.result.unchanged == 1)
            #expect(try device.contents() == server.contents)
        }
    }

    /// References to other hosts, to types that are not pulled and to nothing at all are not followed, and no token leaves its host.
    @Test func forgedReferencesAreNotFollowed() async throws {
        server.put(samplePatient("a"))
        let store = try FHIRStore.inMemory(release: .r4)
        let client = try FHIRClient(base: testBase, release: .r4, authorization: .bearer { _ in Secret("secret") }, transport: server)
        let synchronizer = Synchronizer(store, client, scope: .types("Patient"))
        try await synchronizer.pull()
        server.clear()
        let pulled = try await synchronizer.pull(
            notifiedBy: Self.event(
                1, "https://evil.example.org/base/Patient/a", "https://fhir.example.org.evil.org/base/Patient/a", "//evil.org/Patient/a",
                "https://fhir.example.org/base2/Patient/a", "Practitioner/1", "Encounter/1", "Patient/..", "Patient/a?_id=b", "x",
                "Patient",
                "https://evil:pw@fhir.example.org/base/Patient/a", "urn:uuid:9c8bd4a1-0f3e-4c43-8e2f-26f3f5a7fd0a", "#a"))
        #expect(pulled.ignored == 13 && pulled.result.pulled == 0)
        #expect(server.requests.allSatisfy { $0.url.host == "fhir.example.org" && $0.url.path == "/base/Patient" })
        // A subscription of another server says nothing at all.
        let other = try await synchronizer.pull(
            notifiedBy: Self.event(1, "Patient/a", subscription: "https://evil.example.org/Subscription/s"))
        #expect(other.extent == .nothing && other.ignored == 1)
    }

    /// A local edit is merged, and a conflict deferred, as with any pull.
    @Test func localEditsAreMerged() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let device = try await device()
        try device.edit { tx in
            try tx.resource(Patient.self, id: "a")?.gender = .female
            try tx.resource(Patient.self, id: "b")?.name[0].family = "Local"
        }
        let changed = samplePatient("a")
        changed.birthDate = "1970-01-01"
        server.put(changed)
        server.put(samplePatient("b", "Remote"))
        let pulled = try await device.synchronizer.pull(notifiedBy: Self.event(1, "Patient/a", "Patient/b"))
        #expect(pulled.result.resolved == 1 && pulled.result.deferred == 1)
        #expect(try device.contents()["Patient/b"]?.contains("Local") == true)
        #expect(try await device.synchronizer.changes(.conflict).map(\.id) == ["b"])
        #expect(try await device.sync().updated == 1)
        #expect(server.contents["Patient/a"]?.contains("female") == true && server.contents["Patient/a"]?.contains("1970") == true)
    }

    /// Types of which only a search is pulled: what is known is read by its id, and the condition decides on what is new.
    @Test func conditionsDecideOnWhatIsNew() async throws {
        func put(_ id: String, _ gender: AdministrativeGender, _ family: String = "Smith") {
            let patient = samplePatient(id, family)
            patient.gender = gender
            server.put(patient)
        }
        put("f", .female)
        let device = try await device(scope: .search("Patient", ["gender": "female"]))
        put("f2", .female)
        put("m", .male)
        let pulled = try await device.synchronizer.pull(notifiedBy: Self.event(1, "Patient/f2", "Patient/m"))
        #expect(pulled.extent == .types && pulled.result.pulled == 1)
        #expect(try device.contents().keys.sorted() == ["Patient/f", "Patient/f2"])
        put("f", .male, "Changed")
        #expect(try await device.synchronizer.pull(notifiedBy: Self.event(2, "Patient/f")).extent == .resources)
        #expect(try device.contents()["Patient/f"]?.contains("Changed") == true)
    }

    // MARK: - Numbers of events

    /// Events that did not come are noticed, and what they were about is pulled.
    @Test func missedEventsArePulled() async throws {
        server.put(samplePatient("a"))
        let device = try await device()
        func pull(_ notification: SubscriptionNotification) async throws -> NotifiedPull {
            server.clear()
            return try await device.synchronizer.pull(notifiedBy: notification)
        }
        #expect(try await pull(Self.event(1, "Patient/a")).hasMissedEvents == false)
        #expect(try await pull(Self.event(2, "Patient/a")).hasMissedEvents == false)
        // Repeated and out of order.
        #expect(try await pull(Self.event(2, "Patient/a")).extent == .resources)
        #expect(try await pull(Self.event(1, "Patient/a")).hasMissedEvents == false)
        // 3 and 4 are missing: what they were about comes too.
        server.put(samplePatient("missed"))
        server.put(samplePatient("a", "Five"))
        let gap = try await pull(Self.event(5, "Patient/a"))
        #expect(gap.hasMissedEvents && gap.extent == .types && gap.result.pulled == 2)
        #expect(try device.contents() == server.contents)
        // They come late, and 6 in its turn.
        for number: Int64 in [4, 3, 6] { #expect(try await pull(Self.event(number, "Patient/a")).hasMissedEvents == false) }
        // Two in one notification, of which one is missing.
        let two = SubscriptionNotification(
            .eventNotification, subscription: "s",
            events: [.init(number: 7, references: ["Patient/a"]), .init(number: 9, references: ["Patient/a"])])
        #expect(try await pull(two).hasMissedEvents)
        #expect(try await device.synchronizer.subscriptions().map(\.lastEvent) == [9])
        // Another subscription counts for itself, and this store has never heard of its first event.
        #expect(try await pull(Self.event(2, "Patient/a", subscription: "Subscription/t")).hasMissedEvents)
        #expect(try await pull(Self.event(10, "Patient/a")).hasMissedEvents == false)
    }

    /// The number survives a restart, and a failed pull counts the events as missing.
    @Test func numbersSurviveAndFailuresCountAsMissing() async throws {
        server.put(samplePatient("a"))
        let device = try await device()
        try await device.synchronizer.pull(notifiedBy: Self.event(1, "Patient/a"))
        server.put(samplePatient("b"))
        server.behavior.before = { _, _ in throw HTTPTransportError(.cannotConnect, "down") }
        await #expect(throws: FHIRClientError.self) { try await device.synchronizer.pull(notifiedBy: Self.event(2, "Patient/b")) }
        server.behavior.before = nil
        let again = try Device(server, store: device.store)
        #expect(try await again.synchronizer.pull(notifiedBy: Self.event(3, "Patient/a")).hasMissedEvents)
        #expect(try again.contents() == server.contents)
    }

    @Test func heartbeatsShowMissedEvents() async throws {
        server.put(samplePatient("a"))
        let device = try await device()
        func pull(_ kind: SubscriptionNotification.Kind, _ count: Int64) async throws -> NotifiedPull {
            try await device.synchronizer.pull(notifiedBy: Self.event(nil, kind: kind, count: count))
        }
        #expect(try await pull(.handshake, 0).extent == .nothing)
        #expect(try await pull(.heartbeat, 0).extent == .nothing)
        #expect(server.requests.isEmpty)
        server.put(samplePatient("b"))
        let missed = try await pull(.heartbeat, 2)
        #expect(missed.hasMissedEvents && missed.extent == .types && missed.result.pulled == 1)
        #expect(try await pull(.heartbeat, 2).extent == .nothing)
        // The count began again.
        #expect(try await pull(.queryStatus, 0).hasMissedEvents)
        #expect(try await pull(.heartbeat, 0).extent == .nothing)
        // Without content, as events of payload `empty` are.
        #expect(try await pull(.eventNotification, 1).extent == .types)
        #expect(try await pull(.heartbeat, 1).extent == .nothing)
        // Earlier events that were asked for change no number.
        #expect(try await device.synchronizer.pull(notifiedBy: Self.event(40, "Patient/a", kind: .queryEvent)).extent == .resources)
        #expect(try await pull(.heartbeat, 1).extent == .nothing)
    }

    /// Forged numbers hide no later event for long: what is far below counts as a new count.
    @Test func forgedNumbersHideNothing() async throws {
        server.put(samplePatient("a"))
        let device = try await device()
        try await device.synchronizer.pull(notifiedBy: Self.event(1, "Patient/a"))
        let forged = try await device.synchronizer.pull(notifiedBy: Self.event(1_000_000_000, "Patient/a"))
        #expect(forged.hasMissedEvents)
        server.put(samplePatient("b"))
        #expect(try await device.synchronizer.pull(notifiedBy: Self.event(3, "Patient/a")).hasMissedEvents)
        #expect(try device.contents() == server.contents)
        #expect(try await device.synchronizer.pull(notifiedBy: Self.event(4, "Patient/a")).hasMissedEvents == false)
    }

    /// A flood of references is answered by one pull of the types.
    @Test func aFloodOfReferencesIsOnePull() async throws {
        server.put(samplePatient("a"))
        let device = try await device()
        server.put(samplePatient("b"))
        let flood = SubscriptionNotification(
            .eventNotification, subscription: "s",
            events: [.init(number: 1, references: (0..<100_000).map { "Patient/n\($0)" } + ["Patient/b"])])
        let pulled = try await device.synchronizer.pull(notifiedBy: flood)
        #expect(pulled.extent == .types && pulled.result.pulled == 1 && server.requests.count < 10)
    }

    @Test func aSubscriptionThatHasEndedIsReported() async throws {
        let device = try await device()
        let ended = SubscriptionNotification(.queryStatus, subscription: "s", status: "off", eventCount: 0)
        #expect(try await device.synchronizer.pull(notifiedBy: ended).subscriptionHasEnded)
    }

    /// The last whole sync stays the last result.
    @Test func theLastResultStays() async throws {
        server.put(samplePatient("a"))
        let device = try await device()
        let last = try await device.synchronizer.lastResult()
        server.put(samplePatient("b"))
        try await device.synchronizer.pull(notifiedBy: Self.event(1, "Patient/b"))
        #expect(try await device.synchronizer.lastResult() == last)
    }

    @Test func everyReleaseFollowsNotifications() async throws {
        for name in ["STU3", "R4B", "R5"] {
            let release = try #require(BundledRelease.named(name)).release
            let server = ModelServer(release: release)
            func patient(_ id: String) throws -> FHIRResource {
                try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","id":"\#(id)"}"#.utf8), release: release)
            }
            server.put(try patient("a"))
            let device = try Device(server, scope: .everything, release: release)
            try await device.sync(.pull)
            server.put(try patient("b"))
            #expect(try await device.synchronizer.pull(notifiedBy: Self.event(1, "Patient/b")).result.pulled == 1, "\(name)")
            #expect(try device.contents() == server.contents)
        }
    }
}
