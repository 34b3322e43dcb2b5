import FireLiteClient
import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// Events as server-sent events, and as a Bundle.
@Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
    private struct Message: Equatable {
        let id: String
        let type: String
        let focuses: [String]
    }

    private func messages(_ data: Data) throws -> [Message] {
        try String(decoding: data, as: UTF8.self).components(separatedBy: "\n\n").filter { !$0.isEmpty }.map { text in
            var fields: [String: String] = [:]
            for line in text.split(separator: "\n") {
                let halves = line.split(separator: ":", maxSplits: 1)
                fields[String(halves[0])] = halves.count > 1 ? String(halves[1].dropFirst()) : ""
            }
            let bundle = try JSONItemReader.read(Data((fields["data"] ?? "").utf8))
            let found = HookSample.notification(bundle, HTTPRequest(.get, try #require(URL(string: "http://a"))))
            #expect(found.type == fields["event"])
            return Message(id: fields["id"] ?? "", type: fields["event"] ?? "", focuses: found.events.compactMap(\.focus))
        }
    }

    private func patient(_ sample: ServiceSample, _ id: String) async {
        _ = await sample.send(.put, "/Patient/\(id)", #"{"resourceType":"Patient","id":"\#(id)"}"#)
    }

    /// Reads messages until one has an event of a patient.
    private func read(_ response: ServiceResponse, until id: String) async throws -> [Message] {
        guard case .stream(let body) = response.body else {
            Issue.record("the answer is no stream: \(response.status)")
            return []
        }
        var found: [Message] = []
        for try await data in body {
            found += try messages(data)
            if found.contains(where: { $0.focuses.contains("Patient/\(id)") }) { break }
        }
        return found
    }

    /// A clock that runs, so that heartbeats do not.
    private func sample(_ release: String) async throws -> ServiceSample {
        let sample = try SubscriptionSample.service(release, hook: HookSample()) { $0.clock = .system }
        let stored = await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release, hook: nil))
        #expect(stored.status == 201 && stored.json?["status"]?.text == "active", "\(stored.text)")
        return sample
    }

    private func open(_ sample: ServiceSample, _ last: String? = nil) async -> ServiceResponse {
        var fields: HTTPFields = ["Accept": "text/event-stream"]
        fields["Last-Event-ID"] = last
        return await sample.service.respond(to: ServiceRequest(.get, "/fhir/Subscription/s/$events", fields: fields))
    }

    @Test(arguments: ["R4", "R4B", "R5"]) func eventsAreReadAsAStreamThatGoesOnAfterTheLast(_ release: String) async throws {
        let sample = try await sample(release)
        let response = await open(sample)
        #expect(response.status == 200 && response.fields["Content-Type"] == "text/event-stream")
        guard case .stream(let body) = response.body else { return }
        var pieces = body.makeAsyncIterator()
        #expect(try messages(try #require(await pieces.next())) == [Message(id: "0", type: "handshake", focuses: [])])
        await patient(sample, "a")
        #expect(
            try messages(try #require(await pieces.next())) == [Message(id: "1", type: "event-notification", focuses: ["Patient/a"])])
        // While nobody is connected, events are kept.
        await patient(sample, "b")
        await patient(sample, "c")
        let later = try await read(await open(sample, "1"), until: "c")
        #expect(later.first?.type == "handshake" && later.flatMap(\.focuses) == ["Patient/b", "Patient/c"] && later.last?.id == "3")
        // The service ends its streams.
        await sample.service.endEventStreams()
        #expect(try await pieces.next() == nil)
        await sample.service.stop()
    }

    @Test func streamsAreLimitedAndMustBeOfTheClient() async throws {
        let sample = try SubscriptionSample.service(hook: HookSample()) { $0.limits.eventStreams = 1 }
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5", hook: nil))
        let first = await open(sample)
        #expect(first.status == 200)
        #expect(await open(sample).status == 429)
        #expect(await open(sample, "x").status == 400)
        #expect(await sample.get("/Subscription/none/$events", ["Accept": "text/event-stream"]).status == 404)
        withExtendedLifetime(first) {}
        await sample.service.stop()
    }

    @Test func streamsHaveHeartbeatsAndEndAfterAWhile() async throws {
        let sample = try SubscriptionSample.service(hook: HookSample())
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5", hook: nil, heartbeat: 100))
        guard case .stream(let body) = await open(sample).body else { return }
        var types: [String] = []
        for try await data in body { types += try messages(data).map(\.type) }
        #expect(types == ["handshake", "heartbeat", "heartbeat"])
        await sample.service.stop()
    }

    @Test func eventsAreReadByTheirNumbers() async throws {
        let sample = try await sample("R5")
        for id in ["a", "b", "c"] { await patient(sample, id) }
        // The subscription is not changed, but what was before is recorded.
        _ = await sample.send(.delete, "/Subscription/none")
        func events(_ query: String) async throws -> [HookSample.Event] {
            let reply = await sample.get("/Subscription/s/$events" + query)
            #expect(reply.status == 200, "\(reply.text)")
            let found = HookSample.notification(try #require(reply.json), HTTPRequest(.get, try #require(URL(string: "http://a"))))
            #expect(found.type == "query-event")
            return found.events
        }
        #expect(try await events("").map(\.focus) == ["Patient/a", "Patient/b", "Patient/c"])
        #expect(try await events("?eventsSinceNumber=2").map(\.number) == [2, 3])
        #expect(try await events("?eventsSinceNumber=2&eventsUntilNumber=2&content=empty") == [.init(number: 2, focus: nil)])
        #expect(await sample.get("/Subscription/s/$events?content=all").status == 400)
        #expect(await sample.get("/Subscription/s/$events?eventsSinceNumber=x").status == 400)
        let all = await sample.get("/Subscription/$status?status=active")
        #expect(all.entries.count == 1 && all.entries.first?["resource"]?["eventsSinceSubscriptionStart"]?.text == "3")
        await sample.service.stop()
    }
}
