import FireLiteBrowser
import FireLiteReleases
import FireLiteService
import Foundation
import Testing

@testable import FireLiteServer

/// The server over real sockets.
@Suite struct ServerTests {
    private static let token = "0123456789abcdef"

    /// Sends requests to a server.
    private struct Peer: Sendable {
        let port: Int

        func send(_ method: HTTPMethod, _ path: String, _ fields: HTTPFields = [:], body: String? = nil) async throws -> HTTPResponse {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/fhir\(path)"))
            var fields = fields
            if fields["Authorization"] == nil { fields["Authorization"] = "Bearer \(ServerTests.token)" }
            if body != nil { fields["Content-Type"] = "application/fhir+json" }
            return try await StandardTransport.shared.send(HTTPRequest(method, url, fields: fields, body: body.map { Data($0.utf8) }))
        }
    }

    /// Serves a new store while `body` runs.
    private func serving(_ settings: ServerSettings = ServerSettings(), _ body: @escaping @Sendable (Peer) async throws -> Void)
        async throws
    {
        let store = try FHIRStore.inMemory(release: try #require(FHIRRelease.bundled("R4")))
        try await store.track(.history)
        var configuration = FHIRService.Configuration()
        configuration.authorizer = try BearerTokens([Secret(Self.token): ServiceAccess(subject: "test")])
        var settings = settings
        settings.port = 0
        let server = HTTPServer(try FHIRService(store: store, configuration: configuration), settings: settings)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let running = Task { try await server.run(handlesSignals: false) { _ = continuation.yield($0) } }
        let port = try #require(await ports.first { _ in true })
        let result: Result<Void, any Error>
        do { result = .success(try await body(Peer(port: port))) } catch { result = .failure(error) }
        running.cancel()
        _ = await running.result
        try result.get()
    }

    @Test func resourcesAreStoredAndReadOverHTTP() async throws {
        try await serving { peer async throws in
            let created = try await peer.send(.post, "/Patient", body: #"{"resourceType":"Patient","active":true}"#)
            #expect(created.status == 201 && created.fields["ETag"] == "W/\"1\"")
            let id = try #require(created.fields["Location"]?.split(separator: "/").dropLast(2).last)
            let read = try await peer.send(.get, "/Patient/\(id)")
            #expect(read.status == 200 && read.body == created.body)
            let head = try await peer.send(.head, "/Patient/\(id)")
            #expect(head.status == 200 && head.body.isEmpty)
            let deleted = try await peer.send(.delete, "/Patient/\(id)")
            #expect(deleted.status == 204)
            #expect(try await peer.send(.get, "/Patient/\(id)").status == 410)
            #expect(try await peer.send(.get, "/metadata").status == 200)
        }
    }

    /// Without an authorizer a server listens at the loopback interface alone, unless its owner says otherwise.
    @Test func otherMachinesNeedAuthorization() async throws {
        let store = try FHIRStore.inMemory(release: try #require(FHIRRelease.bundled("R4")))
        var configuration = FHIRService.Configuration()
        let open = try FHIRService(store: store, configuration: configuration)
        configuration.authorizer = try BearerTokens([Secret(Self.token): ServiceAccess(subject: "test")])
        let closed = try FHIRService(store: store, configuration: configuration)
        /// Whether a server starts.
        func starts(_ service: FHIRService, _ address: String, everybody: Bool = false, pages: Bool = false) async -> Bool {
            var settings = ServerSettings()
            (settings.address, settings.port, settings.isOpenToEverybody) = (address, 0, everybody)
            let server = HTTPServer(service, settings: settings, browser: pages ? StoreBrowser(store: store) : nil)
            let (states, continuation) = AsyncStream<Bool>.makeStream()
            let running = Task {
                do { try await server.run(handlesSignals: false) { _ in _ = continuation.yield(true) } } catch is ServerError {
                    continuation.yield(false)
                }
                continuation.finish()
            }
            let state = await states.first { _ in true }
            running.cancel()
            _ = await running.result
            return state == true
        }
        #expect(await starts(open, "127.0.0.1"))
        #expect(await !starts(open, "0.0.0.0"))
        #expect(await starts(open, "0.0.0.0", everybody: true))
        #expect(await starts(closed, "0.0.0.0"))
        // Pages without sessions are as open.
        #expect(await !starts(closed, "0.0.0.0", pages: true))
        #expect(await starts(closed, "127.0.0.1", pages: true))
    }

    @Test func requestsNeedTheToken() async throws {
        try await serving { peer async throws in
            #expect(try await peer.send(.get, "/Patient", ["Authorization": "Bearer wrong-wrong-wrong"]).status == 401)
            #expect(
                try await peer.send(.get, "/Patient", ["Authorization": "Basic x"]).fields["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            #expect(try await peer.send(.get, "/metadata", ["Authorization": "Basic x"]).status == 200)
        }
    }

    @Test func otherHostsAndOriginsAreRefused() async throws {
        var settings = ServerSettings()
        settings.origins = ["https://app.example"]
        try await serving(settings) { peer async throws in
            #expect(try await peer.send(.get, "/metadata", ["Host": "evil.example"]).status == 421)
            #expect(try await peer.send(.get, "/metadata", ["Origin": "https://evil.example"]).status == 403)
            let allowed = try await peer.send(.get, "/metadata", ["Origin": "https://app.example"])
            #expect(allowed.status == 200 && allowed.fields["Access-Control-Allow-Origin"] == "https://app.example")
            let asked = try await peer.send(
                HTTPMethod(rawValue: "OPTIONS"), "/Patient", ["Origin": "https://app.example", "Access-Control-Request-Method": "PUT"])
            #expect(asked.status == 204 && asked.fields["Access-Control-Allow-Methods"]?.contains("PUT") == true)
        }
    }

    @Test func packedBodiesAreReadAndAnswersArePackedIfAskedFor() async throws {
        try await serving { peer async throws in
            let text = #"{"resourceType":"Patient","id":"a","name":[{"family":"\#(String(repeating: "x", count: 5_000))"}]}"#
            var request = HTTPRequest(
                .put, try #require(URL(string: "http://127.0.0.1:\(peer.port)/fhir/Patient/a")),
                fields: [
                    "Authorization": "Bearer \(Self.token)", "Content-Type": "application/fhir+json", "Content-Encoding": "gzip",
                ], body: Data(Gzip.Packer().add(Data(text.utf8), isLast: true)))
            #expect(try await StandardTransport.shared.send(request).status == 201)
            request.fields["Content-Encoding"] = "br"
            let refused = try await StandardTransport.shared.send(request)
            #expect(refused.status == 415 && refused.fields["Accept-Encoding"] == "gzip")
            request.fields["Content-Encoding"] = "gzip"
            request.body = Data(text.utf8)
            #expect(try await StandardTransport.shared.send(request).status == 400)
            let plain = try await peer.send(.get, "/Patient/a", ["Accept-Encoding": "identity"])
            #expect(plain.fields["Content-Encoding"] == nil && plain.body.count > 5_000)
            #expect(plain.fields["Vary"]?.contains("Accept-Encoding") == true)
            let packed = try await Self.raw(peer.port, "/Patient/a", "Accept-Encoding: gzip")
            #expect(packed.head.lowercased().contains("content-encoding: gzip") && packed.body.count < 1_000)
            #expect(try Gzip.unpacked(packed.body, limit: 100_000) == plain.body)
        }
    }

    /// The status of the answer to a request that is written as it is.
    private static func status(_ port: Int, _ text: String) async throws -> String {
        let bytes = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[UInt8], any Error>) in
            Thread {
                continuation.resume(
                    with: Result {
                        let connection = try RawConnection(port: port)
                        connection.write(text.replacing("\n", with: "\r\n"))
                        return connection.read() ?? []
                    })
            }.start()
        }
        return String(decoding: bytes.dropFirst("HTTP/1.1 ".utf8.count).prefix(3), as: UTF8.self)
    }

    @Test func ambiguousRequestsAreRefused() async throws {
        try await serving { peer async throws in
            let (host, authorization) = ("Host: localhost:\(peer.port)\n", "Authorization: Bearer \(Self.token)\n")
            let origin = "Origin: http://localhost:\(peer.port)\n"
            func status(_ fields: String) async throws -> String {
                try await Self.status(peer.port, "GET /fhir/Patient HTTP/1.1\n\(fields)\n")
            }
            #expect(try await status(host + authorization + origin) == "200")
            #expect(try await status(authorization) == "400")
            for more in [host, "host: evil.example\n", "Host:\n"] {
                #expect(try await status(host + authorization + more) == "400", "\(more)")
                #expect(try await status(more + host + authorization) == "400", "\(more)")
            }
            for more in [origin, "Origin: https://evil.example\n"] {
                #expect(try await status(host + authorization + origin + more) == "400")
            }
            for more in [authorization, "Authorization: Bearer wrong-wrong-wrong\n"] {
                #expect(try await status(host + authorization + more) == "400")
                #expect(try await status(host + more + authorization) == "400")
            }
            let patient = #"{"resourceType":"Patient"}"#
            func stored(_ fields: String, _ body: String = patient) async throws -> String {
                try await Self.status(
                    peer.port,
                    "POST /fhir/Patient HTTP/1.1\n\(host)\(authorization)Content-Type: application/fhir+json\n\(fields)\n\(body)")
            }
            let length = "Content-Length: \(patient.utf8.count)\n"
            let chunks = "\(String(patient.utf8.count, radix: 16))\n\(patient)\n0\n\n"
            for fields in [length + length, length + "Content-Length: 3\n", "Content-Length: 26, 26\n", "Content-Length: -1\n"] {
                #expect(try await stored(fields) == "400", "\(fields)")
            }
            #expect(try await stored(length + "Content-Type: text/plain\n") == "400")
            #expect(try await stored(length + "Transfer-Encoding: chunked\n", chunks) == "400")
            #expect(try await stored("Transfer-Encoding: gzip, chunked\n", chunks) == "501")
            // Nothing of this was stored.
            let count = try await peer.send(.get, "/Patient?_summary=count")
            #expect(String(decoding: count.body, as: UTF8.self).contains(#""total":0"#))
            #expect(try await stored(length) == "201")
            #expect(try await stored("Transfer-Encoding: chunked\n", chunks) == "201")
        }
    }

    /// An answer as it is on the wire.
    private static func raw(_ port: Int, _ path: String, _ field: String) async throws -> (head: String, body: Data) {
        let bytes = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
            Thread {
                continuation.resume(
                    with: Result {
                        let connection = try RawConnection(port: port)
                        connection.write(
                            "GET /fhir\(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\(field)\r\nConnection: close\r\n\r\n"
                        )
                        return connection.restBytes()
                    })
            }.start()
        }
        let end = try #require(bytes.range(of: Data("\r\n\r\n".utf8)))
        return (String(decoding: bytes[..<end.lowerBound], as: UTF8.self), Data(bytes[end.upperBound...]))
    }

    @Test func longBodiesAreRefused() async throws {
        var settings = ServerSettings()
        settings.maximumBody = 1_000
        try await serving(settings) { peer async throws in
            let text = String(repeating: "x", count: 2_000)
            #expect(try await peer.send(.post, "/Patient", body: #"{"resourceType":"Patient","language":"\#(text)"}"#).status == 413)
            #expect(try await peer.send(.get, "/metadata").status == 200)
        }
    }
}
