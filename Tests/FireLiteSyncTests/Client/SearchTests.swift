import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct SearchTests {
    private static func page(_ ids: [String], next: String? = nil, total: Int? = nil, extra: String = "") -> String {
        let entries = ids.map { #"{"search":{"mode":"match"},"resource":{"resourceType":"Patient","id":"\#($0)"}}"# }
        let link = next.map { #""link":[{"relation":"self","url":"x"},{"relation":"next","url":"\#($0)"}],"# } ?? ""
        let count = total.map { "\"total\":\($0)," } ?? ""
        return #"{"resourceType":"Bundle","type":"searchset",\#(count)\#(link)"entry":[\#(entries.joined(separator: ","))\#(extra)]}"#
    }

    /// Three pages: the second by an absolute link, the third by a relative one.
    private static func threePages() -> StubServer {
        StubServer { request, _ in
            switch request.url.query ?? "" {
            case let query where query.contains("page=2"): .json(page(["3"], next: "Patient?page=3"))
            case let query where query.contains("page=3"): .json(page(["4"]))
            default: .json(page(["1", "2"], next: "https://fhir.example.org/base/Patient?page=2", total: 4))
            }
        }
    }

    @Test func allPagesAreReadOneByOne() async throws {
        let server = Self.threePages()
        let client = try testClient(server, authorization: .bearer { _ in "token" })
        var pages = client.search(Patient.self, ["name": "a b"]).makeAsyncIterator()
        #expect(server.requests.isEmpty)
        let first = try #require(try await pages.next())
        #expect(first.matches.map(\.id) == ["1", "2"] && first.total == 4 && server.requests.count == 1)
        #expect(server.requests[0].url.absoluteString == "https://fhir.example.org/base/Patient?name=a%20b")
        #expect(try await pages.next()?.matches.map(\.id) == ["3"])
        #expect(try await pages.next()?.matches.map(\.id) == ["4"])
        #expect(try await pages.next() == nil)
        #expect(try await pages.next() == nil && server.requests.count == 3)
        #expect(server.requests.allSatisfy { $0.fields["Authorization"] == "Bearer token" })
    }

    @Test func matchesOfAllPages() async throws {
        let client = try testClient(Self.threePages())
        var ids: [String?] = []
        for try await patient in client.search(Patient.self).matches { ids.append(patient.id) }
        #expect(ids == ["1", "2", "3", "4"])
    }

    @Test func aSearchGoesOnAtAPage() async throws {
        let client = try testClient(Self.threePages())
        var ids: [String?] = []
        for try await page in client.search(Patient.self, from: address("https://fhir.example.org/base/Patient?page=2")) {
            ids += page.matches.map(\.id)
        }
        #expect(ids == ["3", "4"])
    }

    /// A next link to another server is followed, as some servers have several names, but gets nothing that identifies the user.
    @Test func aNextLinkToAnotherServerGetsNoToken() async throws {
        let server = StubServer { _, number in .json(Self.page(["\(number)"], next: number == 0 ? "https://evil.org/more" : nil)) }
        let client = try testClient(server, authorization: .bearer { _ in "token" })
        for try await _ in client.search(Patient.self, ["name": "x"]) {}
        #expect(server.requests.map(\.url.host) == ["fhir.example.org", "evil.org"])
        #expect(server.requests.map { $0.fields["Authorization"] } == ["Bearer token", nil])
    }

    @Test(arguments: ["http://fhir.example.org/base/Patient?page=2", "http://127.0.0.1/x", "file:///etc/passwd"])
    func aNextLinkThatIsNotHTTPSIsRefused(_ link: String) async throws {
        let server = StubServer { _, _ in .json(Self.page(["1"], next: link)) }
        await #expect(throws: FHIRClientError.self) { for try await _ in try testClient(server).search(Patient.self) {} }
        #expect(server.requests.count == 1)
    }

    @Test func linksThatLeadInACircleEnd() async throws {
        let server = StubServer { _, _ in .json(Self.page(["1"], next: "https://fhir.example.org/base/Patient?page=2")) }
        let error = await #expect(throws: FHIRClientError.self) { for try await _ in try testClient(server).search(Patient.self) {} }
        #expect(error?.code == .invalidResponse && server.requests.count == 2)
    }

    @Test func includedResourcesAndOutcomesAreApart() async throws {
        let extra = """
            ,{"search":{"mode":"include"},"resource":{"resourceType":"Organization","id":"o"}},
            {"search":{"mode":"outcome"},"resource":{"resourceType":"OperationOutcome","issue":[{"severity":"warning","code":"incomplete"}]}},
            {"search":{"mode":"include"},"resource":{"resourceType":"Patient","id":"mother"}}
            """
        let server = StubServer { _, _ in .json(Self.page(["1"], extra: extra), 200, ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) }
        for try await page in try testClient(server).search(Patient.self, ["_include": "Patient:organization"]) {
            #expect(page.matches.map(\.id) == ["1"] && page.included.map(\.id) == ["o", "mother"])
            #expect(page.issues.map(\.code) == ["incomplete"])
            #expect(page.serverTime == Date(timeIntervalSince1970: 784_111_777))
            // They belong to nobody, so that a store can take them.
            #expect(!page.matches[0].isManaged)
        }
    }

    @Test func parametersCanBeSentInTheBody() async throws {
        let server = StubServer { _, _ in .json(Self.page(["1"])) }
        for try await _ in try testClient(server).search(Patient.self, ["name": "Smith"], usesPost: true) {}
        let request = server.requests[0]
        #expect(request.method == .post && request.url.absoluteString == "https://fhir.example.org/base/Patient/_search")
        #expect(request.text == "name=Smith" && request.fields["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func countsAndEverything() async throws {
        let server = StubServer { request, _ in
            request.url.query == "_summary=count"
                ? .json(#"{"resourceType":"Bundle","type":"searchset","total":12}"#)
                : .json(
                    #"{"resourceType":"Bundle","type":"searchset","entry":[{"resource":{"resourceType":"Patient","id":"1"}},{"resource":{"resourceType":"Observation","id":"2","status":"final","code":{"text":"x"}}}]}"#
                )
        }
        let client = try testClient(server)
        #expect(try await client.count(Patient.self) == 12)
        var types: [String] = []
        for try await page in try client.everything(Patient.self, id: "1") { types += page.matches.map(\.resourceType) }
        #expect(types == ["Patient", "Observation"])
        #expect(server.requests.last?.url.path == "/base/Patient/1/$everything")
        var all: [String?] = []
        for try await resource in try client.search(typeName: "Patient").matches { all.append(resource.id) }
        #expect(all.count == 2)
        #expect(throws: FHIRClientError.self) { try client.search(typeName: "Nothing") }
    }

    @Test func historiesListVersionsAndDeletions() async throws {
        let history = """
            {"resourceType":"Bundle","type":"history","total":2,"entry":[
            {"fullUrl":"https://fhir.example.org/base/Patient/1","request":{"method":"DELETE","url":"Patient/1"},
            "response":{"status":"204","etag":"W/\\"3\\"","lastModified":"2024-01-02T03:04:05Z"}},
            {"request":{"method":"PUT","url":"Patient/1"},"resource":{"resourceType":"Patient","id":"1","meta":{"versionId":"2"}}}]}
            """
        let server = StubServer { _, _ in .json(history) }
        let client = try testClient(server)
        var entries: [FHIRHistoryEntry] = []
        for try await page in try client.history(Patient.self, id: "1", ["_since": "2024-01-01T00:00:00Z"]) {
            #expect(page.total == 2)
            entries += page.entries
        }
        #expect(server.requests[0].url.absoluteString == "https://fhir.example.org/base/Patient/1/_history?_since=2024-01-01T00:00:00Z")
        #expect(entries.map(\.isDeletion) == [true, false] && entries.map(\.id) == ["1", "1"] && entries.map(\.version) == ["3", "2"])
        #expect(entries[0].typeName == "Patient" && entries[0].resource == nil && entries[0].lastModified != nil)
        #expect(entries[1].resource is Patient)
        for try await _ in client.history() {}
        #expect(server.requests.last?.url.path == "/base/_history")
    }
}
