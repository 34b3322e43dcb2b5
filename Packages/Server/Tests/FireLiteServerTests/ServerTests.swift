import FireLiteReleases
import FireLiteServer
import FireLiteService
import Foundation
import Testing

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
        configuration.authorizer = try BearerTokens([Self.token: ServiceAccess(subject: "test")])
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
        try await serving { peer in
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

    @Test func requestsNeedTheToken() async throws {
        try await serving { peer in
            #expect(try await peer.send(.get, "/Patient", ["Authorization": "Bearer wrong-wrong-wrong"]).status == 401)
            #expect(
                try await peer.send(.get, "/Patient", ["Authorization": "Basic x"]).fields["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            #expect(try await peer.send(.get, "/metadata", ["Authorization": "Basic x"]).status == 200)
        }
    }

    @Test func otherHostsAndOriginsAreRefused() async throws {
        var settings = ServerSettings()
        settings.origins = ["https://app.example"]
        try await serving(settings) { peer in
            #expect(try await peer.send(.get, "/metadata", ["Host": "evil.example"]).status == 421)
            #expect(try await peer.send(.get, "/metadata", ["Origin": "https://evil.example"]).status == 403)
            let allowed = try await peer.send(.get, "/metadata", ["Origin": "https://app.example"])
            #expect(allowed.status == 200 && allowed.fields["Access-Control-Allow-Origin"] == "https://app.example")
            let asked = try await peer.send(HTTPMethod(rawValue: "OPTIONS"), "/Patient", ["Origin": "https://app.example"])
            #expect(asked.status == 204 && asked.fields["Access-Control-Allow-Methods"]?.contains("PUT") == true)
        }
    }

    @Test func longBodiesAreRefused() async throws {
        var settings = ServerSettings()
        settings.maximumBody = 1_000
        try await serving(settings) { peer in
            let text = String(repeating: "x", count: 2_000)
            #expect(try await peer.send(.post, "/Patient", body: #"{"resourceType":"Patient","language":"\#(text)"}"#).status == 413)
            #expect(try await peer.send(.get, "/metadata").status == 200)
        }
    }
}
