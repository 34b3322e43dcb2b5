import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct RetryTests {
    private static let patient = #"{"resourceType":"Patient","id":"1"}"#

    /// What happens to a request whose first answers are these, and the last one 200.
    private func attempts(
        _ answers: [HTTPResponse], _ clock: TestClock = TestClock(), _ body: (FHIRClient) async throws -> Void
    ) async throws -> (count: Int, error: FHIRClientError?) {
        let server = StubServer { _, number in number < answers.count ? answers[number] : .json(Self.patient) }
        let client = try testClient(server, clock: clock)
        do {
            try await body(client)
            return (server.requests.count, nil)
        } catch let error as FHIRClientError { return (server.requests.count, error) }
    }

    @Test func aBusyServerIsAskedAgainAfterAsLongAsItSays() async throws {
        let clock = TestClock(random: 0)
        let answers = [HTTPResponse(429, fields: ["Retry-After": "7"]), HTTPResponse(503, fields: ["Retry-After": "9"])]
        let result = try await attempts(answers, clock) { _ = try await $0.create(Patient()) }
        #expect(result.count == 3 && result.error == nil)
        #expect(clock.sleeps == [.seconds(7), .seconds(9)])
    }

    @Test func theWaitDoublesAndIsRandom() async throws {
        let full = TestClock(random: 1)
        let broken = Array(repeating: HTTPResponse(500), count: 9)
        let result = try await attempts(broken, full) { _ = try await $0.read(Patient.self, id: "1") }
        #expect(result.count == 4 && result.error?.code == .serverFailed)
        #expect(full.sleeps == [.milliseconds(500), .seconds(1), .seconds(2)])
        let half = TestClock(random: 0.5)
        _ = try await attempts(broken, half) { _ = try await $0.read(Patient.self, id: "1") }
        #expect(half.sleeps == [.milliseconds(250), .milliseconds(500), .seconds(1)])
    }

    @Test func aServerThatWantsTooLongAWaitIsNotWaitedFor() async throws {
        let clock = TestClock()
        let result = try await attempts([HTTPResponse(503, fields: ["Retry-After": "3600"])], clock) {
            _ = try await $0.read(Patient.self, id: "1")
        }
        #expect(result.count == 1 && result.error?.retryAfter == .seconds(3600) && clock.sleeps.isEmpty)
    }

    @Test(arguments: [400, 401, 403, 404, 405, 409, 410, 412, 422])
    func refusalsAreNotRepeated(_ status: Int) async throws {
        let result = try await attempts([HTTPResponse(status)]) { _ = try await $0.read(Patient.self, id: "1") }
        #expect(result.count == 1 && result.error?.status == status)
    }

    /// After a failure in the middle nobody knows whether it was done: only what may be done twice is repeated.
    @Test func onlyRepeatableRequestsAreRepeatedAfterALostAnswer() async throws {
        let patient: @Sendable () -> Patient = { Patient { $0.id = "1" } }
        let cases: [(Bool, @Sendable (FHIRClient) async throws -> Void)] = [
            (true, { _ = try await $0.read(Patient.self, id: "1") }),
            (true, { try await $0.update(patient()) }),
            (true, { try await $0.delete(Patient.self, id: "1") }),
            (true, { try await $0.create(patient(), ifNoneExist: ["identifier": "1"]) }),
            (true, { for try await _ in $0.search(Patient.self, usesPost: true).matches {} }),
            (false, { try await $0.create(patient()) }),
            (false, { try await $0.update(patient(), ifMatch: "1") }),
            (false, { try await $0.delete(Patient.self, id: "1", ifMatch: "1") }),
            (false, { try await $0.patch(Patient.self, id: "1", json: Data("[]".utf8)) }),
        ]
        for (number, (isRepeated, body)) in cases.enumerated() {
            for code in [HTTPTransportError.Code.connectionLost, .timedOut] {
                let server = StubServer { request, number in
                    if number == 0 { throw HTTPTransportError(code, "gone") }
                    if request.method == .delete { return HTTPResponse(204) }
                    return request.url.path.hasSuffix("_search")
                        ? .json(#"{"resourceType":"Bundle","type":"searchset"}"#) : .json(Self.patient)
                }
                let client = try testClient(server)
                var error: FHIRClientError?
                do { try await body(client) } catch let caught as FHIRClientError { error = caught }
                #expect(server.requests.count == (isRepeated ? 2 : 1), "case \(number)")
                #expect(error?.code == (isRepeated ? nil : .connectionLost), "case \(number)")
            }
            // A server that was not reached has done nothing.
            let server = StubServer { request, number in
                if number == 0 { throw HTTPTransportError(.cannotConnect, "unreachable") }
                if request.method == .delete { return HTTPResponse(204) }
                return request.url.path.hasSuffix("_search") ? .json(#"{"resourceType":"Bundle","type":"searchset"}"#) : .json(Self.patient)
            }
            try await body(testClient(server))
            #expect(server.requests.count == 2, "case \(number)")
        }
    }

    @Test func eachAttemptHasTheSameRequestID() async throws {
        let server = StubServer { _, number in number < 2 ? HTTPResponse(503) : .json(Self.patient) }
        _ = try await testClient(server).read(Patient.self, id: "1")
        let ids = server.requests.map { $0.fields["X-Request-Id"] }
        #expect(ids.count == 3 && Set(ids).count == 1)
    }

    @Test func cancellingEndsTheWait() async throws {
        let server = StubServer { _, _ in HTTPResponse(503) }
        var configuration = FHIRClient.Configuration()
        let isWaiting = AsyncStream<Void>.makeStream()
        configuration.clock = FHIRClock(
            now: { Date() },
            sleep: { _ in
                isWaiting.continuation.yield()
                try await _Concurrency.Task.sleep(for: .seconds(3600))
            }, random: { 0 })
        let client = try FHIRClient(base: testBase, release: .r4, configuration: configuration, transport: server)
        let task = _Concurrency.Task { _ = try await client.read(Patient.self, id: "1") }
        for await _ in isWaiting.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.count == 1)
    }
}
