import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import CrashChild

/// Two hundred live queries and two writers, one of them on a connection of its own: 3 seconds and 20 commits each at least, a minute with
/// `FIRELITE_NIGHTLY`. Then memory must be flat, too: run it alone.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct LiveSoakTests {
    private static let observers = 200
    /// The number of different queries.
    private static let families = 20

    /// What each observer was given last.
    private actor Board {
        private var counts: [Int: Int] = [:]
        private var elements = 0
        private var awaited: (counts: [Int: Int], continuation: CheckedContinuation<Int, Never>)?

        func note(_ observer: Int, _ count: Int) {
            counts[observer] = count
            elements += 1
            resumeIfReached()
        }

        /// Waits until these are what the observers were given last, and returns the number of elements so far.
        func elements(until expected: [Int: Int]) async -> Int {
            await withCheckedContinuation { continuation in
                awaited = (expected, continuation)
                resumeIfReached()
            }
        }

        private func resumeIfReached() {
            guard let awaited, awaited.counts == counts else { return }
            self.awaited = nil
            awaited.continuation.resume(returning: elements)
        }
    }

    @Test func nothingIsMissed() async throws {
        let isNightly = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] != nil
        let store = try freshStore(isInFile: true)
        let other = try FHIRStore(path: store.path, release: .r4)
        try put(store, "first", "F0")
        let board = Board()
        let tasks = (0..<Self.observers).map { observer in
            _Concurrency.Task {
                let query = store.query(Patient.self).where { $0.name.family == "F\(observer % Self.families)" }
                for try await patients in query.updates(every: .milliseconds(20)) { await board.note(observer, patients.count) }
            }
        }
        // The first part fills caches and pools; the others must not need more memory.
        var samples: [Memory] = []
        for part in 0..<4 {
            let seconds = isNightly ? 15 : 0.75
            let end = Date(timeIntervalSinceNow: seconds)
            async let first: Int = Self.write(store, seed: UInt64(2 * part), until: end)
            async let second: Int = Self.write(other, seed: UInt64(2 * part + 1), until: end)
            let commits = try await first + second
            // Each observer ends with what the store has; a commit of the other connection is noticed within its interval.
            var expected: [Int: Int] = [:]
            for observer in 0..<Self.observers { expected[observer] = try Self.count(store, observer % Self.families) }
            samples.append(Memory(elements: await board.elements(until: expected), commits: commits))
        }
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        let (warm, last) = (samples[0], samples[samples.count - 1])
        let elements = last.elements - warm.elements
        #expect(warm.elements >= Self.observers)
        let resident = samples.map { "\($0.residentBytes >> 10)" }.joined(separator: ", ")
        print(
            "\(samples.reduce(0) { $0 + $1.commits }) commits, \(last.elements) elements for \(Self.observers) observers; "
                + "\(elements) of them after the first quarter; resident after each quarter: \(resident) KiB")
        guard isNightly, !Effort.isReduced else { return }
        // The smallest object takes 32 bytes: one left over for each element would be above the bound, of which half a megabyte is noise.
        let bound = elements * 16 + (512 << 10)
        try #require(elements * 32 > bound, "too few elements to tell a leak from noise")
        #expect(last.residentBytes - warm.residentBytes < bound)
    }

    private static func count(_ store: FHIRStore, _ family: Int) throws -> Int {
        try store.query(Patient.self).where { $0.name.family == "F\(family)" }.count()
    }

    /// What the process uses at a moment, after what is free was returned to the system.
    private struct Memory {
        let elements: Int
        let commits: Int
        let residentBytes: Int

        init(elements: Int, commits: Int) {
            self.elements = elements
            self.commits = commits
            // glibc keeps what is freed; other systems need no request.
            if let function = dlsym(nil, "malloc_trim") {
                _ = unsafeBitCast(function, to: (@convention(c) (Int) -> Int32).self)(0)
            }
            residentBytes = Holdings.residentBytes
        }
    }

    private static func write(_ store: FHIRStore, seed: UInt64, until end: Date) async throws -> Int {
        var random = SeededGenerator(seed: seed)
        var commits = 0
        // On a busy machine the time may pass before the first turn.
        while commits < 20 || Date() < end {
            let (id, family, isDeleted) = (random.int(0...99), random.int(0...families - 1), random.percent(20))
            try await store.write { tx in
                if isDeleted {
                    try tx.delete(Patient.self, id: "\(id)")
                } else {
                    try tx.upsert(
                        Patient {
                            $0.id = "\(id)"
                            $0.name = [HumanName { $0.family = "F\(family)" }]
                        })
                }
            }
            commits += 1
        }
        return commits
    }
}
