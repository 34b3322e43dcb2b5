import FireLiteReleases
import FireLiteService
import Foundation
import Testing

@testable import FireLiteServer

@Suite struct SlowClientTests {
    /// Serves a new store with a short patience while `body` runs.
    ///
    /// - Parameters:
    ///   - connections: the number of connections at the same time. Default: 256.
    ///   - bytes: the length of the content of `Binary/long`. Default: none.
    ///   - patience: how long a connection may be quiet.
    private func serving(
        connections: Int = 256, bytes: Int = 0, patience: Duration = .seconds(1), _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let store = try FHIRStore.inMemory(release: try #require(FHIRRelease.bundled("R4")))
        if bytes > 0 {
            let json =
                #"{"resourceType":"Binary","id":"long","contentType":"text/plain","data":"\#(Data(count: bytes).base64EncodedString())"}"#
            let resource = try FHIRJSON.resource(from: Data(json.utf8), release: store.release)
            try store.blocking { store in try store.write { _ = try $0.upsert(resource) } }
        }
        var settings = ServerSettings()
        settings.connections = connections
        (settings.port, settings.idleTime, settings.bodyTime) = (0, patience, patience)
        settings.maximumBody = 100_000
        let server = HTTPServer(try FHIRService(store: store), settings: settings)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let running = Task { try await server.run(handlesSignals: false) { _ = continuation.yield($0) } }
        let port = try #require(await ports.first { _ in true })
        let result: Result<Void, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        running.cancel()
        _ = await running.result
        try result.get()
    }

    /// Runs what waits on a thread of its own.
    private func waiting<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    private func isServed(_ port: Int) async throws -> Bool {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/fhir/metadata?_summary=true"))
        return try await StandardTransport.shared.send(HTTPRequest(.get, url)).status == 200
    }

    @Test func silentClientsAreHungUpOn() async throws {
        try await serving { port async throws in
            let silent = try (0..<50).map { _ in try RawConnection(port: port) }
            #expect(try await isServed(port))
            let answers = try await waiting { silent.map { $0.rest() } }
            #expect(Set(answers) == [""])
        }
    }

    /// Connections that say nothing are closed early when there is no room, whatever patience the server has.
    @Test func silentClientsKeepNobodyOut() async throws {
        try await serving(connections: 8, patience: .seconds(100_000)) { port async throws in
            let silent = try (0..<20).map { _ in try RawConnection(port: port) }
            #expect(try await isServed(port))
            withExtendedLifetime(silent) {}
        }
    }

    @Test func quietConnectionsHaveTheirTimeWhereThereIsRoom() {
        let crowd = ConnectionCrowd(maximum: 8)
        for _ in 0..<5 { crowd.join() }
        #expect(crowd.time(.seconds(60)) == .seconds(60))
        crowd.join()
        #expect(crowd.time(.seconds(60)) == ConnectionCrowd.patience && crowd.time(.seconds(1)) == .seconds(1))
        crowd.leave()
        #expect(crowd.time(.seconds(60)) == .seconds(60))
    }

    @Test func headsThatTrickleAreHungUpOn() async throws {
        try await serving { port async throws in
            let isClosed = try await waiting {
                let connection = try RawConnection(port: port)
                connection.write("GET /fhir/metadata HTTP/1.1\r\nHost: localhost\r\nX: ")
                // A byte every tenth of a second, so that the connection is never idle.
                for _ in 0..<100 {
                    guard connection.write("x") else { return true }
                    if let bytes = connection.read(milliseconds: 100) { return bytes.isEmpty }
                }
                return false
            }
            #expect(isClosed)
            #expect(try await isServed(port))
        }
    }

    @Test func bodiesThatTrickleAreRefused() async throws {
        try await serving { port async throws in
            let answer = try await waiting {
                let connection = try RawConnection(port: port)
                connection.write(
                    "POST /fhir/Patient HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/fhir+json\r\nContent-Length: 5000\r\n\r\n")
                var text = ""
                for _ in 0..<100 {
                    guard connection.write(" ") else { return text }
                    if let bytes = connection.read(milliseconds: 100) {
                        guard !bytes.isEmpty else { return text }
                        text += String(decoding: bytes, as: UTF8.self)
                    }
                }
                return text
            }
            #expect(answer.hasPrefix("HTTP/1.1 408"), "\(answer)")
            #expect(try await isServed(port))
        }
    }

    @Test func answersThatNobodyTakesEndTheirConnection() async throws {
        try await serving(connections: 1, bytes: 20_000_000) { port async throws in
            let silent = try RawConnection(port: port)
            silent.write("GET /fhir/Binary/long HTTP/1.1\r\nHost: localhost\r\nAccept: application/fhir+json\r\n\r\n")
            // It has the only connection, until the server ends it.
            #expect(try await isServed(port))
            withExtendedLifetime(silent) {}
        }
    }

    @Test func slowReadersGetTheWholeAnswer() async throws {
        try await serving(bytes: 15_000_000) { port async throws in
            let count = try await waiting {
                let connection = try RawConnection(port: port)
                connection.write(
                    "GET /fhir/Binary/long HTTP/1.1\r\nHost: localhost\r\nAccept: application/fhir+json\r\nConnection: close\r\n\r\n")
                var count = 0
                // About 5 MB a second, so that it takes several times the server's patience.
                while let bytes = connection.read(), !bytes.isEmpty {
                    count += bytes.count
                    RawConnection.pause(milliseconds: bytes.count * 12 / 65_536)
                }
                return count
            }
            #expect(count > 20_000_000)
        }
    }

    @Test func refusedBodiesThatGoOnAreCutOff() async throws {
        try await serving { port async throws in
            let (answer, isClosed) = try await waiting {
                let connection = try RawConnection(port: port)
                connection.write(
                    "POST /fhir/Patient HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/fhir+json\r\nContent-Length: 5000000\r\n\r\n"
                )
                let answer = String(decoding: connection.read() ?? [], as: UTF8.self)
                for _ in 0..<100 {
                    guard connection.write(" ") else { return (answer, true) }
                    RawConnection.pause(milliseconds: 100)
                }
                return (answer, false)
            }
            #expect(answer.hasPrefix("HTTP/1.1 413"), "\(answer)")
            #expect(isClosed)
        }
    }

    @Test func bodiesAreAskedForUnlessTheyAreTooLong() async throws {
        try await serving { port async throws in
            @Sendable func head(_ length: Int) -> String {
                "POST /fhir/Patient HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/fhir+json\r\nExpect: 100-continue\r\n"
                    + "Content-Length: \(length)\r\nConnection: close\r\n\r\n"
            }
            let (asked, answer, refusal) = try await waiting {
                let patient = #"{"resourceType":"Patient"}"#
                let connection = try RawConnection(port: port)
                connection.write(head(patient.utf8.count))
                let asked = String(decoding: connection.read() ?? [], as: UTF8.self)
                connection.write(patient)
                let long = try RawConnection(port: port)
                long.write(head(200_000))
                return (asked, connection.rest(), String(decoding: long.read() ?? [], as: UTF8.self))
            }
            #expect(asked.hasPrefix("HTTP/1.1 100"), "\(asked)")
            #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")
            #expect(refusal.hasPrefix("HTTP/1.1 413"), "\(refusal)")
        }
    }
}
