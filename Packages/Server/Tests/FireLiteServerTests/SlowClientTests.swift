import FireLiteReleases
import FireLiteServer
import FireLiteService
import Foundation
import Testing

@Suite struct SlowClientTests {
    /// Serves a new store with a short patience while `body` runs.
    private func serving(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        let store = try FHIRStore.inMemory(release: try #require(FHIRRelease.bundled("R4")))
        var settings = ServerSettings()
        (settings.port, settings.idleTime, settings.bodyTime) = (0, .seconds(1), .seconds(1))
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
        try await serving { port in
            let silent = try (0..<50).map { _ in try RawConnection(port: port) }
            #expect(try await isServed(port))
            let answers = try await waiting { silent.map { $0.rest() } }
            #expect(Set(answers) == [""])
        }
    }

    @Test func headsThatTrickleAreHungUpOn() async throws {
        try await serving { port in
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
        try await serving { port in
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

    @Test func bodiesAreAskedForUnlessTheyAreTooLong() async throws {
        try await serving { port in
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
