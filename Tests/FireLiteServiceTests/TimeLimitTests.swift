import FireLite
import FireLiteReleases
import Foundation
import Testing

@testable import FireLiteService

/// What takes longer than the server allows ends, changes nothing and leaves the store usable.
@Suite struct TimeLimitTests {
    private func sample(_ patients: Int, _ limit: Duration) throws -> ServiceSample {
        let sample = try ServiceSample("R4") { $0.limits.time = limit }
        let release = sample.store.release
        try sample.store.write { tx in
            _ = try tx.upsert(
                (0..<patients).map { number in
                    try FHIRJSON.resource(
                        from: Data(
                            #"{"resourceType":"Patient","id":"\#(number)","name":[{"family":"Family \#(number)","text":"Name \#(number)"}]}"#
                                .utf8),
                        release: release)
                })
        }
        return sample
    }

    /// A search that looks at each name for many words.
    private var slow: String { "name:contains=" + (0..<60).map { "word\($0)word" }.joined(separator: ",") }

    private func patients(_ sample: ServiceSample) throws -> Int {
        try sample.store.blocking { try $0.counts() }.first { $0.typeName == "Patient" }?.count ?? 0
    }

    private func expectTimeout(_ reply: ServiceSample.Reply) {
        #expect(reply.status == 503 && reply.issue == "timeout", "\(reply.status) \(reply.text.prefix(300))")
    }

    @Test func slowSearchesEnd() async throws {
        let sample = try sample(500, .milliseconds(20))
        let patient = try sample.unlimited()
        for _ in 0..<3 {
            expectTimeout(await sample.get("/Patient?" + slow))
            // The connection is as before.
            #expect(await patient.get("/Patient/7").status == 200)
            #expect(await patient.get("/Patient?name=family").entries.count == 50)
        }
        expectTimeout(await sample.send(.post, "/Patient/_search", slow, ["Content-Type": "application/x-www-form-urlencoded"]))
    }

    @Test func slowTransactionsChangeNothing() async throws {
        let sample = try sample(500, .milliseconds(200))
        let entries = (0..<200).map { number in
            #"{"resource":{"resourceType":"Patient","id":"new\#(number)"},"request":{"method":"POST","url":"Patient","ifNoneExist":"\#(slow)"}}"#
        }
        let bundle = #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.joined(separator: ","))]}"#
        expectTimeout(await sample.send(.post, "", bundle))
        #expect(try patients(sample) == 500)
        let patient = try sample.unlimited()
        #expect(await patient.send(.put, "/Patient/after", #"{"resourceType":"Patient","id":"after"}"#).status == 201)
    }

    /// Entries of a batch are done by themselves, so those before the end of the time are.
    @Test func entriesOfABatchAfterTheEndOfTheTimeAreRefused() async throws {
        let sample = try sample(500, .seconds(2))
        let first = #"{"request":{"method":"PUT","url":"Patient/first"},"resource":{"resourceType":"Patient","id":"first"}}"#
        let rest = (0..<300).map { _ in #"{"request":{"method":"GET","url":"Patient?\#(slow)"}}"# }
        let bundle = #"{"resourceType":"Bundle","type":"batch","entry":[\#(([first] + rest).joined(separator: ","))]}"#
        var reply = await sample.send(.post, "", bundle)
        // A request that waits two seconds for its turn among the tests is refused whole or from its first entry, and creates nothing.
        for _ in 0..<20 where reply.entries.first?["response"]?["status"]?.text?.hasPrefix("201") != true {
            #expect(try patients(sample) == 500)
            reply = await sample.send(.post, "", bundle)
        }
        #expect(reply.status == 200 && reply.entries.count == 301)
        #expect(reply.entries.first?["response"]?["status"]?.text?.hasPrefix("201") == true)
        #expect(reply.entries.last?["response"]?["status"]?.text?.hasPrefix("503") == true)
        #expect(reply.entries.last?["response"]?["outcome"]?["issue"]?.items.first?["code"]?.text == "timeout")
        #expect(try await sample.unlimited().get("/Patient/first").status == 200)
    }

    @Test func writesThatWaitTogetherEndToo() async throws {
        let sample = try sample(1, .zero)
        expectTimeout(await sample.send(.post, "/Patient", #"{"resourceType":"Patient"}"#))
        expectTimeout(await sample.get("/Patient/0"))
        #expect(try patients(sample) == 1)
    }
}
