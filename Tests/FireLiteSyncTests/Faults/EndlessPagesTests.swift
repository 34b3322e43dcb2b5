import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Searches and histories whose pages go on for ever, each at a new address.
@Suite struct EndlessPagesTests {
    /// A page with these entries and a link to another one.
    private static func page(_ type: String, _ entries: [String], total: Int? = nil, next: Int?) -> HTTPResponse {
        let link = next.map { #","link":[{"relation":"next","url":"\#(testBase.absoluteString)/Patient?page=\#($0)"}]"# } ?? ""
        let count = total.map { ",\"total\":\($0)" } ?? ""
        let list = entries.isEmpty ? "" : ",\"entry\":[\(entries.joined(separator: ","))]"
        return .json(#"{"resourceType":"Bundle","type":"\#(type)"\#(count)\#(link)\#(list)}"#)
    }

    private static func entry(_ id: String) -> String { #"{"resource":{"resourceType":"Patient","id":"\#(id)","meta":{"versionId":"1"}}}"# }

    private static func deletion(_ id: String) -> String {
        #"{"request":{"method":"DELETE","url":"Patient/\#(id)"},"response":{"status":"204","etag":"W/\"2\""}}"#
    }

    /// A pull ends with an error, and the next one with an honest server has everything.
    @Test(arguments: [true, false], [true, false]) func pagesWithoutAnythingNewEndThePull(isHistory: Bool, isEmpty: Bool) async throws {
        let server = ModelServer()
        for id in ["a", "b", "d"] { server.put(samplePatient(id)) }
        let isLying = Switch(false)
        let stub = StubServer { request, number in
            let path = request.url.path
            let isNext = request.url.query?.contains("page=") == true
            let isMeant = isHistory ? path.hasSuffix("_history") || isNext : path == "/base/Patient"
            guard isLying.value, isMeant else { return try await server.send(request) }
            let entries = isEmpty ? [] : [isHistory ? Self.deletion("b") : Self.entry("a")]
            return Self.page(isHistory ? "history" : "searchset", entries, next: number)
        }
        let device = try Device(stub, scope: .types("Patient"))
        try await device.sync()
        server.remove("Patient", "b")
        isLying.value = true
        let before = stub.requests.count
        let error = await #expect(throws: FHIRClientError.self) { try await device.sync() }
        #expect(error?.code == .invalidResponse && stub.requests.count - before < (isEmpty ? PagePlace.maximumEmptyPages : 0) + 20)
        isLying.value = false
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.contents() == server.contents && server.contents.count == 2)
    }

    /// The pages of a client's loop end, too.
    @Test(arguments: [true, false], [true, false]) func loopsOverPagesEnd(isHistory: Bool, isEmpty: Bool) async throws {
        let stub = StubServer { _, number in
            Self.page(isHistory ? "history" : "searchset", isEmpty ? [] : [Self.entry("a")], next: number)
        }
        let client = try testClient(stub)
        let error = await #expect(throws: FHIRClientError.self) {
            if isHistory {
                for try await _ in try client.history(Patient.self) {}
            } else {
                for try await _ in client.search(Patient.self) {}
            }
        }
        // The first of those that repeat an entry is the second page.
        #expect(stub.requests.count == (isEmpty ? PagePlace.maximumEmptyPages : PagePlace.maximumBarrenPages + 1))
        #expect(error?.code == .invalidResponse)
    }

    /// Empty pages do not hide that the others repeat one entry.
    @Test func emptyPagesBetweenRepeatedOnesAreNothingNew() async throws {
        let stub = StubServer { _, number in Self.page("searchset", number.isMultiple(of: 2) ? [Self.entry("a")] : [], next: number) }
        let error = await #expect(throws: FHIRClientError.self) { for try await _ in try testClient(stub).search(Patient.self) {} }
        #expect(error?.code == .invalidResponse && stub.requests.count == 2 * PagePlace.maximumBarrenPages + 1)
    }

    /// Far more matches than the server says in all are an error; totals that are a little wrong are none.
    @Test(arguments: [3, 1_900]) func moreThanTheTotalIsAnError(total: Int) async throws {
        let stub = StubServer { _, number in
            Self.page("searchset", (0..<500).map { Self.entry("p\(number)-\($0)") }, total: total, next: number < 5 ? number : nil)
        }
        let client = try testClient(stub)
        var count = 0
        var error: FHIRClientError?
        do {
            for try await page in client.search(Patient.self) { count += page.matches.count }
        } catch let caught as FHIRClientError { error = caught }
        #expect(error?.code == (total == 3 ? .invalidResponse : nil))
        #expect(count == (total == 3 ? 1_000 : 3_000))
    }

    /// Empty pages between others, and an empty last one, are no mistake.
    @Test func someEmptyPagesAreFine() async throws {
        let stub = StubServer { _, number in
            Self.page("searchset", number % 30 == 0 ? [Self.entry("p\(number)")] : [], next: number < 89 ? number : nil)
        }
        var ids: [String?] = []
        for try await patient in try testClient(stub).search(Patient.self).matches { ids.append(patient.id) }
        #expect(ids == ["p0", "p30", "p60"] && stub.requests.count == 90)
    }

    /// A pull from a server that filters after paging has everything, once, and writes nothing there.
    @Test func aPullReadsOnAfterManyEmptyPages() async throws {
        let server = ModelServer()
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let stub = StubServer { request, _ in
            let parts = (request.url.query ?? "").split(separator: "&").filter { !$0.hasPrefix("page=") }
            let number = request.url.query?.firstMatch(of: /page=(\d+)/).flatMap { Int($0.1) } ?? 0
            guard request.url.path == "/base/Patient", number < 20 else { return try await server.send(request) }
            let next = "\(testBase.absoluteString)/Patient?\((parts + ["page=\(number + 1)"]).joined(separator: "&"))"
            return .json(#"{"resourceType":"Bundle","type":"searchset","link":[{"relation":"next","url":"\#(next)"}]}"#)
        }
        let device = try Device(stub, scope: .types("Patient"))
        try await device.sync()
        #expect(try device.contents() == server.contents && server.contents.count == 2)
        #expect(!stub.requests.contains { $0.method == .post } && server.history.values.map(\.count) == [1, 1])
    }
}
