import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

@Suite struct BulkExportTests {
    private static let manifest = """
        {"transactionTime":"2024-01-02T03:04:05Z","request":"x","requiresAccessToken":true,
        "output":[{"type":"Patient","url":"https://fhir.example.org/base/files/p1","count":1},
        {"type":"Observation","url":"https://files.example.org/o1"}],
        "deleted":[{"type":"Bundle","url":"https://fhir.example.org/base/files/d1"}],"error":[]}
        """

    private static func answer(_ request: HTTPRequest, polls: Int) -> HTTPResponse {
        switch request.url.path {
        case "/base/$export", "/base/Group/g1/$export":
            HTTPResponse(202, fields: ["Content-Location": "https://fhir.example.org/base/status/1"])
        case "/base/status/1":
            if request.method == .delete {
                HTTPResponse(202)
            } else if polls < 2 {
                HTTPResponse(202, fields: ["X-Progress": "half", "Retry-After": "10"])
            } else {
                .json(manifest)
            }
        case "/base/files/p1": .json("{\"resourceType\":\"Patient\",\"id\":\"1\"}\n")
        case "/o1": .json("{\"resourceType\":\"Observation\"}\n")
        case "/base/files/d1": .json("{\"resourceType\":\"Bundle\"}\n")
        default: HTTPResponse(404)
        }
    }

