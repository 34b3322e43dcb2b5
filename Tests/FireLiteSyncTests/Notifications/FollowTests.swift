import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Notifications that are followed as they come.
@Suite struct FollowTests {
    private let server = ModelServer()

    /// Notifications that end, after which something happens.
    private struct Frames: AsyncSequence, Sendable {
        typealias Element = SubscriptionNotification
        let texts: [String]
        var end: @Sendable () async throws -> Void = {}

        struct AsyncIterator: AsyncIteratorProtocol {
            var texts: ArraySlice<String>
            let end: @Sendable () async throws -> Void

            mutating func next() async throws -> SubscriptionNotification? {
                if let text = texts.popFirst() { return SubscriptionNotification(text: text) }
                try await end()
                return nil
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(texts: texts[...], end: end) }
    }

    /// What was reported.
    ///
    /// `@unchecked Sendable`: the lock guards the list.
    private final class Reports: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [String] = []
        var all: [String] { lock.withLock { list } }

        func add(_ event: FollowEvent) {
            let text =
                switch event {
                case .pulled(let pull): "\(pull.extent) \(pull.result.pulled)"
                case .failed(_, let delay): "failed, \(delay)"
                }
            lock.withLock { list.append(text) }
        }
    }

    private struct Broken: Error {}

    @Test func itBeginsWithAWholePullAndEndsWithTheNotifications() async throws {
        server.put(samplePatient("a"))
        let device = try Device(server)
        let reports = Reports()
        try await device.synchronizer.follow(Frames(texts: [])) { reports.add($0) }
        #expect(reports.all == ["types 1"])
        #expect(try device.contents() == server.contents)
        #expect(try await device.synchronizer.lastResult()?.pulled == 1)
    }

    /// Fifty notifications that come while a pull runs are answered by one.
    @Test func whatComesDuringAPullIsAnsweredTogether() async throws {
        let (server, gate) = (server, Gate(2))
        server.put(samplePatient("a"))
        let slow = StubServer { request, number in
            if number == 0 {
                // The first pull waits until all have come, and what they tell of was changed after it asked.
                let answer = try await server.send(request)
                await gate.pass()
                server.put(samplePatient("b"))
                return answer
            }
            return try await server.send(request)
        }
        let device = try Device(slow, scope: .types("Patient"))
        let reports = Reports()
        let frames = Frames(texts: (0..<50).map { _ in "ping 1" }, end: { await gate.pass() })
        try await device.synchronizer.follow(frames) { reports.add($0) }
        #expect(reports.all.count == 2 && reports.all.first?.hasPrefix("types") == true)
        #expect(try device.contents() == server.contents)
    }

    /// Failures that pass are waited for, by the retry policy; the pull that failed is repeated.
    @Test func failuresAreRepeatedByTheRetryPolicy() async throws {
        server.put(samplePatient("a"))
        let device = try Device(server)
        server.behavior.before = { _, number in
            switch number {
            case 0: throw HTTPTransportError(.cannotConnect, "down")
            case 1: HTTPResponse(503, fields: ["Retry-After": "7"])
            case 2: HTTPResponse(200, fields: ["Content-Type": "text/html"], body: Data("<html>portal</html>".utf8))
            default: nil
            }
        }
        let reports = Reports()
        try await device.synchronizer.follow(Frames(texts: [])) { reports.add($0) }
        #expect(reports.all == ["failed, 0.25 seconds", "failed, 7.5 seconds", "failed, 1.0 seconds", "types 1"])
        #expect(device.clock.sleeps == [.milliseconds(250), .milliseconds(7_500), .seconds(1)])
    }

    /// A refused token is not waited for.
    @Test func aRefusedTokenEndsIt() async throws {
        let device = try Device(server)
        server.behavior.before = { _, _ in HTTPResponse(401) }
        let error = await #expect(throws: FHIRClientError.self) { try await device.synchronizer.follow(Frames(texts: [])) }
        #expect(error?.code == .unauthorized && device.clock.sleeps.isEmpty)
    }

    /// While another sync runs, it waits.
    @Test func anotherSyncIsWaitedFor() async throws {
        server.put(samplePatient("a"))
        let device = try Device(server)
        var run = SyncRun(device.synchronizer, nil)
        try await run.begin()
        let reports = Reports()
        try await device.synchronizer.follow(Frames(texts: [])) { event in
            reports.add(event)
            // The other one renews its lease no more.
            if case .failed = event { device.clock.advance(1_000) }
        }
        #expect(reports.all.count == 2 && reports.all.last == "types 1")
    }

    @Test func errorsOfTheChannelEndItAfterWhatHasCome() async throws {
        server.put(samplePatient("a"))
        let device = try Device(server)
        let reports = Reports()
        await #expect(throws: Broken.self) {
            try await device.synchronizer.follow(Frames(texts: ["ping 1"], end: { throw Broken() })) { reports.add($0) }
        }
        #expect(1...2 ~= reports.all.count)
    }

    @Test func cancellingEndsIt() async throws {
        server.put(samplePatient("a"))
        let device = try Device(server)
        let (stream, continuation) = AsyncStream.makeStream(of: SubscriptionNotification.self)
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let synchronizer = device.synchronizer
        let following = _Concurrency.Task { try await synchronizer.follow(stream) { _ in hasBegun.yield() } }
        for await _ in begun { break }
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
        continuation.finish()
        // The lease is free.
        #expect(try await device.sync(.pull).pulled == 0)
    }

    /// More than a pull can take lead to a whole one, and the newest stay for their numbers.
    @Test func aFloodBecomesAWholePull() async throws {
        let queue = NotificationQueue()
        for number in 1...5_000 {
            queue.add(
                SubscriptionNotification(.eventNotification, subscription: "s", events: [.init(number: Int64(number), references: [])]))
        }
        let work = try #require(try await queue.next())
        #expect(work.isWhole && work.notifications.count == 1_000 && work.notifications.last?.events.first?.number == 5_000)
        queue.end(.success(()))
        let end = try await queue.next()
        #expect(end == nil)
    }
}
