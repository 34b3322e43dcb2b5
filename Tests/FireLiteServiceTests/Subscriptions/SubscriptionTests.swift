import FireLiteClient
import FireLiteCore
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteService

@Suite(.timeLimit(.minutes(5))) struct SubscriptionTests {
    private func patient(_ id: String, _ gender: String = "female") -> String {
        #"{"resourceType":"Patient","id":"\#(id)","gender":"\#(gender)"}"#
    }

    private func status(_ sample: ServiceSample, _ id: String = "s") async -> String? {
        await sample.get("/Subscription/\(id)").json?["status"]?.text
    }

    /// Waits until a subscription has a status, which the service sets after a notification.
    private func wait(_ sample: ServiceSample, for wanted: String, _ id: String = "s") async {
        let changes = sample.store.changes()
        if await status(sample, id) == wanted { return }
        for await _ in changes {
            if await status(sample, id) == wanted { return }
        }
    }

    // MARK: - Life cycle

    @Test(arguments: ["R4", "R4B", "R5"]) func subscriptionsAreActiveAfterAHandshake(_ release: String) async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service(release, hook: hook)
        let stored = await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release, header: "secret"))
        #expect(stored.status == 201 && stored.json?["status"]?.text == "requested")
        await wait(sample, for: "active")
        let handshake = try #require(await hook.received.first)
        #expect(handshake.type == "handshake" && handshake.events.isEmpty)
        #expect(handshake.request.url.absoluteString == SubscriptionSample.hook && handshake.request.fields["X-Hook"] == "secret")
        #expect(handshake.request.fields["Content-Type"] == "application/fhir+json")
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        await hook.wait { notifications, _ in notifications.count == 2 }
        #expect(await hook.events == [.init(number: 1, focus: "Patient/a")])
        // What is stored again unchanged needs no handshake.
        #expect(
            await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release, status: "active", header: "secret")).status == 200)
        #expect(await status(sample) == "active")
        #expect(await sample.send(.delete, "/Subscription/s").status == 204)
        _ = await sample.send(.put, "/Patient/b", patient("b"))
        await sample.service.stop()
        #expect(await hook.received.count == 2)
    }

    @Test func hooksThatFailAreInErrorUntilTheyAreRequestedAgain() async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service(hook: hook) { $0.hookRetries.maximumAttempts = 3 }
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5"))
        await wait(sample, for: "active")
        await hook.answer { _ in .status(503) }
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        await wait(sample, for: "error")
        #expect(await hook.attempts == 4)
        _ = await sample.send(.put, "/Patient/b", patient("b"))
        let reply = await sample.get("/Subscription/s/$status")
        let entry = reply.entries.first?["resource"]
        #expect(entry?["status"]?.text == "error" && entry?["type"]?.text == "query-status")
        #expect(entry?["error"]?.items.first?["text"]?.text == "the hook answered with status 503")
        await hook.answer { _ in .status(200) }
        #expect(await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5")).status == 200)
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 2 }
        #expect(await hook.events.map(\.focus) == ["Patient/a", "Patient/b"])
        await sample.service.stop()
    }

    @Test func handshakesThatFailAreErrors() async throws {
        for answer: HookSample.Answer in [.status(404), .broken, .status(302)] {
            let hook = HookSample { _ in answer }
            let sample = try SubscriptionSample.service(hook: hook) { $0.hookRetries = .never }
            _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5"))
            await wait(sample, for: "error")
            #expect(await hook.attempts == 1)
            await sample.service.stop()
        }
    }

    @Test func heartbeatsComeInTimeAndTheEndSwitchesOff() async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service(hook: hook)
        let end = FHIRInstant(Date(timeIntervalSince1970: 1_800_000_200)).literal
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5", heartbeat: 60, end: end))
        await wait(sample, for: "off")
        #expect(await hook.received.map(\.type) == ["handshake", "heartbeat", "heartbeat", "heartbeat"])
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        await sample.service.stop()
        #expect(await hook.received.count == 4)
    }

    @Test func hooksThatAreTooFarBehindAreSwitchedOff() async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service(hook: hook) {
            $0.limits.subscriptionEvents = 3
            $0.hookRetries.maximumAttempts = 1_000_000
        }
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5"))
        await wait(sample, for: "active")
        await hook.answer { _ in .status(500) }
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        await hook.wait { _, attempts in attempts > 1 }
        for number in 0..<5 { _ = await sample.send(.put, "/Patient/\(number)", patient("\(number)")) }
        // What is committed is recorded before a subscription is written.
        _ = await sample.send(.delete, "/Subscription/none")
        await hook.answer { _ in .status(200) }
        await wait(sample, for: "off")
        #expect(await hook.events.map(\.number) == [1])
        await sample.service.stop()
    }

    @Test func eventsThatAreNotKeptAreAGapInTheNumbers() async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service(hook: hook) {
            $0.limits.subscriptionEvents = 3
            $0.hookRetries = .never
        }
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5"))
        await wait(sample, for: "active")
        await hook.answer { _ in .broken }
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        await wait(sample, for: "error")
        for number in 0..<5 { _ = await sample.send(.put, "/Patient/\(number)", patient("\(number)")) }
        await hook.answer { _ in .status(200) }
        // What is not kept any more is not sent: the numbers show the gap.
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5"))
        await hook.wait { notifications, _ in notifications.contains { !$0.events.isEmpty } }
        #expect(await hook.events.map(\.number) == [4, 5, 6])
        await sample.service.stop()
    }

    @Test func silentHooksHoldUpNothing() async throws {
        let hook = HookSample { request in request.url.path == "/silent" ? .silent : .status(200) }
        let sample = try SubscriptionSample.service(hook: hook)
        for number in 0..<20 {
            let json = SubscriptionSample.json("R5", id: "s\(number)", hook: "https://hook.example/silent")
            #expect(await sample.send(.put, "/Subscription/s\(number)", json).status == 201)
        }
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5"))
        await wait(sample, for: "active")
        for number in 0..<20 { #expect(await sample.send(.put, "/Patient/\(number)", patient("\(number)")).status == 201) }
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 20 }
        #expect(await status(sample, "s7") == "requested")
        // It ends, too.
        await sample.service.stop()
    }

    // MARK: - Content

    @Test(arguments: ["R4", "R4B", "R5"], ["empty", "id-only", "full-resource"])
    func notificationsHaveTheContentThatIsAskedFor(_ release: String, _ content: String) async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service(release, hook: hook)
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release, content: content))
        await wait(sample, for: "active")
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 1 }
        _ = await sample.send(.delete, "/Patient/a")
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 2 }
        await sample.service.stop()
        let notifications = await hook.received
        for notification in notifications {
            let bundle = try FHIRJSON.resource(from: Data(notification.bundle.json.utf8), release: sample.store.release)
            #expect(bundle.validate().filter { $0.severity == .error }.isEmpty, "\(bundle.validate())")
            #expect(notification.bundle["type"]?.text == (release == "R5" ? "subscription-notification" : "history"))
        }
        let stored = notifications.first { $0.events.first?.number == 1 }?.bundle["entry"]?.items.dropFirst().first
        let deleted = notifications.first { $0.events.first?.number == 2 }?.bundle["entry"]?.items.dropFirst().first
        #expect((stored == nil) == (content == "empty") && (deleted == nil) == (content == "empty"))
        #expect(await hook.events.first?.focus == (content == "empty" ? nil : "Patient/a"))
        #expect((stored?["resource"] != nil) == (content == "full-resource") && deleted?["resource"] == nil)
        if content != "empty" {
            #expect(stored?["fullUrl"]?.text == ServiceSample.base + "/Patient/a")
            #expect(stored?["request"]?["method"]?.text == "POST" && deleted?["request"]?["method"]?.text == "DELETE")
        }
        if content == "full-resource" { #expect(stored?["resource"]?["gender"]?.text == "female") }
    }

    @Test func eventsHaveTheVersionThatTheyAreAbout() async throws {
        let hook = HookSample { _ in .status(500) }
        let sample = try SubscriptionSample.service(hook: hook) { $0.hookRetries.maximumAttempts = 1_000_000 }
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5", content: "full-resource"))
        for gender in ["female", "male", "other"] { _ = await sample.send(.put, "/Patient/a", patient("a", gender)) }
        await hook.answer { _ in .status(200) }
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 3 }
        await sample.service.stop()
        let entries = await hook.received.flatMap { $0.bundle["entry"]?.items.dropFirst().compactMap { $0["resource"] } ?? [] }
        #expect(entries.compactMap { $0["gender"]?.text } == ["female", "male", "other"])
        #expect(entries.compactMap { $0["meta"]?["versionId"]?.text } == ["1", "2", "3"])
    }

    // MARK: - Topics and filters

    private func topic(_ trigger: String, _ filters: String = "") throws -> ServiceTopic {
        try ServiceTopic(
            json: Data(
                """
                {"resourceType":"SubscriptionTopic","url":"\(SubscriptionSample.topic)","status":"active",
                "resourceTrigger":[\(trigger)],"canFilterBy":[\(filters)]}
                """.utf8))
    }

    /// The events of what happens to a patient, one after another: a gender, or nil for a deletion.
    private func events(_ trigger: String, _ genders: [String?]) async throws -> [Int] {
        let hook = HookSample()
        let first = try topic(trigger)
        let sample = try SubscriptionSample.service(hook: hook, topic: first)
        let stored = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5", hook: nil))
        #expect(stored.status == 201 && stored.json?["status"]?.text == "active", "\(stored.text)")
        var times: [Int] = []
        var count = 0
        for (step, gender) in genders.enumerated() {
            if let gender {
                _ = await sample.send(.put, "/Patient/a", patient("a", gender))
            } else {
                _ = await sample.send(.delete, "/Patient/a")
            }
            // Recorded before the subscription is written.
            _ = await sample.send(.delete, "/Subscription/none")
            let found = HookSample.notification(
                try #require(await sample.get("/Subscription/s/$events").json), HTTPRequest(.get, try #require(URL(string: "http://a"))))
            if found.events.count > count { times.append(step) }
            count = found.events.count
        }
        await sample.service.stop()
        return times
    }

    @Test func triggersAreByInteractionsAndCriteria() async throws {
        let all: [String?] = ["female", "male", "female", nil, "male"]
        func found(_ members: String) async throws -> [Int] { try await events(#"{"resource":"Patient"\#(members)}"#, all) }
        #expect(try await found("") == [0, 1, 2, 3, 4])
        #expect(try await found(#","supportedInteraction":["create","delete"]"#) == [0, 3, 4])
        #expect(try await found(#","queryCriteria":{"current":"gender=female"}"#) == [0, 2, 3])
        #expect(try await found(#","queryCriteria":{"current":"gender=female","resultForDelete":"test-fails"}"#) == [0, 2])
        let both = #","queryCriteria":{"previous":"Patient?gender=male","current":"Patient?gender=female","requireBoth":true"#
        #expect(try await found(both + "}") == [0, 2])
        #expect(try await found(both + #","resultForCreate":"test-fails"}"#) == [2])
        #expect(
            try await found(#","queryCriteria":{"previous":"gender=male","current":"gender=female","resultForCreate":"test-fails"}"#) == [
                0, 2, 3,
            ])
        #expect(try await found(#","fhirPathCriteria":"%previous.gender = 'female' and %current.gender = 'male'""#) == [1])
        #expect(try await found(#","fhirPathCriteria":"%previous.empty()""#) == [0, 4])
        #expect(try await events(#"{"resource":"http://hl7.org/fhir/StructureDefinition/Observation"}"#, all).isEmpty)
    }

    @Test func filtersMustBeAllowedByTheTopic() async throws {
        let hook = HookSample()
        let filters =
            #"{"resource":"Patient","filterParameter":"gender"},{"filterParameter":"nonsense"},{"filterParameter":"organization.name"}"#
        let sample = try SubscriptionSample.service(hook: hook, topic: try topic(#"{"resource":"Patient"}"#, filters))
        for (filter, type, isAllowed) in [
            ("gender=female", "Patient", true), ("name=x", "Patient", false), ("nonsense=x", "Patient", false),
            ("organization.name=x", "Patient", false), ("gender=female", "Observation", false),
        ] {
            let reply = await sample.send(.post, "/Subscription", SubscriptionSample.json("R5", filters: [filter], type: type))
            #expect(reply.status == (isAllowed ? 201 : 422), "\(filter): \(reply.text)")
        }
        await sample.service.stop()
    }

    @Test func storedTopicsCount() async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service("R5", hook: hook) { $0.topics = [] }
        let subscription = SubscriptionSample.json("R5")
        #expect(await sample.send(.put, "/Subscription/s", subscription).status == 422)
        let topic =
            #"{"resourceType":"SubscriptionTopic","id":"t","url":"\#(SubscriptionSample.topic)","status":"active","resourceTrigger":[{"resource":"Patient"}]}"#
        #expect(await sample.send(.put, "/SubscriptionTopic/t", topic).status == 201)
        #expect(await sample.send(.put, "/Subscription/s", subscription).status == 201)
        await wait(sample, for: "active")
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 1 }
        await sample.service.stop()
    }

    // MARK: - Refusals

    @Test func subscriptionsThatCannotBeServedAreRefused() async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service(hook: hook)
        for (json, code) in [
            (SubscriptionSample.json("R5", hook: "https://elsewhere.example/in"), "security"),
            (SubscriptionSample.json("R5", hook: "http://hook.example/in"), "security"),
            (SubscriptionSample.json("R5", hook: "https://user@hook.example/in"), "required"),
            (SubscriptionSample.json("R5", hook: "file:///etc/passwd"), "required"),
            (SubscriptionSample.json("R5").replacing("rest-hook", with: "email"), "not-supported"),
            (SubscriptionSample.json("R5").replacing(SubscriptionSample.topic, with: "http://example.org/none"), "not-found"),
            (SubscriptionSample.json("R5", header: "x").replacing("X-Hook", with: "Host"), "invalid"),
            (SubscriptionSample.json("R5", header: "x\r\ny"), "invalid"),
        ] {
            let reply = await sample.send(.put, "/Subscription/s", json)
            #expect(reply.status == 422 && reply.issue == code, "\(reply.text)")
        }
        // What is switched off is stored as it is.
        #expect(
            await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5", hook: "https://elsewhere.example", status: "off"))
                .status == 201)
        #expect(await hook.attempts == 0)
        await sample.service.stop()
    }

    /// A filter without a value would let everything pass.
    @Test(arguments: ["R4", "R5"]) func filtersNeedValues(_ release: String) async throws {
        let sample = try SubscriptionSample.service(release, hook: HookSample())
        let reply = await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release, filters: ["gender="]))
        // R5 has the value in an element, which is never empty.
        #expect(reply.status == 422 && reply.issue == (release == "R5" ? "value" : "required"), "\(reply.text)")
        #expect(await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release, filters: ["gender=female"])).status == 201)
        await sample.service.stop()
    }

    @Test func tooManySubscriptionsAreRefused() async throws {
        let sample = try SubscriptionSample.service(hook: HookSample()) { $0.limits.subscriptions = 1 }
        #expect(await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5")).status == 201)
        #expect(await sample.send(.put, "/Subscription/t", SubscriptionSample.json("R5", id: "t")).status == 429)
        await sample.service.stop()
    }

    @Test(arguments: ["R4", "R5"]) func storesWithoutAHistorySaySo(_ release: String) async throws {
        let sample = try SubscriptionSample.service(release, history: false, hook: HookSample())
        let metadata = await sample.get("/metadata").text
        #expect(
            metadata.contains("There are no subscriptions: they need its history.")
                && !metadata.contains("OperationDefinition/Subscription-status")
                && !metadata.contains("backport-subscription-status"))
        let reply = await sample.send(.put, "/Subscription/s", SubscriptionSample.json(release))
        #expect(reply.status == 422 && reply.issue == "not-supported")
        #expect(await sample.get("/Subscription/s/$status").status == 404)
        let other = try SubscriptionSample.service(release, hook: HookSample())
        let text = await other.get("/metadata").text
        let name = "OperationDefinition/" + (release == "R5" ? "Subscription-status" : "backport-subscription-status")
        #expect(text.contains(name) && text.contains("/$events") == false && !text.contains("There are no subscriptions"))
        #expect(text.contains("capabilitystatement-subscriptiontopic-canonical") && text.contains(SubscriptionSample.topic))
    }

    // MARK: - Scopes

    @Test func subscribersSeeOnlyWhatTheirTokenMay() async throws {
        let hook = HookSample()
        func access(_ subject: String, _ patient: String) -> ServiceAccess {
            ServiceAccess(
                subject: subject, scopes: SMARTScope.list("patient/Observation.rs patient/Patient.rs user/Subscription.cruds"),
                patient: patient)
        }
        let authorizer = try BearerTokens([
            "token-of-patient-1": access("one", "p1"), "token-of-patient-2": access("two", "p2"),
            "token-of-everything": ServiceAccess(subject: "all"),
        ])
        let sample = try SubscriptionSample.service(hook: hook) { $0.authorizer = authorizer }
        func send(_ token: String, _ method: HTTPMethod, _ path: String, _ body: String = "") async -> ServiceSample.Reply {
            await sample.send(method, path, body, ["Authorization": "Bearer token-of-\(token)"])
        }
        let json = SubscriptionSample.json("R5", content: "full-resource")
        #expect(await send("patient-1", .put, "/Subscription/s", json).status == 201)
        await hook.wait { notifications, _ in notifications.count == 1 }
        for (id, patient) in [("a", "p2"), ("b", "p1"), ("c", "p2"), ("b", "p2"), ("d", "p1")] {
            let observation = SubscriptionSample.observation(id, of: patient)
            #expect(await send("everything", .put, "/Observation/\(id)", observation).status < 300)
        }
        #expect(await send("everything", .delete, "/Observation/a").status == 204)
        #expect(await send("everything", .delete, "/Observation/d").status == 204)
        await hook.wait { notifications, _ in HookSample.events(notifications).count == 3 }
        #expect(await hook.events.map(\.focus) == ["Observation/b", "Observation/d", "Observation/d"])
        // The events of others are hidden, and all are visible to a token that permits everything.
        #expect(await send("patient-2", .get, "/Subscription/s/$events").status == 403)
        let all = try #require(await send("everything", .get, "/Subscription/s/$events").json)
        let request = HTTPRequest(.get, try #require(URL(string: "http://a")))
        #expect(HookSample.notification(all, request).events.count == 3)
        // What the owner cannot see any more is not read again either.
        let own = try #require(await send("patient-1", .get, "/Subscription/s/$events").json)
        #expect(HookSample.notification(own, request).events.map(\.focus) == ["Observation/b", "Observation/d", "Observation/d"])
        await sample.service.stop()
    }

    @Test func eventsOfAnEarlierOwnerAreJudgedByTheScopesOfTheNextOne() async throws {
        let hook = HookSample()
        let scopes = SMARTScope.list("patient/Observation.rs patient/Patient.rs user/Subscription.cruds")
        let authorizer = try BearerTokens([
            "token-of-patient-1": ServiceAccess(subject: "one", scopes: scopes, patient: "p1"),
            "token-of-everything": ServiceAccess(subject: "all"),
        ])
        let sample = try SubscriptionSample.service(hook: hook) {
            $0.authorizer = authorizer
            $0.hookRetries = .never
        }
        func send(_ token: String, _ path: String, _ body: String) async -> Int {
            await sample.send(.put, path, body, ["Authorization": "Bearer token-of-\(token)"]).status
        }
        let json = SubscriptionSample.json("R5", content: "full-resource")
        #expect(await send("everything", "/Subscription/s", json) == 201)
        await hook.wait { notifications, _ in notifications.count == 1 }
        await hook.answer { _ in .broken }
        for (id, patient) in [("a", "p2"), ("b", "p1"), ("c", "p2")] {
            let observation = SubscriptionSample.observation(id, of: patient)
            #expect(await send("everything", "/Observation/\(id)", observation) == 201)
        }
        await hook.wait { _, attempts in attempts > 1 }
        await hook.answer { _ in .status(200) }
        // Whoever may write subscriptions can take over another's, with an address of their own.
        #expect(await send("patient-1", "/Subscription/s", json) == 200)
        #expect(await send("everything", "/Observation/d", SubscriptionSample.observation("d", of: "p1")) == 201)
        await hook.wait { notifications, _ in HookSample.events(notifications).contains { $0.focus == "Observation/d" } }
        #expect(await hook.events.map(\.focus) == ["Observation/b", "Observation/d"])
        await sample.service.stop()
    }

    @Test func aRowWithoutScopesPermitsNothing() async throws {
        let hook = HookSample()
        let sample = try SubscriptionSample.service(hook: hook)
        _ = await sample.send(.put, "/Subscription/s", SubscriptionSample.json("R5"))
        await wait(sample, for: "active")
        try await sample.store.write { transaction in
            try transaction.run(on: SubscriptionTable.tables, "UPDATE _subscription SET scopes = NULL, generation = generation + 1", [])
        }
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        await sample.service.stop()
        #expect(await hook.events.isEmpty)
    }

    @Test func aScopeMustPermitTheTypesOfTheTopic() async throws {
        let authorizer = try BearerTokens([
            "0123456789abcdef": ServiceAccess(subject: "a", scopes: SMARTScope.list("system/Subscription.cruds system/Patient.rs"))
        ])
        let sample = try SubscriptionSample.service(hook: HookSample()) { $0.authorizer = authorizer }
        let reply = await sample.send(
            .put, "/Subscription/s", SubscriptionSample.json("R5"), ["Authorization": "Bearer 0123456789abcdef"])
        #expect(reply.status == 403)
    }
}