    @Test func anExportIsPreparedAndDownloaded() async throws {
        let polls = Counter()
        let server = StubServer { request, _ in
            Self.answer(request, polls: request.url.path == "/base/status/1" && request.method == .get ? polls.next() : 0)
        }
        let clock = TestClock()
        let client = try testClient(server, authorization: .bearer { _ in "token" }, clock: clock)
        let folder = try TemporaryFolder()
        let steps = Steps()
        let options = BulkExportOptions(level: .group(id: "g1"), types: ["Patient", "Observation"], since: "2023-01-01T00:00:00Z")
        let result = try await client.export(options, to: URL(fileURLWithPath: folder.file("export"))) { steps.note($0) }
        let start = server.requests[0]
        #expect(
            start.url.absoluteString
                == "https://fhir.example.org/base/Group/g1/$export?_type=Patient,Observation&_since=2023-01-01T00:00:00Z")
        #expect(start.fields["Prefer"] == "respond-async" && start.fields["Accept"] == "application/fhir+json")
        #expect(clock.sleeps == [.seconds(10), .seconds(10)])
        #expect(result.transactionTime == "2024-01-02T03:04:05Z")
        #expect(result.files.map(\.content) == [.resources, .resources, .deletions] && result.files.map(\.count) == [1, nil, nil])
        #expect(result.resourceURLs.count == 2)
        #expect(try String(contentsOf: result.files[0].url, encoding: .utf8) == "{\"resourceType\":\"Patient\",\"id\":\"1\"}\n")
        #expect(steps.noted.first == .preparing("half"))
        #expect(steps.noted.last == .downloading(files: 3, of: 3, bytes: 93))
        // A file on another server is loaded without the token.
        let tokens = server.requests.filter { ["/base/files/p1", "/o1"].contains($0.url.path) }.map { $0.fields["Authorization"] }
        #expect(tokens == ["Bearer token", nil])
        #expect(server.requests.last?.method == .delete && server.requests.last?.url.path == "/base/status/1")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("export")).sorted()
        #expect(names == ["deleted.3.Bundle.ndjson", "export.json", "output.1.Patient.ndjson", "output.2.Observation.ndjson"])
    }

    @Test func anInterruptedExportGoesOn() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("export")
        let failing = StubServer { request, _ in
            if request.url.path == "/o1" { throw HTTPTransportError(.connectionLost, "gone") }
            return Self.answer(request, polls: 9)
        }
        await #expect(throws: FHIRClientError.self) { try await testClient(failing).export(to: URL(fileURLWithPath: path)) }
        let rest = StubServer { request, _ in Self.answer(request, polls: 9) }
        let result = try await testClient(rest).export(to: URL(fileURLWithPath: path))
        #expect(result.files.count == 3)
        #expect(rest.requests.map(\.url.path) == ["/o1", "/base/files/d1", "/base/status/1"])
        // Another export needs another folder.
        let error = await #expect(throws: FHIRClientError.self) {
            try await testClient(rest).export(BulkExportOptions(types: ["Patient"]), to: URL(fileURLWithPath: path))
        }
        #expect(error?.code == .file)
    }

    @Test func aBodyThatBreaksOffIsLoadedAgain() async throws {
        let folder = try TemporaryFolder()
        let breaks = Counter()
        let server = BreakingServer { request in
            request.url.path == "/base/files/p1" && breaks.next() < 2
        } answer: {
            Self.answer($0, polls: 9)
        }
        var configuration = FHIRClient.Configuration()
        configuration.clock = TestClock().clock
        let client = try FHIRClient(base: testBase, release: .r4, configuration: configuration, transport: server)
        let result = try await client.export(to: URL(fileURLWithPath: folder.file("export")))
        #expect(try String(contentsOf: result.files[0].url, encoding: .utf8) == "{\"resourceType\":\"Patient\",\"id\":\"1\"}\n")
    }

    @Test func anExportThatTheServerForgotBeginsAgain() async throws {
        let folder = try TemporaryFolder()
        let forgetful = StubServer { request, _ in
            request.url.path == "/base/status/1" ? HTTPResponse(404) : Self.answer(request, polls: 0)
        }
        await #expect(throws: FHIRClientError.self) {
            try await testClient(forgetful).export(to: URL(fileURLWithPath: folder.file("export")))
        }
        let server = StubServer { request, _ in Self.answer(request, polls: 9) }
        _ = try await testClient(server).export(to: URL(fileURLWithPath: folder.file("export")))
        #expect(server.requests[0].url.path == "/base/$export")
    }

    /// What is no list of files is no finished export.
    @Test(arguments: ["{}", "[]", #"{"transactionTime":"2024-01-02T03:04:05Z"}"#, #"{"output":null}"#])
    func aListWithoutFilesIsAnError(text: String) async throws {
        let folder = try TemporaryFolder()
        let isFirst = Counter()
        let server = StubServer { request, _ in
            request.url.path == "/base/status/1" && request.method == .get && isFirst.next() == 0
                ? .json(text) : Self.answer(request, polls: 9)
        }
        let url = URL(fileURLWithPath: folder.file("export"))
        let error = await #expect(throws: FHIRClientError.self) { try await testClient(server).export(to: url) }
        #expect(error?.code == .invalidResponse)
        #expect(try await testClient(server).export(to: url).files.count == 3)
    }

    /// A file that ends early, be it at the end of a line, has fewer resources than the server says.
    @Test func aFileWithTooFewResourcesIsAnError() async throws {
        let folder = try TemporaryFolder()
        let isFirst = Counter()
        let patient = "{\"resourceType\":\"Patient\",\"id\":\"1\"}"
        let server = StubServer { request, _ in
            switch request.url.path {
            case "/base/status/1" where request.method == .get:
                .json(#"{"output":[{"type":"Patient","url":"https://fhir.example.org/base/files/two","count":2}],"error":[]}"#)
            case "/base/files/two": .json(isFirst.next() == 0 ? "\(patient)\n\n" : "\(patient)\n\(patient)")
            default: Self.answer(request, polls: 9)
            }
        }
        let url = URL(fileURLWithPath: folder.file("export"))
        let error = await #expect(throws: FHIRClientError.self) { try await testClient(server).export(to: url) }
        #expect(error?.code == .invalidResponse)
        let result = try await testClient(server).export(to: url)
        #expect(result.files.map(\.count) == [2])
    }

    @Test func namesFromTheServerCannotLeaveTheFolder() async throws {
        let folder = try TemporaryFolder()
        let server = StubServer { request, _ in
            request.url.path == "/base/status/1"
                ? .json(#"{"output":[{"type":"../../x","url":"https://fhir.example.org/base/files/p1"}]}"#) : Self.answer(request, polls: 9)
        }
        await #expect(throws: FHIRClientError.self) { try await testClient(server).export(to: URL(fileURLWithPath: folder.file("export"))) }
        #expect(try folder.names == ["export"])
        let plain = StubServer { request, _ in
            request.url.path == "/base/status/1"
                ? .json(#"{"output":[{"type":"Patient","url":"http://fhir.example.org/base/files/p1"}]}"#) : Self.answer(request, polls: 9)
        }
        await #expect(throws: FHIRClientError.self) { try await testClient(plain).export(to: URL(fileURLWithPath: folder.file("plain"))) }
    }
}

/// `@unchecked Sendable`: the lock guards the values.
private final class Steps: @unchecked Sendable {
    private let lock = NSLock()
    private var steps: [BulkExportProgress] = []
    var noted: [BulkExportProgress] { lock.withLock { steps } }
    func note(_ step: BulkExportProgress) { lock.withLock { steps.append(step) } }
}

/// Counts from 0.
///
/// `@unchecked Sendable`: the lock guards the count.
private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = -1
    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}

/// A server whose bodies break off in the middle.
private struct BreakingServer: HTTPTransport {
    let breaks: @Sendable (HTTPRequest) -> Bool
    let answer: @Sendable (HTTPRequest) -> HTTPResponse

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { answer(request) }

    func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse {
        let response = answer(request)
        guard breaks(request) else { return HTTPStreamedResponse(response.status, fields: response.fields, body: HTTPBody(response.body)) }
        let counter = Counter()
        return HTTPStreamedResponse(
            response.status, fields: response.fields,
            body: HTTPBody {
                if counter.next() == 0 { return Data(response.body.prefix(5)) }
                throw HTTPTransportError(.connectionLost, "the connection broke")
            })
    }
}
