import FireLiteClient
import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// Events that cannot be judged or read, and events that wait while their subscription changes.
@Suite(.timeLimit(.minutes(5))) struct BrokenEventTests {
    private static let other = "http://example.org/topics/other"

    private func sample(_ release: String, _ hook: HookSample, attempts: Int = 1) throws -> ServiceSample {
        try SubscriptionSample.service(release, hook: hook) {
            $0.hookRetries.maximumAttempts = attempts
            $0.topics.append(ServiceTopic(Self.other, of: ["Patient"]))
        }
    }

    private func put(_ sample: ServiceSample, _ id: String, _ gender: String) async {
        let status = await sample.send(.put, "/Patient/\(id)", #"{"resourceType":"Patient","id":"\#(id)","gender":"\#(gender)"}"#).status
        #expect(status < 300)
    }

    private func wait(_ sample: ServiceSample, for wanted: String) async {
        let changes = sample.store.changes()
        func status() async -> String? { await sample.get("/Subscription/s").json?["status"]?.text }
        if await status() == wanted { return }
        for await _ in changes { if await status() == wanted { return } }
    }

    /// Damages the content of an earlier version.
    private func damage(_ sample: ServiceSample, _ id: String, _ version: Int64) async throws {
        try await sample.store.write { tx in
            let changed = try tx.run(
                on: ModuleTables(module: "test", version: 1, tables: [ModuleTable("_test", key: "k", columns: [])]),
                "UPDATE _change SET content = 'x' WHERE type = 'Patient' AND id = ? AND revision = ?", [.text(id), .integer(version)])
            #expect(changed == 1)
        }
    }

    /// A subscription that is in error, with an event of Patient/a that waits.
    private func waiting(_ release: String, _ hook: HookSample, attempts: Int = 1, filters: [String] = []) async throws -> ServiceSample {
        let sample = try sample(release, hook, attempts: attempts)
        let json = SubscriptionSample.json(release, content: "full-resource", filters: filters)
        #expect(await sample.send(.put, "/Subscription/s", json).status == 201)
        await wait(sample, for: "active")
        await hook.answer { _ in .broken }
        await put(sample, "a", "female")
        await wait(sample, for: "error")
        await hook.answer { _ in .status(200) }
        return sample
    }

    @Test(arguments: ["R4", "R5"], [1, 3]) func anEventThatCannotBeReadIsAnErrorAndLaterOnesFollow(
        _ release: String, _ attempts: Int
    ) async throws {
        let hook = HookSample()
        let sample = try await waiting(release, hook, attempts: attempts)
        for (id, gender) in [("b", "female"), ("b", "male"), ("c", "female")] { await put(sample, id, gender) }
        // What is committed is recorded before a subscription is written.
        _ = await sample.send(.delete, "/Subscription/none")
        try await damage(sample, "b", 1)
        let json = SubscriptionSample.json(release, content: "full-resource")
        #expect(await sample.send(.put, "/Subscription/s", json).status == 200)
        // The events before it are sent.
        await wait(sample, for: "error")
        #expect(await hook.events.map(\.number) == [1])
        let reason = "event 2 cannot be judged or read, and is left out"
        #expect(await sample.get("/Subscription/s/$status").text.contains(reason))
        if release == "R4" { #expect(await sample.get("/Subscription/s").json?["error"]?.text == reason) }
        let kept = await sample.get("/Subscription/s/$events?content=full-resource")
        #expect(kept.text.contains("1 event cannot be judged or read, and is left out: 2"), "\(kept.text)")
        let found = HookSample.notification(try #require(kept.json), HTTPRequest(.get, try #require(URL(string: "http://a"))))
        #expect(found.events.map(\.number) == [1, 3, 4])
        #expect(await sample.send(.put, "/Subscription/s", json).status == 200)
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 3 }
        #expect(await hook.events.map(\.number) == [1, 3, 4])
        await sample.service.stop()
    }

    @Test func anEventThatCannotBeJudgedHoldsUpNeitherOthersNorLaterOnes() async throws {
        let hook = HookSample()
        let sample = try sample("R5", hook)
        for (id, filters) in [("s", ["gender=female"]), ("t", [])] {
            let json = SubscriptionSample.json("R5", id: id, hook: SubscriptionSample.hook + "/" + id, filters: filters)
            #expect(await sample.send(.put, "/Subscription/\(id)", json).status == 201)
        }
        await hook.wait { notifications, _ in notifications.count == 2 }
        await wait(sample, for: "active")
        await sample.service.stop()
        // Nobody records while the content is damaged.
        for (id, gender) in [("b", "female"), ("b", "other"), ("c", "female")] { await put(sample, id, gender) }
        try await damage(sample, "b", 1)
        let service = try FHIRService(store: sample.store, configuration: sample.service.configuration)
        func send(_ method: HTTPMethod, _ path: String, _ body: String = "") async -> ServiceSample.Reply {
            await ServiceSample.Reply(
                await service.respond(
                    to: ServiceRequest(
                        method, "/fhir" + path, fields: ["Content-Type": "application/fhir+json"], body: Data(body.utf8))))
        }
        await wait(sample, for: "error")
        #expect(await send(.get, "/Subscription/s/$status").text.contains("an event cannot be judged"))
        // The other subscription needs no content.
        await hook.wait { notifications, _ in
            HookSample.events(notifications.filter { $0.request.url.path.hasSuffix("t") }).count == 3
        }
        let json = SubscriptionSample.json("R5", hook: SubscriptionSample.hook + "/s", filters: ["gender=female"])
        #expect(await send(.put, "/Subscription/s", json).status == 200)
        await hook.wait { notifications, _ in !HookSample.events(notifications.filter { $0.request.url.path.hasSuffix("s") }).isEmpty }
        await service.stop()
        let own = HookSample.events(await hook.received.filter { $0.request.url.path.hasSuffix("s") })
        #expect(own == [.init(number: 1, focus: "Patient/c")])
    }

    @Test(arguments: [0, 1]) func changesThatAreLostAreAnErrorAndLaterEventsFollow(_ fromEnd: Int64) async throws {
        let sample = try sample("R5", HookSample())
        try await sample.store.track(.changes)
        #expect(await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5", hook: nil)).status == 201)
        await wait(sample, for: "active")
        await sample.service.stop()
        // Nobody records while a row is lost.
        for id in ["a", "b", "c"] { await put(sample, id, "female") }
        try await sample.store.write { tx in
            let changed = try tx.run(
                on: ModuleTables(module: "test", version: 1, tables: [ModuleTable("_test", key: "k", columns: [])]),
                "DELETE FROM _change WHERE seq = (SELECT max(seq) FROM _change) - ?", [.integer(fromEnd)])
            #expect(changed == 1)
        }
        let other = ServiceSample(try FHIRService(store: sample.store, configuration: sample.service.configuration))
        await wait(other, for: "error")
        #expect(await other.get("/Subscription/s/$status").text.contains("the store has lost changes"))
        // The client requests it again, and is in error no more.
        #expect(await other.send(.put, "/Subscription/s", SubscriptionSample.json("R5", hook: nil)).status == 200)
        await put(other, "d", "female")
        _ = await other.send(.delete, "/Subscription/none")
        #expect(await other.get("/Subscription/s").json?["status"]?.text == "active")
        let events = HookSample.notification(
            try #require(await other.get("/Subscription/s/$events").json), HTTPRequest(.get, try #require(URL(string: "http://a"))))
        #expect(events.events.map(\.number) == [1, 2, 3])
        #expect(events.events.map(\.focus) == ["Patient/a", fromEnd == 0 ? "Patient/b" : "Patient/c", "Patient/d"])
        await other.service.stop()
    }

    @Test func aCriterionThatFailsForAResourceIsAnError() async throws {
        let hook = HookSample()
        let topic = try ServiceTopic(
            json: Data(
                """
                {"resourceType":"SubscriptionTopic","url":"\(SubscriptionSample.topic)","status":"active",
                "resourceTrigger":[{"resource":"Patient","fhirPathCriteria":"name.given.single() = 'Ann'"},
                {"resource":"Patient","supportedInteraction":["delete"]}],
                "canFilterBy":[{"filterParameter":"gender"}]}
                """.utf8))
        let sample = try SubscriptionSample.service("R5", hook: hook, topic: topic) { $0.hookRetries.maximumAttempts = 1 }
        func put(_ id: String, _ given: String) async {
            let json = #"{"resourceType":"Patient","id":"\#(id)","gender":"male","name":[{"given":[\#(given)]}]}"#
            #expect(await sample.send(.put, "/Patient/\(id)", json).status == 201)
        }
        #expect(await sample.send(.put, "/Subscription/t", SubscriptionSample.json("R5", id: "t", hook: nil)).status == 201)
        let filtered = SubscriptionSample.json("R5", id: "s", hook: nil, filters: ["gender=female"])
        #expect(await sample.send(.put, "/Subscription/s", filtered).status == 201)
        await put("a", #""Ann""#)
        await put("b", #""Ann","Eve""#)
        await put("c", #""Eve""#)
        await put("d", #""Ann""#)
        // Another trigger is true of it.
        #expect(await sample.send(.delete, "/Patient/b").status == 204)
        // What is committed is recorded before a subscription is written.
        _ = await sample.send(.delete, "/Subscription/none")
        #expect(await sample.get("/Subscription/t").json?["status"]?.text == "error")
        let status = await sample.get("/Subscription/t/$status")
        #expect(status.text.contains("the topic's fhirPathCriteria fails for an event, which is left out without a number"))
        let events = HookSample.notification(
            try #require(await sample.get("/Subscription/t/$events").json), HTTPRequest(.get, try #require(URL(string: "http://a"))))
        #expect(
            events.events == [
                .init(number: 1, focus: "Patient/a"), .init(number: 2, focus: "Patient/d"), .init(number: 3, focus: "Patient/b"),
            ])
        // Who would not be notified if it were true is not concerned.
        #expect(await sample.get("/Subscription/s").json?["status"]?.text == "active")
        await sample.service.stop()
    }

    @Test(arguments: ["R4", "R4B", "R5"]) func aDamagedSubscriptionIsInErrorByItsStatus(_ release: String) async throws {
        let sample = try sample(release, HookSample())
        for id in ["s", "t"] {
            #expect(await sample.send(.put, "/Subscription/\(id)", SubscriptionSample.json(release, id: id, hook: nil)).status == 201)
        }
        func ids(_ search: String) async -> [String] {
            let found = await sample.get("/Subscription/$status\(search)")
            #expect(found.status == 200, "\(found.text)")
            return ["s", "t"].filter { found.text.contains("/Subscription/\($0)\"") }
        }
        #expect(await ids("?status=active") == ["s", "t"])
        try await sample.store.write { tx in
            let changed = try tx.run(
                on: ModuleTables(module: "test", version: 1, tables: [ModuleTable("_test", key: "k", columns: [])]),
                "UPDATE Subscription SET status = 'requested' WHERE id = 's'", [])
            #expect(changed == 1)
        }
        // Its resource cannot be changed, and others go on.
        await put(sample, "a", "female")
        _ = await sample.send(.delete, "/Subscription/none")
        #expect(await ids("") == ["s", "t"])
        #expect(await ids("?status=active") == ["t"])
        #expect(await ids("?status=error") == ["s"])
        let status = await sample.get("/Subscription/s/$status")
        #expect(status.status == 200 && status.text.contains("the subscription or its topic cannot be read"), "\(status.text)")
        await sample.service.stop()
    }

    @Test(arguments: ["R4", "R5"]) func eventsThatWaitAreJudgedByTheFiltersThatCountNow(_ release: String) async throws {
        let hook = HookSample()
        let sample = try await waiting(release, hook, filters: ["gender=female"])
        await put(sample, "b", "female")
        let json = SubscriptionSample.json(release, content: "full-resource", filters: ["gender=male"])
        #expect(await sample.send(.put, "/Subscription/s", json).status == 200)
        await put(sample, "c", "female")
        await put(sample, "d", "male")
        await hook.wait { notifications, _ in notifications.contains { !$0.events.isEmpty } }
        #expect(await hook.events == [.init(number: 3, focus: "Patient/d")])
        // Nothing is sent for what nobody is to hear of.
        #expect(await hook.received.filter { $0.type == "event-notification" && $0.events.isEmpty }.isEmpty)
        let kept = HookSample.notification(
            try #require(await sample.get("/Subscription/s/$events").json), HTTPRequest(.get, try #require(URL(string: "http://a"))))
        #expect(kept.events.map(\.number) == [3])
        await sample.service.stop()
    }

    @Test(arguments: ["R4", "R5"]) func changesThatAreNotReadYetCountWhenASubscriptionIsWrittenAgain(_ release: String) async throws {
        let hook = HookSample()
        let sample = try sample(release, hook)
        #expect(await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release)).status == 201)
        await wait(sample, for: "active")
        // Nobody reads the changes before the subscription is written.
        await sample.service.stop()
        await put(sample, "a", "female")
        #expect(await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release, maximum: 7)).status == 200)
        let service = try FHIRService(store: sample.store, configuration: sample.service.configuration)
        await hook.wait { notifications, _ in notifications.contains { !$0.events.isEmpty } }
        #expect(await hook.events == [.init(number: 1, focus: "Patient/a")])
        await service.stop()
    }

    @Test func eventsOfAnotherTopicAreNotSent() async throws {
        let hook = HookSample()
        let sample = try await waiting("R5", hook)
        let json = SubscriptionSample.json("R5").replacing(SubscriptionSample.topic, with: Self.other)
        #expect(await sample.send(.put, "/Subscription/s", json).status == 200)
        await put(sample, "b", "male")
        await hook.wait { notifications, _ in notifications.contains { !$0.events.isEmpty } }
        #expect(await hook.events == [.init(number: 2, focus: "Patient/b")])
        await sample.service.stop()
    }
}
