import FireLiteCrypto
import FireLiteR4
import FireLiteSync
import Foundation
import Testing

/// URLSession against a server with faults on purpose.
@Suite(.ownThread, .enabled(if: LocalServers.faulty != nil, Comment(rawValue: LocalServers.hint)))
struct URLSessionTransportTests {
    private struct Echo: Decodable {
        let method: String
        let path: String
        let fields: [String: String]
        let body: String
    }

    private struct Seen: Decodable {
        let count: Int
        let stored: Stored?

        enum Stored: Decodable {
            case text(String)
            case fields([String: String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else {
                    self = .fields(try container.decode([String: String].self))
                }
            }
        }
    }

    private let transport = URLSessionTransport()
    private let base: URL

    init() throws { base = try #require(LocalServers.faulty) }

    private func url(_ path: String) throws -> URL { try #require(URL(string: base.absoluteString + path)) }

    private func client(_ retry: RetryPolicy = .never, path: String = "", authorization: any Authorization = .none) throws -> FHIRClient {
        var configuration = FHIRClient.Configuration()
        configuration.retry = retry
        configuration.clock = TestClock().clock
        return try FHIRClient(
            base: url(path), release: .r4, authorization: authorization, configuration: configuration, transport: transport)
    }

    private func seen(_ path: String) async throws -> Seen {
        let response = try await transport.send(HTTPRequest(.get, url("/seen?path=\(path)")))
        return try JSONDecoder().decode(Seen.self, from: response.body)
    }

    private func code(_ path: String, timeout: Swift.Duration = .seconds(20)) async throws -> HTTPTransportError.Code? {
        do {
            _ = try await transport.send(HTTPRequest(.get, url(path), timeout: timeout))
            return nil
        } catch let error as HTTPTransportError { return error.code }
    }

    @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete])
    func requestsArriveAsTheyAre(_ method: HTTPMethod) async throws {
        let body = method == .get ? nil : Data("ä\u{1F600}".utf8)
        let fields: HTTPFields = [
            "Authorization": "Bearer t", "If-Match": "W/\"3\"", "Content-Type": "application/fhir+json", "X-Own": "a, b",
        ]
        let response = try await transport.send(HTTPRequest(method, url("/echo/a%20b?x=%7C"), fields: fields, body: body))
        let echo = try JSONDecoder().decode(Echo.self, from: response.body)
        #expect(response.status == 200 && echo.method == method.rawValue && echo.path == "/echo/a%20b?x=%7C")
        #expect(echo.body == String(decoding: body ?? Data(), as: UTF8.self))
        for field in fields.all { #expect(echo.fields[field.name.lowercased()] == field.value, "\(field.name)") }
        #expect(echo.fields["accept-encoding"]?.contains("gzip") == true)
    }

    @Test func gzipIsDecompressed() async throws {
        #expect(try await client(path: "/gzip").read(Patient.self, id: "1").id == "zipped")
    }

    @Test func nothingIsKeptBetweenRequests() async throws {
        for _ in 0..<2 { _ = try await transport.send(HTTPRequest(.get, url("/cookie"))) }
        let echo = try JSONDecoder().decode(Echo.self, from: try await transport.send(HTTPRequest(.get, url("/echo"))).body)
        #expect(echo.fields["cookie"] == nil)
    }

    @Test func aRedirectIsTheAnswer() async throws {
        let response = try await transport.send(HTTPRequest(.get, url("/redirect")))
        #expect(response.status == 307 && response.fields["location"] == "/echo")
    }

    @Test func theTokenDoesNotFollowToAnotherOrigin() async throws {
        let client = try client(authorization: .bearer { _ in "secret" })
        let same = try await client.send(FHIRRequest(.get, "redirect"))
        #expect(try JSONDecoder().decode(Echo.self, from: same.body).fields["authorization"] == "Bearer secret")
        let other = try await client.send(FHIRRequest(.get, "redirect", parameters: ["other": "1"]))
        let echo = try JSONDecoder().decode(Echo.self, from: other.body)
        #expect(echo.path == "/echo" && echo.fields["authorization"] == nil && echo.fields["host"]?.hasPrefix("localhost") == true)
    }

    @Test func aLyingNextLinkGetsNoToken() async throws {
        let client = try client(path: "/lying", authorization: .bearer { _ in "secret" })
        for try await _ in client.search(Patient.self) {}
        guard case .fields(let fields)? = try await seen("/pages").stored else { Issue.record("the link was not followed"); return }
        #expect(fields["Host"]?.hasPrefix("localhost") == true && fields["Authorization"] == nil)
    }

    @Test func faultsHaveCodes() async throws {
        #expect(try await code("/drop") == .connectionLost)
        #expect(try await code("/cut") == .connectionLost)
        #expect(try await code("/hang?seconds=600", timeout: .seconds(1)) == .timedOut)
        let nobody = HTTPRequest(.get, address("http://127.0.0.1:1/"))
        let error = await #expect(throws: HTTPTransportError.self) { try await transport.send(nobody) }
        #expect(error?.code == .cannotConnect)
    }

    @Test func failuresAreRepeated() async throws {
        for status in [429, 503, 500] {
            let name = "/times/\(status)/2/\(UUID().uuidString)"
            #expect(try await client(RetryPolicy(), path: name).read(Patient.self, id: "1").id == "late")
            #expect(try await seen(name + "/Patient/1").count == 3)
        }
    }

    /// The server commits, and its answer gets lost: the second PUT changes nothing.
    @Test func aLostAnswerAfterTheCommitIsSafe() async throws {
        let name = "/commits/1/\(UUID().uuidString)"
        let result = try await client(RetryPolicy(), path: name).update(Patient { $0.id = "7" })
        #expect(result.resource?.id == "7")
        let path = name + "/Patient/7"
        #expect(try await seen(path).count == 2)
        // A create that is not conditional is not repeated: the app decides.
        let other = "/commits/1/\(UUID().uuidString)"
        let error = await #expect(throws: FHIRClientError.self) { try await client(RetryPolicy(), path: other).create(Patient()) }
        #expect(error?.code == .connectionLost)
        #expect(try await seen(other + "/Patient").count == 1)
    }

    /// libcurl would send a request again if a connection that was used before breaks without an answer.
    @Test func noRequestThatWritesIsSentTwiceUnasked() async throws {
        for method in [HTTPMethod.post, .put, .patch, .delete] {
            // Leaves a connection that can be used again.
            _ = try await transport.send(HTTPRequest(.get, url("/echo")))
            let path = "/commits/1/\(UUID().uuidString)"
            let error = await #expect(throws: HTTPTransportError.self) {
                try await transport.send(HTTPRequest(method, url(path), body: Data("{}".utf8)))
            }
            #expect(error?.code == .connectionLost)
            #expect(try await seen(path).count == 1, "\(method)")
        }
    }

