import FireLiteCore
import FireLiteService
import Foundation
import TestSupport
import Testing

/// The history of the system and of types, which is read a page at a time.
@Suite struct LongHistoryTests {
    private func lines(_ reply: ServiceSample.Reply) -> [String] {
        reply.entries.map { entry in
            let path = entry["fullUrl"]?.text?.split(separator: "/").suffix(2).joined(separator: "/") ?? ""
            return "\(entry["request"]?["method"]?.text ?? "") \(path) \(entry["resource"]?["meta"]?["versionId"]?.text ?? "-")"
        }
    }

    private func pages(_ sample: ServiceSample, _ first: String) async -> [String] {
        var found: [String] = []
        var path: String? = first
        while let next = path {
            let page = await sample.get(next)
            #expect(page.status == 200, "\(next): \(page.text)")
            found += lines(page)
            path = page.link("next")
        }
        return found
    }

    @Test(arguments: [1, 2, 3]) func pagesAreTheEventsOfAModel(_ seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let sample = try ServiceSample()
        // What there was before the history is listed once it is replaced or deleted.
        let early = try ServiceSample("R4", history: false, #"{"resourceType":"Patient","id":"0","active":true}"#)
        try await early.store.track(.history)
        for sample in [sample, early] {
            var model: [String] = []
            var versions: [String: Int] = sample.store === early.store ? ["Patient/0": 1] : [:]
            var live: Set<String> = Set(versions.keys)
            var before: String? = live.first
            for number in 0..<120 {
                let type = ["Patient", "Basic"].randomElement(using: &generator) ?? ""
                let key = "\(type)/\(Int.random(in: 0..<6, using: &generator))"
                if live.contains(key), Int.random(in: 0..<4, using: &generator) == 0 {
                    #expect(await sample.send(.delete, "/" + key).status == 204)
                    live.remove(key)
                    model.append("DELETE \(key) -")
                } else {
                    let content = type == "Basic" ? #""code":{"text":"\#(number)"}"# : #""language":"x\#(number)""#
                    let id = key.split(separator: "/")[1]
                    let reply = await sample.send(.put, "/" + key, #"{"resourceType":"\#(type)","id":"\#(id)",\#(content)}"#)
                    #expect(reply.status == (live.contains(key) ? 200 : 201))
                    live.insert(key)
                    versions[key, default: 0] += 1
                    model.append("PUT \(key) \(versions[key] ?? 0)")
                }
                if before != nil, model.last?.contains("Patient/0") ?? false { before = nil }
            }
            if sample.store === early.store, before == nil { model.insert("PUT Patient/0 1", at: 0) }
            let expected = Array(model.reversed())
            for size in [1, 7, 50, 1_000] {
                #expect(await pages(sample, "/_history?_count=\(size)") == expected, "seed \(seed), pages of \(size)")
                for type in ["Patient", "Basic"] {
                    #expect(await pages(sample, "/\(type)/_history?_count=\(size)") == expected.filter { $0.contains(" \(type)/") })
                }
            }
            #expect(await pages(sample, "/Observation/_history").isEmpty)
            // Of one resource the same, from its versions.
            for key in live {
                let own = expected.filter { $0.contains(" \(key) ") }
                #expect(await pages(sample, "/\(key)/_history?_count=3") == own)
                #expect(await sample.get("/\(key)/_history?_count=0").json?["total"] == .number("\(own.count)"), "\(key)")
            }
        }
    }

    @Test func aHistoryOfManyVersionsIsReadByPages() async throws {
        let sample = try ServiceSample()
        let release = sample.store.release
        for number in 0..<600 {
            let data = Data(#"{"resourceType":"Basic","id":"a","code":{"text":"\#(number)"}}"#.utf8)
            try await sample.store.write { tx in _ = try tx.upsert(FHIRJSON.resource(from: data, release: release)) }
        }
        let first = await sample.get("/Basic/a/_history?_count=2")
        #expect(first.json?["total"] == .number("600"))
        #expect(first.entries.compactMap { $0["resource"]?["code"]?["text"]?.text } == ["599", "598"])
        // Most of the content of old versions is damaged: a page that does not need it does not read it.
        try await sample.store.write { tx in
            let changed = try tx.run(
                on: ModuleTables(module: "test", version: 1, tables: [ModuleTable("_test", key: "k", columns: [])]),
                "UPDATE _change SET content = 'x' WHERE kind <> 0 AND revision < 300")
            #expect(changed == 299)
        }
        #expect(await sample.get("/Basic/a/_history?_count=2").status == 200)
        #expect(await sample.get("/Basic/a/_history/600").status == 200)
        #expect(await sample.get("/Basic/a/_history/599").json?["code"]?["text"]?.text == "598")
        #expect(await sample.get("/Basic/a/_history/7").status == 500)
        let all = await pages(sample, "/Basic/a/_history?_count=100&_since=2999")
        #expect(all.isEmpty)
    }

    @Test func spansSelectWhatWasCurrentThen() async throws {
        let sample = try ServiceSample()
        for active in ["true", "false"] {
            _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":\#(active)}"#)
        }
        #expect(await pages(sample, "/_history?_since=2000-01-01T00:00:00Z").count == 2)
        #expect(await pages(sample, "/_history?_since=2999-01-01").isEmpty)
        #expect(await pages(sample, "/_history?_at=2000").isEmpty)
        #expect(await pages(sample, "/_history?_at=2999") == ["PUT Patient/a 2"])
        #expect(await sample.get("/_history?_cursor=nonsense").status == 400)
        #expect(await sample.get("/_history?_count=0").entries.isEmpty)
    }

    @Test func historiesThatLackALostChangeAreErrors() async throws {
        let sample = try ServiceSample()
        func put(_ id: String, _ language: String) async {
            let json = #"{"resourceType":"Patient","id":"\#(id)","language":"\#(language)"}"#
            #expect(await sample.send(.put, "/Patient/\(id)", json).status < 300)
        }
        for id in ["a", "b", "c"] { await put(id, "x") }
        try await sample.store.track(.changes)
        let start = try await sample.store.reading { try sample.store.newestChange() }
        for (id, language) in [("a", "y"), ("b", "y"), ("c", "y"), ("a", "z")] { await put(id, language) }
        #expect(await sample.get("/_history").entries.count == 7)
        try await sample.store.write { tx in
            let changed = try tx.run(
                on: ModuleTables(module: "test", version: 1, tables: [ModuleTable("_test", key: "k", columns: [])]),
                "DELETE FROM _change WHERE seq = ?", [.integer(start + 2)])
            #expect(changed == 1)
        }
        // A page that ends before the gap is whole.
        let first = await sample.get("/_history?_count=2")
        #expect(lines(first) == ["PUT Patient/a 3", "PUT Patient/c 2"])
        #expect(await sample.get("/_history?_since=2999-01-01").status == 200)
        let next = await sample.get(try #require(first.link("next")))
        #expect(next.status == 500 && next.issue == "exception" && next.text.contains("the store has lost changes"), "\(next.text)")
        for path in ["/_history", "/Patient/_history", "/Patient/a/_history", "/Patient/b/_history", "/Patient/c/_history"] {
            let reply = await sample.get(path)
            #expect(reply.status == 500 && reply.issue == "exception", "\(path): \(reply.text)")
        }
        #expect(await sample.get("/Patient/b").status == 200)
    }

    @Test func storesWithoutAHistoryHaveNone() async throws {
        let sample = try ServiceSample("R4", history: false, #"{"resourceType":"Patient","id":"a"}"#)
        let reply = await sample.get("/_history")
        #expect(reply.status == 200 && reply.entries.isEmpty)
    }
}
