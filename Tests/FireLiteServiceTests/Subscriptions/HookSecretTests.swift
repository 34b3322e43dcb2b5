import FireLiteClient
import FireLiteCore
import FireLiteService
import Foundation
import TestSupport
import Testing

/// The header fields that subscriptions have the server send are read by who set them, and by nobody else.
@Suite(.timeLimit(.minutes(5))) struct HookSecretTests {
    private static let secret = "Bearer-4f1c9"

    private func sample(_ release: String, _ hook: HookSample, _ folder: TemporaryFolder) throws -> ServiceSample {
        let authorizer = try BearerTokens([
            "token-of-owner--": ServiceAccess(subject: "owner", scopes: SMARTScope.list("system/*.cruds")),
            "token-of-other--": ServiceAccess(subject: "other", scopes: SMARTScope.list("system/*.cruds")),
            "token-of-all----": ServiceAccess(subject: "all"),
        ])
        let jobs = URL(fileURLWithPath: folder.file("jobs"))
        return try SubscriptionSample.service(release, hook: hook) {
            $0.authorizer = authorizer
            $0.workFolder = jobs
            $0.clock = .system
        }
    }

    private func send(
        _ sample: ServiceSample, _ who: String, _ method: HTTPMethod, _ path: String, _ body: String = "", _ fields: HTTPFields = [:]
    ) async -> ServiceSample.Reply {
        var fields = fields
        fields["Authorization"] = "Bearer token-of-" + who.padding(toLength: 7, withPad: "-", startingAt: 0)
        return await sample.send(method, path, body, fields)
    }

    private func json(_ release: String) -> String { SubscriptionSample.json(release, header: Self.secret) }

    /// A sample with an active subscription of the owner.
    private func subscribed(_ release: String, _ hook: HookSample, _ folder: TemporaryFolder) async throws -> ServiceSample {
        let sample = try sample(release, hook, folder)
        let stored = await send(sample, "owner", .put, "/Subscription/s", json(release))
        #expect(stored.status == 201 && stored.text.contains(Self.secret), "\(stored.text)")
        let changes = sample.store.changes()
        func isActive() async -> Bool { await send(sample, "owner", .get, "/Subscription/s").json?["status"]?.text == "active" }
        if await !isActive() { for await _ in changes { if await isActive() { break } } }
        return sample
    }

    @Test(arguments: ["R4", "R4B", "R5"]) func onlyTheOwnerReadsHeaderFields(_ release: String) async throws {
        let (hook, folder) = (HookSample(), try TemporaryFolder())
        let sample = try await subscribed(release, hook, folder)
        #expect(await hook.received.first?.request.fields["X-Hook"] == Self.secret)
        let batch =
            #"{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"Subscription/s"}},{"request":{"method":"GET","url":"Subscription"}}]}"#
        for who in ["other", "all"] {
            let answers = [
                await send(sample, who, .get, "/Subscription/s"), await send(sample, who, .get, "/Subscription"),
                await send(sample, who, .get, "/Subscription/s?_format=xml"), await send(sample, who, .get, "/Subscription/s/_history"),
                await send(sample, who, .get, "/Subscription/s/_history/1"), await send(sample, who, .get, "/Subscription/_history"),
                await send(sample, who, .get, "/_history"), await send(sample, who, .post, "", batch),
                await send(sample, who, .post, "/Subscription", json(release), ["If-None-Exist": "status=active"]),
                await send(
                    sample, who, .get, "/Subscription?_elements=\(release == "R5" ? "parameter" : "channel")"),
            ]
            for (number, answer) in answers.enumerated() {
                #expect(answer.status == 200 && answer.text.contains("masked"), "\(who), \(number): \(answer.text)")
                #expect(!answer.text.contains(Self.secret), "\(who), \(number)")
            }
            let exported = try await export(sample, who)
            #expect(exported.contains("masked") && !exported.contains(Self.secret))
        }
        #expect(await send(sample, "owner", .get, "/Subscription/s").text.contains(Self.secret))
        #expect(try await export(sample, "owner").contains(Self.secret))
        // Who owned an earlier version, nobody knows any more.
        #expect(await send(sample, "owner", .get, "/Subscription/s/_history/1").text.contains("masked"))
        await sample.service.stop()
    }

    private func export(_ sample: ServiceSample, _ who: String) async throws -> String {
        let job = await send(
            sample, who, .get, "/$export?_type=Subscription", "", ["Prefer": "respond-async", "Accept": "application/fhir+json"])
        let place = try #require(job.fields["Content-Location"]).replacing(ServiceSample.base, with: "")
        var manifest = await send(sample, who, .get, place)
        while manifest.status == 202 {
            await Task.yield()
            manifest = await send(sample, who, .get, place)
        }
        #expect(manifest.status == 200, "\(manifest.text)")
        let url = try #require(manifest.json?["output"]?.items.first?["url"]?.text)
        return await send(sample, who, .get, url.replacing(ServiceSample.base, with: "")).text
    }

    @Test(arguments: ["R4", "R5"]) func whoTakesASubscriptionOverBringsHeaderFieldsOfItsOwn(_ release: String) async throws {
        let (hook, folder) = (HookSample(), try TemporaryFolder())
        let sample = try await subscribed(release, hook, folder)
        let read = await send(sample, "other", .get, "/Subscription/s").text
        let patch = #"[{"op":"add","path":"/meta/tag","value":[{"code":"x"}]}]"#
        let meta = #"{"resourceType":"Parameters","parameter":[{"name":"meta","valueMeta":{"tag":[{"code":"x"}]}}]}"#
        let refused = [
            await send(sample, "other", .put, "/Subscription/s", read),
            await send(sample, "other", .put, "/Subscription/s", read.replacing(#""status":"active""#, with: #""status":"off""#)),
            await send(sample, "other", .patch, "/Subscription/s", patch, ["Content-Type": "application/json-patch+json"]),
            await send(sample, "other", .post, "/Subscription/s/$meta-add", meta),
        ]
        for reply in refused { #expect(reply.status == 422 && !reply.text.contains(Self.secret), "\(reply.text)") }
        #expect(await send(sample, "owner", .get, "/Subscription/s").text.contains(Self.secret))
        // The owner's own changes keep them.
        let patched = await send(sample, "owner", .patch, "/Subscription/s", patch, ["Content-Type": "application/json-patch+json"])
        #expect(patched.status == 200 && patched.text.contains(Self.secret), "\(patched.text)")
        // What another client stores is not for the one before, switched off or not.
        for status in ["off", "requested"] {
            let other = SubscriptionSample.json(release, status: status, header: "other-5521")
            #expect(await send(sample, "other", .put, "/Subscription/s", other).status == 200)
            let seen = await send(sample, "owner", .get, "/Subscription/s")
            #expect(seen.text.contains("masked") && !seen.text.contains("other-5521"), "\(seen.text)")
        }
        await sample.service.stop()
    }

    @Test func noOtherWayLeadsToHeaderFields() async throws {
        let (hook, folder) = (HookSample(), try TemporaryFolder())
        let sample = try await subscribed("R4", hook, folder)
        let view =
            #"{"resourceType":"ViewDefinition","resource":"Subscription","status":"active","select":[{"column":[{"name":"h","path":"channel.header.first()"}]}]}"#
        #expect(await send(sample, "all", .post, "/$viewdefinition-run", view).status == 403)
        let parameter =
            #"{"resourceType":"SearchParameter","id":"x","url":"http://example.org/h","name":"H","status":"active","description":"x","code":"h","base":["Subscription"],"type":"string","expression":"Subscription.channel.header"}"#
        #expect(await send(sample, "other", .put, "/SearchParameter/x", parameter).status == 403)
        await sample.service.stop()
    }

    /// Releases whose subscriptions the service does not serve have the same field.
    @Test(arguments: ["DSTU2", "STU3"]) func headerFieldsOfEarlierReleasesAreMasked(_ release: String) async throws {
        let sample = try sample(release, HookSample(), try TemporaryFolder())
        let header = release == "DSTU2" ? #""X: \#(Self.secret)""# : #"["X: \#(Self.secret)"]"#
        let json =
            #"{"resourceType":"Subscription","id":"s","criteria":"Patient?active=true","reason":"x","status":"requested","channel":{"type":"rest-hook","endpoint":"https://hook.example/in","payload":"application/json","header":\#(header)}}"#
        let stored = await send(sample, "owner", .put, "/Subscription/s", json)
        #expect(stored.status == 201, "\(stored.text)")
        for who in ["owner", "other"] {
            let read = await send(sample, who, .get, "/Subscription/s")
            #expect(read.status == 200 && read.text.contains("masked") && !read.text.contains(Self.secret), "\(read.text)")
        }
    }
}
