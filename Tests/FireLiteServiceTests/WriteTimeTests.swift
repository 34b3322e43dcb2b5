import FireLite
import FireLiteCore
import FireLiteReleases
import FireLiteService
import Foundation
import TestSupport
import Testing

/// The time of a write is one after which nothing earlier is committed, so that `_since` and `_lastUpdated` lose nothing.
@Suite struct WriteTimeTests {
    /// A time that the test sets.
    ///
    /// `@unchecked Sendable`: `lock` guards what changes.
    private final class SetTime: @unchecked Sendable {
        private let lock = NSLock()
        private var date: Date
        private var count = 0

        init(_ literal: String) { date = FHIRInstant(literal)?.date ?? .distantPast }

        func set(_ literal: String) { lock.withLock { date = FHIRInstant(literal)?.date ?? .distantPast } }

        /// How often the time was asked for.
        var asked: Int { lock.withLock { count } }

        var clock: FHIRClock {
            var clock = FHIRClock.system
            clock.now = {
                self.lock.withLock {
                    self.count += 1
                    return self.date
                }
            }
            return clock
        }
    }

    /// A write of another program, which holds the file until it is let go.
    ///
    /// `@unchecked Sendable`: the semaphores order the two threads.
    private final class OpenWrite: @unchecked Sendable {
        private let begun = DispatchSemaphore(value: 0)
        private let release = DispatchSemaphore(value: 0)
        private let ended = DispatchSemaphore(value: 0)

        init(_ store: FHIRStore, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) {
            Thread.detachNewThread { [self] in
                do {
                    try store.write { transaction in
                        begun.signal()
                        release.wait()
                        try body(transaction)
                    }
                } catch { Issue.record("\(error)") }
                ended.signal()
            }
            begun.wait()
        }

        func end() {
            release.signal()
            ended.wait()
        }
    }

    private func sample(_ folder: TemporaryFolder, _ time: SetTime) throws -> ServiceSample {
        let release = try #require(FHIRRelease.bundled("R4"))
        var configuration = FHIRService.Configuration()
        configuration.base = ServiceSample.base
        configuration.clock = time.clock
        configuration.workFolder = URL(fileURLWithPath: folder.file("jobs"))
        let store = try FHIRStore(path: folder.file("a.sqlite"), release: release)
        return ServiceSample(try FHIRService(store: store, configuration: configuration))
    }

    @Test func theTimeOfAWriteIsNotThatOfItsRequest() async throws {
        let folder = try TemporaryFolder()
        let time = SetTime("2026-01-01T00:00:00Z")
        let sample = try sample(folder, time)
        let entry = #"{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Patient"}}"#
        let requests = [
            ("/Patient", #"{"resourceType":"Patient"}"#),
            ("", #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entry)]}"#),
            ("", #"{"resourceType":"Bundle","type":"batch","entry":[\#(entry)]}"#),
        ]
        for (path, body) in requests {
            time.set("2026-01-01T00:00:00Z")
            let other = OpenWrite(sample.store) { _ in }
            let asked = time.asked
            async let reply = sample.send(.post, path, body)
            while time.asked == asked { await Task.yield() }
            time.set("2026-01-01T00:00:05Z")
            other.end()
            #expect(await reply.status < 300)
        }
        let found = await sample.get("/Patient?_lastUpdated=ge2026-01-01T00:00:05Z")
        #expect(found.entries.count == requests.count, "\(found.text)")
    }

    @Test func anExportHasEverythingUpToItsTime() async throws {
        let folder = try TemporaryFolder()
        let time = SetTime("2026-01-01T00:00:00Z")
        let sample = try sample(folder, time)
        let release = sample.store.release
        let json = #"{"resourceType":"Patient","id":"late","meta":{"lastUpdated":"2026-01-01T00:00:00Z"}}"#
        let other = OpenWrite(sample.store) { try $0.upsert(FHIRJSON.resource(from: Data(json.utf8), release: release)) }
        time.set("2026-01-01T00:00:05Z")
        let kickOff = await sample.get("/$export", ["Prefer": "respond-async", "Accept": "application/fhir+json"])
        let place = try #require(kickOff.fields["Content-Location"]).replacing(ServiceSample.base, with: "")
        // An export that does not wait has ended by then.
        for _ in 0..<2_000 {
            guard await sample.get(place).status == 202 else { break }
            await Task.yield()
        }
        other.end()
        var manifest = await sample.get(place)
        while manifest.status == 202 {
            await Task.yield()
            manifest = await sample.get(place)
        }
        #expect(manifest.json?["transactionTime"]?.text == "2026-01-01T00:00:05.000Z", "\(manifest.text)")
        #expect(manifest.json?["output"]?.items.first?["count"] == .number("1"), "\(manifest.text)")
    }
}