    @Test func cancellingEndsARequest() async throws {
        let request = HTTPRequest(.get, try url("/hang?seconds=600"))
        let task = _Concurrency.Task { try await transport.send(request) }
        while try await seen("/hang").count == 0 { await _Concurrency.Task.yield() }
        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(300))
    }

    /// 64 MB arrive before the reader takes the second piece: they wait on the disk, and come in order and complete.
    @Test func aSlowReaderGetsALargeBodyInPieces() async throws {
        let size = 64 << 20
        let response = try await transport.stream(HTTPRequest(.get, url("/big?bytes=\(size)")))
        var digest = HashAlgorithm.sha256.digest(of: Data())
        var count = 0
        var largest = 0
        for try await piece in response.body {
            count += piece.count
            largest = max(largest, piece.count)
            // Work that a reader would have.
            for _ in 0..<20 { digest = HashAlgorithm.sha256.digest(of: piece) }
        }
        #expect(count == size && digest.count == 32)
        #expect(largest <= 6 << 20)
        print("64 MB in pieces of at most \(largest) bytes")
    }

    @Test func aBodyThatNobodyReadsToTheEndIsCancelled() async throws {
        for _ in 0..<20 {
            let response = try await transport.stream(HTTPRequest(.get, url("/big?bytes=\(256 << 20)")))
            for try await piece in response.body where !piece.isEmpty { break }
        }
        let echo = try await transport.send(HTTPRequest(.get, url("/echo")))
        #expect(echo.status == 200)
    }

    @Test func answersInMemoryAreLimited() async throws {
        let small = URLSessionTransport(maximumBodyBytes: 1 << 20)
        let error = await #expect(throws: HTTPTransportError.self) { try await small.send(HTTPRequest(.get, url("/big?bytes=\(2 << 20)"))) }
        #expect(error?.code == .tooLarge)
    }

    @Test func manyRequestsAtOnce() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                let request = HTTPRequest(.post, try url("/echo/\(number)"), body: Data("\(number)".utf8))
                group.addTask {
                    let response = try await transport.send(request)
                    return try Int(JSONDecoder().decode(Echo.self, from: response.body).body) ?? -1
                }
            }
            var numbers: Set<Int> = []
            for try await number in group { numbers.insert(number) }
            #expect(numbers == Set(0..<100))
        }
    }
}
