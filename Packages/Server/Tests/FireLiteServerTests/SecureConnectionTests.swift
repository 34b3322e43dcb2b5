import FireLiteReleases
import FireLiteServer
import FireLiteService
import Foundation
import Testing

/// The server with a certificate, over HTTP/1.1 and HTTP/2; with the programs `openssl` and `curl` where they are installed.
@Suite struct SecureConnectionTests {
    /// Serves a new store with a new certificate while `body` runs with the port.
    private func serving(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        guard ["openssl", "curl"].allSatisfy({ FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }) else {
            print("skipped: openssl and curl are not installed")
            return
        }
        let folder = try TestFolder()
        defer { folder.remove() }
        let (certificate, key) = (folder.file("certificate.pem"), folder.file("key.pem"))
        let made = try await run(
            "openssl",
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "1", "-subj", "/CN=localhost"])
        try #require(made.status == 0, "\(made.output)")
        let store = try FHIRStore.inMemory(release: try #require(FHIRRelease.bundled("R4")))
        var settings = ServerSettings()
        (settings.port, settings.idleTime, settings.maximumBody) = (0, .seconds(2), 100_000)
        settings.certificate = (certificate, key)
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

    /// Runs a program until its end.
    ///
    /// - Parameter input: what it reads before it waits for more, which never comes; nil for an empty input.
    private func run(_ program: String, _ arguments: [String], input: String? = nil) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments
        let (output, entry) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = output
        process.standardInput = entry
        entry.fileHandleForWriting.write(Data((input ?? "").utf8))
        if input == nil { try entry.fileHandleForWriting.close() }
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                // The pipe stays open as long as the process runs.
                withExtendedLifetime(entry) {}
                let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                continuation.resume(returning: (process.terminationStatus, text))
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }

    private func curl(_ port: Int, _ version: String, _ arguments: [String] = []) async throws -> String {
        let options = ["-sk", "--noproxy", "*", "--max-time", "60", version, "-o", "/dev/null", "-w", "%{http_version} %{http_code}"]
        return try await run("curl", options + arguments + ["https://localhost:\(port)/fhir/Patient"]).output
    }

    @Test func bothVersionsOfHTTPAreServed() async throws {
        try await serving { port async throws in
            for (option, version) in [("--http1.1", "1.1"), ("--http2", "2")] {
                #expect(try await curl(port, option) == "\(version) 200")
                let json = ["-H", "Content-Type: application/fhir+json", "-d"]
                #expect(try await curl(port, option, json + [#"{"resourceType":"Patient"}"#]) == "\(version) 201")
                let long = String(repeating: "x", count: 120_000)
                #expect(try await curl(port, option, json + [#"{"resourceType":"Patient","language":"\#(long)"}"#]) == "\(version) 413")
                #expect(try await curl(port, option, ["-H", "Host: evil.example"]) == "\(version) 421")
                #expect(try await curl(port, option, ["-H", "Origin: https://evil.example"]) == "\(version) 403")
                #expect(try await curl(port, option, ["-H", "Origin: https://localhost:\(port)"]) == "\(version) 200")
                #expect(try await curl(port, option, ["-H", "Authorization: a", "-H", "authorization: b"]) == "\(version) 400")
            }
        }
    }

    @Test func clientsThatKeepItWaitingAreHungUpOn() async throws {
        try await serving { port async throws in
            // No handshake at all.
            let silent = try (0..<20).map { _ in try RawConnection(port: port) }
            #expect(try await curl(port, "--http2") == "2 200")
            let answers = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[String], any Error>) in
                Thread { continuation.resume(returning: silent.map { $0.rest() }) }.start()
            }
            #expect(Set(answers) == [""])
            // No request, and no end of its head.
            for head in ["", "GET /fhir/metadata HTTP/1.1\r\nHost: localhost\r\nX: "] {
                let client = try await run(
                    "openssl", ["s_client", "-quiet", "-alpn", "http/1.1", "-connect", "localhost:\(port)"], input: head)
                #expect(!client.output.contains("HTTP/1.1 200"), "\(client.output)")
            }
            #expect(try await curl(port, "--http1.1") == "1.1 200")
        }
    }

    /// A client that begins HTTP/2, asks for nothing, and acknowledges nothing (RFC 9113, 3.4).
    @Test func connectionsWithoutStreamsAreHungUpOn() async throws {
        try await serving { port async throws in
            let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u{0}\u{0}\u{0}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}"
            let begin = ContinuousClock.now
            _ = try await run("openssl", ["s_client", "-quiet", "-alpn", "h2", "-connect", "localhost:\(port)"], input: preface)
            #expect(ContinuousClock.now - begin > .seconds(2))
            #expect(try await curl(port, "--http2") == "2 200")
        }
    }
}
