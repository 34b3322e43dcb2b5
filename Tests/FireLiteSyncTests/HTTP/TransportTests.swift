import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What every transport of the module does, against a server on this machine.
@Suite(.ownThread, .timeLimit(.minutes(5))) struct TransportTests {
    /// The transports of this system.
    enum Kind: String, CaseIterable, Sendable {
        case session
        #if canImport(FoundationNetworking)
            case curl
        #endif

        func make(maximumConnections: Int = 6, maximumBodyBytes: Int = 512 << 20) throws -> any HTTPTransport {
            switch self {
            case .session: return URLSessionTransport(maximumConnections: maximumConnections, maximumBodyBytes: maximumBodyBytes)
            #if canImport(FoundationNetworking)
                case .curl:
                    return try #require(CurlTransport(maximumConnections: maximumConnections, maximumBodyBytes: maximumBodyBytes))
            #endif
            }
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func failure(
        _ transport: any HTTPTransport, _ request: HTTPRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> HTTPTransportError? {
        await #expect(throws: HTTPTransportError.self, sourceLocation: sourceLocation) {
            let answer = try await transport.send(request)
            Issue.record("\(answer.status), \(answer.body.count) bytes, \(answer.fields)", sourceLocation: sourceLocation)
        }
    }

    // MARK: - Requests and answers

    @Test(arguments: Kind.allCases) func requestsArriveAsTheyAre(kind: Kind) async throws {
        let server = try ScriptedServer(answering: Self.ok)
        let transport = try kind.make()
        for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
            let body: Data? = method == .get || method == .delete ? nil : Data("{\"ä\":1}".utf8)
            let fields: HTTPFields = ["Authorization": "Bearer t", "If-Match": "W/\"3\"", "Content-Type": "application/fhir+json"]
            let answer = try await transport.send(HTTPRequest(method, server.url("/base/a%20b?x=%7C"), fields: fields, body: body))
            #expect(answer.status == 200 && answer.body == Data("ok".utf8))
            let request = try #require(server.requests.last)
            #expect(request.method == method.rawValue && request.target == "/base/a%20b?x=%7C" && request.body == body ?? Data())
            for field in fields.all { #expect(request.fields[field.name.lowercased()] == field.value, "\(method) \(field.name)") }
            #expect(request.fields["expect"] == nil && request.fields["cookie"] == nil && request.fields["transfer-encoding"] == nil)
        }
        // Without a body, a create says so.
        _ = try await transport.send(HTTPRequest(.post, server.url("/base/$operation")))
        #expect(server.requests.last?.fields["content-length"] == "0")
    }

    @Test(arguments: Kind.allCases) func answersAreReadHoweverTheyAreFramed(kind: Kind) async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.request() {
                switch request.target {
                case "/chunks": connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                case "/early":
                    connection.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
                case "/fields": connection.send("HTTP/1.1 200 OK\r\nVary: a\r\nvary: b\r\nETag:  W/\"1\" \r\nContent-Length: 0\r\n\r\n")
                case "/empty": connection.send("HTTP/1.1 204 No Content\r\n\r\n")
                case "/nothing": return
                case "/half":
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
                    return
                default:
                    connection.send("HTTP/1.0 200 OK\r\n\r\nuntil the end")
                    return
                }
            }
        }
        let transport = try kind.make()
        func get(_ path: String) throws -> HTTPRequest { HTTPRequest(.get, try server.url(path)) }
        #expect(try await transport.send(get("/chunks")).body == Data("abcde".utf8))
        let fields = try await transport.send(get("/fields")).fields
        #expect(fields["etag"] == "W/\"1\"")
        // Foundation joins only names that are written alike.
        if kind != .session { #expect(fields["Vary"] == "a, b") }
        #expect(try await transport.send(get("/empty")).status == 204)
        #expect(try await transport.send(get("/close")).body == Data("until the end".utf8))
        if kind != .session { #expect(try await transport.send(get("/early")).status == 201) }
        #expect(try await failure(transport, get("/half"))?.code == .connectionLost)
        #expect(try await failure(transport, get("/nothing"))?.code == .connectionLost)
    }

    @Test(arguments: Kind.allCases) func aRedirectIsTheAnswer(kind: Kind) async throws {
        let server = try ScriptedServer(answering: "HTTP/1.1 307 Over There\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
        let answer = try await kind.make().send(HTTPRequest(.get, server.url("/here")))
        #expect(answer.status == 307 && answer.fields["Location"] == "/there" && server.requests.count == 1)
    }

    @Test(arguments: Kind.allCases) func aFieldWithALineBreakIsNotSent(kind: Kind) async throws {
        let server = try ScriptedServer(answering: Self.ok)
        let transport = try kind.make()
        for fields: HTTPFields in [["Authorization": "Bearer a\r\nX-Own: b"], ["A": "b\u{0}"], ["A\n": "b"], ["A b": "c"], ["": "c"]] {
            let error = try await failure(transport, HTTPRequest(.get, server.url("/"), fields: fields))
            #expect(error?.code == .invalidRequest && error?.message.contains("Bearer") == false)
        }
        #expect(
            try await failure(transport, HTTPRequest(HTTPMethod(rawValue: "GET /x HTTP/1.1\r\nA:"), server.url("/")))?.code
                == .invalidRequest)
        #expect(try await failure(transport, HTTPRequest(.get, address("file:///etc/hosts")))?.code == .invalidRequest)
        #expect(try await failure(transport, HTTPRequest(.get, address("http://user:secret@127.0.0.1:1/")))?.code == .invalidRequest)
        #expect(server.connections == 0)
    }

    @Test(arguments: Kind.allCases) func answersInMemoryAreLimited(kind: Kind) async throws {
        let server = try ScriptedServer { connection in
            guard connection.request() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n")
            connection.send(Data(count: 3_000_000))
        }
        let error = try await failure(kind.make(maximumBodyBytes: 1 << 20), HTTPRequest(.get, server.url("/")))
        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: Kind.allCases) func manyRequestsAtOnceTakeTurns(kind: Kind) async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.request() {
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n" + String(decoding: request.body, as: UTF8.self))
            }
        }
        let transport = try kind.make(maximumConnections: 3)
        let numbers = try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<60 {
                let request = HTTPRequest(.put, try server.url("/\(number)"), body: Data("\(number)".utf8))
                group.addTask { Int(String(decoding: try await transport.send(request).body, as: UTF8.self)) }
            }
            return try await group.reduce(into: Set<Int>()) { if let number = $1 { $0.insert(number) } }
        }
        #expect(numbers == Set(0..<60))
        if kind != .session { #expect(server.connections <= 3) }
    }

    // MARK: - Faults

    @Test(arguments: Kind.allCases) func aServerThatIsNotThereHasSeenNothing(kind: Kind) async throws {
        let error = try await failure(kind.make(), HTTPRequest(.post, address("http://127.0.0.1:1/"), body: Data("{}".utf8)))
        #expect(error?.code == .cannotConnect)
    }

    /// libcurl would send a request again if a connection that was used before breaks without an answer.
    @Test(arguments: Kind.allCases) func noRequestThatWritesIsSentTwiceUnasked(kind: Kind) async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.request() {
                if request.target == "/lost" { return }
                connection.send(Self.ok)
            }
        }
        let transport = try kind.make()
        let requests: [(HTTPMethod, Data?)] = [
            (.post, Data("{}".utf8)), (.put, Data("{}".utf8)), (.patch, Data(count: 300_000)), (.delete, nil), (.post, nil),
        ]
        for (method, body) in requests {
            // Leaves a connection that can be used again.
            _ = try await transport.send(HTTPRequest(.get, server.url("/kept")))
            let before = server.requests.count
            let error = try await failure(transport, HTTPRequest(method, server.url("/lost"), body: body))
            #expect(error?.code == .connectionLost, "\(method)")
            #expect(server.requests.count == before + 1, "\(method)")
        }
    }

    @Test(arguments: Kind.allCases) func aSilentServerCostsTheTimeout(kind: Kind) async throws {
        let server = try SilentServer()
        let error = try await failure(kind.make(), HTTPRequest(.get, server.base, timeout: .milliseconds(300)))
        #expect(error?.code == .timedOut)
    }

    /// The threads of servers that have ended take no connections of those that came after them.
    @Test func endedServersOfTestsAnswerNobody() async throws {
        for _ in 0..<50 { _ = try ScriptedServer(answering: Self.ok) }
        let servers = try (0..<50).map { _ in try SilentServer() }
        let transport = URLSessionTransport()
        let codes = await withTaskGroup(of: HTTPTransportError.Code?.self) { group in
            for server in servers {
                group.addTask {
                    do {
                        _ = try await transport.send(HTTPRequest(.get, server.base, timeout: .milliseconds(300)))
                        return nil
                    } catch { return (error as? HTTPTransportError)?.code }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count == 50 && codes.allSatisfy { $0 == .timedOut }, "\(codes)")
    }

    /// A few bytes now and then are no progress.
    @Test(arguments: Kind.allCases, [true, false]) func aServerThatOnlyDripsIsNotWaitedFor(kind: Kind, hasHead: Bool) async throws {
        let server = try ScriptedServer { connection in
            guard connection.request() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\n" + (hasHead ? "Content-Length: 1000000000\r\n\r\n" : "X-Slow: "))
            // A byte for each time that the client says it is still there, which it never does.
            connection.send("x")
            connection.waitForTheClientToGo()
        }
        var request = HTTPRequest(.get, try server.url("/"), timeout: .milliseconds(300))
        #expect(try await failure(kind.make(), request)?.code == .timedOut)
        // Even a fast server, if more is expected of it.
        let fast = try ScriptedServer { connection in
            guard connection.request() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
            while connection.send(Data(count: 1_000)) {}
        }
        request.url = try fast.url("/")
        request.minimumProgress = 1 << 40
        let transport = try kind.make()
        await #expect(throws: HTTPTransportError.self) { for try await _ in try await transport.stream(request).body {} }
    }

    @Test(arguments: Kind.allCases) func aDeadlineEndsEvenWhatMakesProgress(kind: Kind) async throws {
        let server = try ScriptedServer { connection in
            guard connection.request() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
            while connection.send(Data(count: 1_000)) {}
        }
        let transport = try kind.make()
        let request = HTTPRequest(.get, try server.url("/"), deadline: .milliseconds(500))
        let error = await #expect(throws: HTTPTransportError.self) { for try await _ in try await transport.stream(request).body {} }
        #expect(error?.code == .timedOut && error?.message.contains("deadline") == true)
    }

    @Test(arguments: Kind.allCases) func cancellingEndsARequestAndItsConnection(kind: Kind) async throws {
        let (gone, noteGone) = AsyncStream<Void>.makeStream()
        let (arrived, noteArrival) = AsyncStream<Void>.makeStream()
        let server = try ScriptedServer { connection in
            guard connection.request() != nil else { return }
            noteArrival.yield()
            connection.waitForTheClientToGo()
            noteGone.yield()
        }
        let transport = try kind.make()
        let request = HTTPRequest(.get, try server.url("/"), timeout: .seconds(3_600))
        let task = Task { try await transport.send(request) }
        for await _ in arrived { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in gone { break }
    }

    // MARK: - Slow readers

    /// The server stops when as much as is allowed waits here; then everything comes whole and in order.
    @Test(arguments: Kind.allCases) func aSlowReaderGetsEverythingInOrder(kind: Kind) async throws {
        let blocks = 200
        let (stalled, noteStall) = AsyncStream<Int>.makeStream()
        let server = try ScriptedServer { connection in
            guard connection.request() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(blocks << 20)\r\n\r\n")
            for block in 0..<blocks {
                var rest = Data(repeating: UInt8(block), count: 1 << 20)[...]
                while !rest.isEmpty {
                    guard let sent = connection.sendSome(rest) else { return noteStall.finish() }
                    if sent == 0 { noteStall.yield(block) }
                    rest = rest.dropFirst(sent)
                }
            }
            noteStall.finish()
        }
        // Less than the server waits: its waiting for us is not held against it.
        let answer = try await kind.make().stream(HTTPRequest(.get, server.url("/"), timeout: .milliseconds(400)))
        var count = 0
        for await block in stalled {
            if kind != .session { #expect(block > 50 && block < 120) }
            break
        }
        for try await piece in answer.body {
            var rest = piece[...]
            while !rest.isEmpty {
                let part = rest.prefix((1 << 20) - count % (1 << 20))
                #expect(part == Data(repeating: UInt8(count >> 20), count: part.count))
                count += part.count
                rest = rest.dropFirst(part.count)
            }
        }
        #expect(count == blocks << 20)
    }

    /// Streams that nobody reads do not keep other requests from the server.
    @Test(arguments: Kind.allCases) func aStreamThatWaitsHoldsUpNobody(kind: Kind) async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.request() {
                guard request.target == "/long" else {
                    connection.send(Self.ok)
                    continue
                }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
                for _ in 0..<1_000 where !connection.send(Data(count: 1_000_000)) { return }
            }
        }
        let transport = try kind.make(maximumConnections: 1)
        guard kind != .session else { return }
        let long = try await transport.stream(HTTPRequest(.get, server.url("/long")))
        #expect(try await transport.send(HTTPRequest(.get, server.url("/short"))).status == 200)
        withExtendedLifetime(long) {}
    }
}
