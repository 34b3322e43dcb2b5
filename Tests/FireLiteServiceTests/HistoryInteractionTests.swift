import FireLiteCore
import FireLiteService
import Foundation
import Testing

@Suite struct HistoryInteractionTests {
    private func sample() async throws -> ServiceSample {
        let sample = try ServiceSample()
        for active in ["true", "false"] {
            _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":\#(active)}"#)
        }
        _ = await sample.send(.put, "/Patient/b", #"{"resourceType":"Patient","id":"b"}"#)
        _ = await sample.send(.delete, "/Patient/a")
        return sample
    }

    private func lines(_ reply: ServiceSample.Reply) -> [String] {
        reply.entries.map { entry in
            let version = entry["resource"]?["meta"]?["versionId"]?.text ?? "-"
            return "\(entry["request"]?["method"]?.text ?? "") \(entry["request"]?["url"]?.text ?? "") \(version)"
        }
    }

    @Test func historiesListVersionsAndDeletions() async throws {
        let sample = try await sample()
        let one = await sample.get("/Patient/a/_history")
        #expect(one.json?["type"]?.text == "history" && one.json?["total"] == .number("3"))
        #expect(lines(one) == ["DELETE Patient/a -", "PUT Patient/a 2", "PUT Patient/a 1"])
        #expect(one.entries.last?["response"]?["etag"]?.text == "W/\"1\"")
        #expect(await sample.get("/Patient/_history").entries.count == 4)
        #expect(await sample.get("/_history").entries.count == 4)
        #expect(await sample.get("/Observation/_history").entries.isEmpty)
        #expect(await sample.get("/Patient/none/_history").status == 404)
        #expect(await sample.get("/_history?_since=2999-01-01T00:00:00Z").entries.isEmpty)
        #expect(await sample.get("/_history?_since=nonsense").status == 400)
        #expect(await sample.get("/_history?_at=2999").entries.count == 1)
    }

    /// An update creates under the id of the client, a creation under one of the server.
    @Test func historiesSayHowTheFirstVersionCame() async throws {
        let sample = try ServiceSample()
        #expect(await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a"}"#).status == 201)
        let created = await sample.send(.post, "/Patient", #"{"resourceType":"Patient"}"#, ["Prefer": "return=representation"])
        #expect(created.status == 201)
        for (id, line) in [("a", "PUT Patient/a 1"), (created.id, "POST Patient 1")] {
            let history = await sample.get("/Patient/\(id)/_history")
            #expect(lines(history) == [line] && history.entries.first?["response"]?["status"]?.text == "201")
        }
        #expect(Set(lines(await sample.get("/_history"))) == ["PUT Patient/a 1", "POST Patient 1"])
    }

    @Test func pagesOfAHistoryAreThoseOfTheWhole() async throws {
        let sample = try await sample()
        let whole = lines(await sample.get("/_history"))
        var found: [String] = []
        var path: String? = "/_history?_count=1"
        while let next = path {
            let page = await sample.get(next)
            found += lines(page)
            path = page.link("next")
            // A version that comes meanwhile is none of the later pages.
            if found.count == 1 { _ = await sample.send(.put, "/Patient/c", #"{"resourceType":"Patient","id":"c"}"#) }
        }
        #expect(found == whole && whole.count == 4)
    }
}
