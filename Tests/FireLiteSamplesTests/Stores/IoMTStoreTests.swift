import FireLiteLegacy
import FireLiteSamples
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct IoMTStoreTests {
    private static let connection =
        "Endpoint=sb://hub.example.org/;SharedAccessKeyName=send only;SharedAccessKey=c2VjcmV0+/key=;EntityPath=device/data"
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func store(
        _ transport: StubTransport, _ change: (inout IoMTStore.Configuration) -> Void = { _ in }
    ) throws -> IoMTStore {
        var configuration = IoMTStore.Configuration()
        configuration.clock = FHIRClock(now: { Self.now }, sleep: { _ in }, random: { 1 })
        change(&configuration)
        return try IoMTStore(connectionString: Self.connection, configuration: configuration, transport: transport)
    }

    private func send(_ samples: [Sample], to store: IoMTStore) async throws -> SampleRunResult {
        let file = try memoryStore()
        return try await SampleEngine(store: file, source: MemorySampleSource(samples), destinations: [store]).run()
    }

    @Test func eventsHaveTheFormOfConnectors() async throws {
        let server = StubTransport { _, _ in HTTPResponse(201) }
        _ = try await send([heartRate(1), bloodPressure(10, 120, 80)], to: store(server))
        let request = try #require(server.requests.first)
        #expect(request.method == .post)
        #expect(request.url.absoluteString == "https://hub.example.org/device/data/messages")
        #expect(request.fields["Content-Type"] == "application/vnd.microsoft.servicebus.json")
        let bodies = server.requests.map(\.bodyText)
        #expect(bodies.contains { $0.contains(#"\"heartRate\":60,\"unit\":\"beats/min\""#) }, "\(bodies)")
        let expected =
            #"[{"Body":"{\"uuid\":\"00000000-0000-4000-8000-00000000000a\",\"startDate\":\"2026-01-01T00:10:00Z\",\"endDate\":\"2026-01-01T00:10:00Z\","#
            + #"\"systolic\":120,\"systolicUnit\":\"mmHg\",\"diastolic\":80,\"diastolicUnit\":\"mmHg\"}"}]"#
        #expect(bodies.contains(expected), "\(bodies)")
    }

    @Test func theSignatureIsThatOfOpenSSL() async throws {
        let server = StubTransport { _, _ in HTTPResponse(201) }
        _ = try await send([heartRate(1)], to: store(server))
        let authorization = try #require(server.requests.first?.fields["Authorization"])
        let resource = "https%3A%2F%2Fhub.example.org%2Fdevice%2Fdata"
        #expect(authorization.hasPrefix("SharedAccessSignature sr=\(resource)&sig="))
        #expect(authorization.hasSuffix("&se=1767229200&skn=send%20only"))
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "dgst", "-sha256", "-hmac", "c2VjcmV0+/key=", "-binary"]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("\(resource)\n1767229200".utf8))
        try input.fileHandleForWriting.close()
        let code = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            print("skipped: there is no openssl")
            return
        }
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let signature = try #require(code.base64EncodedString().addingPercentEncoding(withAllowedCharacters: allowed))
        #expect(authorization == "SharedAccessSignature sr=\(resource)&sig=\(signature)&se=1767229200&skn=send%20only")
    }

    @Test func batchesHaveTheirLimits() async throws {
        let server = StubTransport { _, _ in HTTPResponse(201) }
        _ = try await send((1...25).map { heartRate($0) }, to: store(server) { $0.batchSize = 10 })
        #expect(server.requests.count == 3)
        let small = StubTransport { _, _ in HTTPResponse(201) }
        _ = try await send((1...25).map { heartRate($0) }, to: store(small) { $0.maximumBytes = 1_000 })
        #expect(small.requests.allSatisfy { ($0.body?.count ?? 0) <= 1_000 })
        #expect(small.requests.map { $0.bodyText.components(separatedBy: "uuid").count - 1 }.reduce(0, +) == 25)
    }

    /// A hub only takes new events of some forms: the rest is skipped and does not count as sent.
    @Test func whatAHubCannotDoIsSkippedOrRefused() async throws {
        let server = StubTransport { _, _ in HTTPResponse(201) }
        let (hub, file) = (try store(server), try memoryStore())
        func run(_ source: MemorySampleSource) async throws -> SampleRunResult {
            try await SampleEngine(store: file, source: source, destinations: [hub]).run()
        }
        let exercise = Sample(
            uuid: testUUID(3), type: .workout, start: testStart, end: testStart, value: .workout(WorkoutValue(activity: "walking")))
        let first = try await run(MemorySampleSource([heartRate(1), exercise], name: "first"))
        #expect((first.added, first.skipped) == (1, 1))
        let second = try await run(MemorySampleSource([heartRate(1, 99)], name: "second"))
        #expect((second.added, second.updated, second.skipped) == (0, 0, 1))
        #expect(server.requests.count == 1)
        let object = ExternalObject(uuid: testUUID(1), sample: heartRate(1))
        for body in [{ try await hub.update([object]) }, { try await hub.delete([object]) }] as [() async throws -> Void] {
            let error = await #expect(throws: SampleError.self) { try await body() }
            #expect(error?.code == .refused)
        }
        let error = await #expect(throws: SampleError.self) {
            _ = try await hub.add([object, ExternalObject(uuid: exercise.uuid, sample: exercise)])
        }
        #expect(error?.code == .notMapped)
        #expect(server.requests.count == 1)
        try await hub.update([])
        try await hub.delete([])
    }

    @Test func passingFailuresAreRepeatedAndOthersAreNot() async throws {
        let server = StubTransport { _, number in HTTPResponse([429, 503, 201][min(number, 2)]) }
        #expect(try await send([heartRate(1)], to: store(server)).added == 1)
        #expect(server.requests.count == 3)
        let refusing = StubTransport { _, _ in HTTPResponse(401) }
        let error = await #expect(throws: SampleError.self) { try await send([heartRate(1)], to: store(refusing)) }
        #expect(error?.code == .refused)
        #expect(refusing.requests.count == 1)
    }

    /// A hub has no idempotency key: what it may have taken is not posted again.
    @Test(arguments: [nil, 408, 500, 502, 504]) func whatTheHubMayHaveTakenIsNotPostedAgain(status: Int?) async throws {
        let server = StubTransport { _, _ in
            guard let status else { throw HTTPTransportError(.connectionLost, "the connection broke") }
            return HTTPResponse(status)
        }
        let error = await #expect(throws: SampleError.self) { try await send([heartRate(1)], to: store(server)) }
        #expect(error?.code == (status == nil ? .unreachable : .refused))
        #expect(server.requests.count == 1)
        let unreached = StubTransport { _, number in
            if number < 2 { throw HTTPTransportError(.cannotConnect, "nobody is there") }
            return HTTPResponse(201)
        }
        #expect(try await send([heartRate(1)], to: store(unreached)).added == 1)
        #expect(unreached.requests.count == 3)
    }

    @Test func aHubIsAskedAgainAfterAsLongAsItSays() async throws {
        let (waits, note) = AsyncStream<Duration>.makeStream()
        func store(answering field: String) throws -> IoMTStore {
            try self.store(
                StubTransport { _, number in number == 0 ? HTTPResponse(429, fields: ["Retry-After": field]) : HTTPResponse(201) }
            ) { configuration in
                configuration.clock.sleep = { note.yield($0) }
                configuration.retry.firstDelay = .zero
            }
        }
        _ = try await send([heartRate(1)], to: store(answering: "7"))
        _ = try await send([heartRate(1)], to: store(answering: "Thu, 01 Jan 2026 00:00:09 GMT"))
        // Longer than anybody waits.
        await #expect(throws: SampleError.self) { try await send([heartRate(1)], to: store(answering: "121")) }
        note.finish()
        #expect(await waits.reduce(into: []) { $0.append($1) } == [.seconds(7), .seconds(9)])
    }

    @Test func connectionStringsNeedTheirParts() throws {
        for part in ["Endpoint", "SharedAccessKeyName", "SharedAccessKey", "EntityPath"] {
            let text = Self.connection.split(separator: ";").filter { !$0.hasPrefix(part + "=") }.joined(separator: ";")
            let error = #expect(throws: SampleError.self) { try IoMTStore(connectionString: text) }
            #expect(error?.message.contains("has no \(part)") == true)
        }
    }

    /// A hub in Python: takes a request apart and computes its signature with the key.
    private static let listener = """
        import base64, hashlib, hmac, json, sys, urllib.parse
        from http.server import BaseHTTPRequestHandler, HTTPServer
        class Hub(BaseHTTPRequestHandler):
            def log_message(self, *arguments): pass
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                kind, rest = self.headers["Authorization"].split(" ", 1)
                fields = dict(part.split("=", 1) for part in rest.split("&"))
                signed = (fields["sr"] + "\\n" + fields["se"]).encode()
                expected = base64.b64encode(hmac.new(sys.argv[1].encode(), signed, hashlib.sha256).digest()).decode()
                print(json.dumps({
                    "path": self.path, "type": self.headers["Content-Type"], "kind": kind, "expiry": fields["se"],
                    "resource": urllib.parse.unquote(fields["sr"]), "key": urllib.parse.unquote(fields["skn"]),
                    "signature": str(urllib.parse.unquote(fields["sig"]) == expected),
                    "events": json.dumps([json.loads(event["Body"]) for event in json.loads(body)], sort_keys=True),
                }), flush=True)
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()
        server = HTTPServer(("127.0.0.1", 0), Hub)
        print(server.server_port, flush=True)
        server.handle_request()
        """

    @Test(.enabled(if: PythonProgram.isPresent, "there is no python3"))
    func anotherProgramReadsBodyAndSignature() async throws {
        let output = Pipe()
        let hub = try PythonProgram.start(["-c", Self.listener, "c2VjcmV0+/key="], output: output)
        defer { hub.terminate() }
        func line() throws -> String {
            var bytes = Data()
            while bytes.last != 10 {
                guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else { break }
                bytes += byte
            }
            return String(decoding: bytes.dropLast(), as: UTF8.self)
        }
        let port = try line()
        var configuration = IoMTStore.Configuration()
        configuration.clock = FHIRClock(now: { Self.now }, sleep: { _ in }, random: { 1 })
        configuration.address = URL(string: "http://127.0.0.1:\(port)")
        let store = try IoMTStore(connectionString: Self.connection, configuration: configuration)
        _ = try await store.add([heartRate(1, "61.5")].map { ExternalObject(uuid: $0.uuid, sample: $0) })
        let seen = try JSONDecoder().decode([String: String].self, from: Data(try line().utf8))
        #expect(seen["path"] == "/device/data/messages")
        #expect(seen["type"] == "application/vnd.microsoft.servicebus.json")
        #expect(seen["kind"] == "SharedAccessSignature")
        #expect(seen["resource"] == "https://hub.example.org/device/data")
        #expect(seen["key"] == "send only")
        #expect(seen["expiry"] == "1767229200")
        #expect(seen["signature"] == "True")
        #expect(
            seen["events"] == """
                [{"endDate": "2026-01-01T01:01:00+01:00", "heartRate": 61.5, "startDate": "2026-01-01T01:01:00+01:00", \
                "unit": "beats/min", "uuid": "00000000-0000-4000-8000-000000000001"}]
                """)
    }
}
