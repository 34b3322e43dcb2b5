import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// A cancelled task ends its long calls, which leave nothing behind.
@Suite(.soundStores) struct AsyncCancellationTests {
    /// A long call with its progress.
    struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (FHIRStore, _ target: String, @escaping @Sendable (StoreProgress) throws -> Void) async throws -> Void

        static let all: [Call] =
            [
                Call(testDescription: "createIndex") { store, _, progress in
                    try await store.createIndex(Patient.self, progress: progress) { $0.birthDate }
                },
                Call(testDescription: "createIndexes") { store, _, progress in try await store.createIndexes(.dates, progress: progress) },
                Call(testDescription: "backup") { store, target, progress in
                    try await store.backup(to: URL(fileURLWithPath: target), progress: progress)
                },
                Call(testDescription: "check") { store, _, progress in _ = try await store.check(progress: progress) },
                Call(testDescription: "vacuum") { store, _, progress in try await store.vacuum(progress: progress) },
                Call(testDescription: "recover") { store, target, progress in
                    try await FHIRStore.recover(
                        from: URL(fileURLWithPath: store.path), to: URL(fileURLWithPath: target), release: .r4, progress: progress)
                },
            ] + (Library.hasPageChecksums ? [reseal] : [])

        private static let reseal = Call(testDescription: "reseal") { store, target, progress in
            try await store.backup(to: URL(fileURLWithPath: target))
            do {
                try await FHIRStore.reseal(URL(fileURLWithPath: target), release: .r4, progress: progress)
            } catch {
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: target + suffix) }
                throw error
            }
        }
    }

    private func filled() throws -> FHIRStore {
        let store = try freshStore(isInFile: true)
        try store.write { tx in
            _ = try tx.upsert(
                (0..<4_000).map { id in
                    Patient {
                        $0.id = "\(id)"
                        $0.birthDate = FHIRDate(year: 1900 + id % 100)
                    }
                })
        }
        return store
    }

    ///     task       | call … first progress |              | CancellationError
    ///     this one   |                       | cancel, open |
    private func cancelled(_ call: @escaping @Sendable (@escaping @Sendable () -> Void) async throws -> Void) async {
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = Gate()
        let task = _Concurrency.Task {
            try await call {
                signal.yield()
                #expect(isCancelled.wait())
            }
        }
        for await _ in began { break }
        task.cancel()
        isCancelled.open()
        let outcome = await task.result
        #expect(throws: CancellationError.self) { try outcome.get() }
    }

    @Test(arguments: Call.all) func aCancelledCallEndsAndLeavesNothing(_ call: Call) async throws {
        let store = try filled()
        let target = store.path + "-target"
        await cancelled { pause in try await call.run(store, target) { _ in pause() } }
        #expect(try await store.indexes().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(try await store.count(Patient.self) == 4_000)
    }

    @Test(arguments: Call.all) func anErrorOfTheProgressEndsTheCall(_ call: Call) async throws {
        struct Enough: Error {}
        let store = try filled()
        let target = store.path + "-target"
        await #expect(throws: Enough.self) { try await call.run(store, target) { _ in throw Enough() } }
        #expect(try await store.indexes().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test(arguments: Call.all) func progressNeverGoesBack(_ call: Call) async throws {
        final class Log: @unchecked Sendable {
            // `lock` guards the list.
            private let lock = NSLock()
            private var list: [StoreProgress] = []
            func add(_ progress: StoreProgress) { lock.withLock { list.append(progress) } }
            var all: [StoreProgress] { lock.withLock { list } }
        }
        let (store, log) = (try filled(), Log())
        try await call.run(store, store.path + "-target") { log.add($0) }
        #expect(!log.all.isEmpty)
        for (one, next) in zip(log.all, log.all.dropFirst()) where one.phase == next.phase {
            #expect(one.completed <= next.completed && one.unit == next.unit)
        }
        #expect(log.all.allSatisfy { ($0.fraction ?? 1) <= 1 })
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + "-target" + suffix) }
    }

    // MARK: - Blocks

    @Test func aBlockEndsWhereItAsks() async throws {
        let store = try filled()
        await cancelled { pause in
            try await store.write { tx in
                try tx.add(Patient { $0.id = "new" })
                pause()
                try tx.checkCancellation()
            }
        }
        await cancelled { pause in
            try await store.read { tx in
                pause()
                try tx.checkCancellation()
            }
        }
        #expect(try await store.resource(Patient.self, id: "new") == nil)
    }

    @Test func longCallsInABlockEndByThemselves() async throws {
        let store = try filled()
        let before = try rowCounts(store)
        let steps: [@Sendable (WriteTransaction) throws -> Void] = [
            { tx in _ = try tx.upsert((0..<100).map { id in Patient { $0.id = "new \(id)" } }) },
            { tx in _ = try tx.delete(tx.query(Patient.self)) },
            { tx in _ = try tx.update(tx.query(Patient.self)) { $0.active = true } },
            { tx in try tx.forEach(Patient.self) { $0.active = true } },
            { tx in try tx.query(Patient.self).forEach(batch: 256) { $0.active = true } },
        ]
        for step in steps {
            await cancelled { pause in
                try await store.write { tx in
                    pause()
                    try step(tx)
                    Issue.record("the step ran to its end")
                }
            }
        }
        #expect(try rowCounts(store) == before)
        #expect(try await !store.query(Patient.self).where { $0.active == true }.exists())
    }

    @Test func aLoopOverAQueryEndsWithItsTask() async throws {
        let store = try filled()
        await cancelled { pause in try await store.query(Patient.self).where { $0.birthDate > "1800" }.update { _ in pause() } }
        await cancelled { pause in try await store.query(Patient.self).where { $0.birthDate > "1800" }.forEach(batch: 256) { _ in pause() }
        }
        await cancelled { pause in try await store.query(Patient.self).batches(of: 100) { _ in pause() } }
        await cancelled { pause in try await store.forEachRow("SELECT a.id FROM Patient a, Patient b") { _ in pause() } }
        #expect(try await store.check().isEmpty)
    }

    @Test func theBlockingFormsNeverThrowIt() async throws {
        let store = try filled()
        let task = _Concurrency.Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try store.blocking { store in
                try store.write { tx in
                    try tx.checkCancellation()
                    try tx.upsert([Patient { $0.id = "new" }])
                }
                return try store.count(Patient.self)
            }
        }
        #expect(try await task.value == 4_001)
    }

    // MARK: - The threads of Swift's pool

    ///     thread          | begins to write |                                         | commits
    ///     many tasks      |                 | await writes, upkeep …                  |         | return
    ///     another task    |                 |                        runs and returns |
    @Test func waitingCallsLeaveTheThreadsOfThePoolFree() async throws {
        let store = try filled()
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let (mayEnd, threads) = (Gate(), Threads())
        threads.start {
            try store.write { _ in
                signal.yield()
                #expect(mayEnd.wait())
            }
        }
        for await _ in began { break }
        let started = Started()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.write { try $0.upsert(Patient { $0.id = "x" }) } },
            { _ = try await store.query(Patient.self).where { $0.id == "nobody" }.delete() },
            { _ = try await store.query(Patient.self).where { $0.id == "nobody" }.update { _ in } },
            { _ = try await store.createIndex(Patient.self) { $0.gender } },
            { try await store.track(.changes) },
            { try await store.vacuum() },
            { try await store.optimize() },
            { _ = try await store.checkpoint() },
        ]
        let tasks = (0..<4 * ProcessInfo.processInfo.activeProcessorCount).flatMap { _ in
            calls.map { call in
                _Concurrency.Task {
                    await started.add()
                    try await call()
                }
            }
        }
        // Each has a thread of the pool once, whatever the others do.
        while await started.count < tasks.count { await _Concurrency.Task.yield() }
        let free = await _Concurrency.Task { true }.value
        #expect(free)
        mayEnd.open()
        for task in tasks { try await task.value }
        try threads.finish()
    }

    private actor Started {
        var count = 0
        func add() { count += 1 }
    }
}
