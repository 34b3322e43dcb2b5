import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// A server that hangs costs the timeout, and neither loses nor doubles anything.
@Suite(.ownThread, .timeLimit(.minutes(30))) struct HangingServerTests {
    // MARK: - A server that never answers

    private let silent: SilentServer
    private let clock = TestClock(random: 0)

    init() throws { silent = try SilentServer() }

    private func client(
        _ transport: any HTTPTransport = .standard, retry: RetryPolicy = .never, timeout: Swift.Duration = .seconds(1)
    ) throws -> FHIRClient {
        var configuration = FHIRClient.Configuration()
        configuration.retry = retry
        configuration.timeout = timeout
        configuration.clock = clock.clock
        return try FHIRClient(base: silent.base, release: .r4, configuration: configuration, transport: transport)
    }

    @Test(arguments: [Swift.Duration.milliseconds(300), .seconds(1)])
    func aClientGivesUpAfterItsTimeout(timeout: Swift.Duration) async throws {
        let start = ContinuousClock.now
        let error = await #expect(throws: FHIRClientError.self) { try await client(timeout: timeout).read(Patient.self, id: "1") }
        let time = ContinuousClock.now - start
        #expect(error?.code == .connectionLost && error?.message.contains("in time") == true)
        #expect(time >= timeout * 0.9 && time < .seconds(300), "\(time)")
    }

    /// What may be done twice is asked for again, the rest not.
    @Test func onlyRepeatableRequestsAreRepeated() async throws {
        let client = try client(retry: RetryPolicy(maximumAttempts: 2))
        await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: "1") }
        #expect(clock.sleeps.count == 1)
        await #expect(throws: FHIRClientError.self) { try await client.create(Patient()) }
        #expect(clock.sleeps.count == 1)
    }

    @Test func anOutboxKeepsWhatASilentServerGot() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let outbox = try Outbox(store: store, client: client())
        try await outbox.enqueue(1...3)
        #expect(try await outbox.flush().ending == "failed 1 -")
        #expect(try await outbox.entries().map(\.isUncertain) == [true, false, false])
        #expect(try await outbox.send(.create(numbered(4))).isSent == false)
        #expect(try await outbox.entries().count == 4)
    }

    @Test(arguments: [SyncDirection.both, .push]) func aSyncWithASilentServerEnds(direction: SyncDirection) async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try await store.write { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        let synchronizer = Synchronizer(store, try client(), scope: .types("Patient"))
        let error = await #expect(throws: FHIRClientError.self) { try await synchronizer.sync(direction) }
        #expect(error?.code == .connectionLost)
        #expect(try await synchronizer.changes().map(\.state) == [.pending, .pending])
        #expect(try await synchronizer.lastResult()?.failure?.contains("in time") == true)
        // The lease is free again.
        await #expect(throws: FHIRClientError.self) { try await synchronizer.sync(direction) }
    }

    // MARK: - A server that hangs now and then

    private func device(
        _ server: ModelServer, _ grouping: Synchronizer.Configuration.Grouping = .automatic,
        _ fate: @escaping @Sendable (HTTPRequest) -> SlowTransport.Fate
    ) throws -> Device {
        try Device(SlowTransport(server: server, clock: clock, fate: fate), scope: .types("Patient"), clock: clock) {
            $0.grouping = grouping
            $0.pageSize = 2
            $0.overlap = .zero
        }
    }

    @Test(arguments: [SlowTransport.Fate.ignored, .done], [Synchronizer.Configuration.Grouping.single, .transactions, .batches])
    func pushesToAServerThatHangsChangeNothingTwice(
        fate: SlowTransport.Fate, grouping: Synchronizer.Configuration.Grouping
    ) async throws {
        let server = ModelServer()
        let hangs = Switch(true)
        // It hangs with a write, and with everything after it until it is started again.
        let device = try device(server, grouping) { request in
            if hangs.value, request.method != .get { return fate }
            return hangs.value && !server.writes.isEmpty ? .ignored : .answered
        }
        try device.edit { tx in for id in ["a", "b", "c"] { try tx.upsert(samplePatient(id)) } }
        let error = await #expect(throws: FHIRClientError.self) { try await device.sync() }
        #expect(error?.code == .connectionLost)
        #expect(try device.contents().count == 3)
        hangs.value = false
        try await device.sync()
        #expect(try device.contents() == server.contents && server.contents.count == 3)
        #expect(server.history.values.allSatisfy { $0.count == 1 })
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Each write hangs, and reading works: the push gives up after as many interruptions as are allowed.
    @Test func aPushGivesUpInTheEnd() async throws {
        let server = ModelServer()
        let writes = Calls()
        let transport = SlowTransport(server: server, clock: clock) { request in
            if request.method != .get { writes.note(true) }
            return request.method == .get ? .answered : .ignored
        }
        let device = try Device(transport, scope: .types("Patient"), clock: clock) { $0.maximumInterruptions = 2 }
        try device.edit { try $0.upsert(samplePatient("a")) }
        let error = await #expect(throws: FHIRClientError.self) { try await device.sync() }
        #expect(error?.code == .connectionLost && writes.noted.count == 3)
        #expect(try await device.synchronizer.changes().map(\.state) == [.pending])
    }

    /// The lease outlives a request that hangs, so no other sync comes between.
    @Test func aPullFromAServerThatHangsGoesOn() async throws {
        let server = ModelServer()
        for number in 0..<9 { server.put(samplePatient("p\(number)")) }
        let hangs = Switch(true)
        let device = try device(server) { _ in hangs.value && server.requests.count > 2 ? .ignored : .answered }
        await #expect(throws: FHIRClientError.self) { try await device.sync() }
        let stored = try device.contents().count
        #expect(stored > 0 && stored < 9)
        hangs.value = false
        #expect(try await device.sync().pulled == 9 - stored)
        #expect(try device.contents() == server.contents)
    }

    @Test(arguments: [SlowTransport.Fate.ignored, .done])
    func anOutboxOfAServerThatHangsLosesAndDoublesNothing(fate: SlowTransport.Fate) async throws {
        let server = OutboxServerStub()
        let hangs = Switch(true)
        let transport = SlowTransport(server: server, clock: clock) { _ in hangs.value ? fate : .answered }
        let outbox = try outbox(transport, clock: clock)
        try await outbox.enqueue(1...3)
        for _ in 0..<3 { #expect(try await outbox.flush().ending == "failed 1 -") }
        hangs.value = false
        #expect(try await outbox.flush().ending == "done")
        #expect(server.numbers == [1, 2, 3])
    }
}
