import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// The asynchronous results are those of the others, and end with their task.
@Suite(.soundStores) struct AsyncQueryTests {
    private func filled() throws -> FHIRStore {
        let store = try freshStore()
        try store.write { transaction in
            for number in 0..<50 {
                try transaction.add(
                    Patient {
                        $0.id = "p\(number)"
                        $0.active = number % 2 == 0
                    })
            }
        }
        return store
    }

    /// The results that block.
    private func blocking(_ query: FHIRQuery<Patient>) throws -> (ids: [String], pks: [String]) { (try query.ids(), try query.pks()) }

    @Test func theResultsAreThose() async throws {
        let store = try filled()
        let query = store.query(Patient.self).where { $0.active == true }.sort { $0.id.descending }
        let expected = try blocking(query)
        #expect(expected.ids.count == 25)
        let all = try await query.all()
        #expect(all.compactMap(\.id) == expected.ids && all.map(\.pk) == expected.pks)
        let first = try await query.first()
        #expect(first?.id == expected.ids.first)
        let none = try await query.where { $0.id == "none" }.first()
        #expect(none == nil)
        #expect(try await query.count() == 25)
        #expect(try await query.limit(7).count() == 7)
        #expect(try await query.exists())
        #expect(try await !query.where { $0.id == "none" }.exists())
        #expect(try await query.ids() == expected.ids)
        #expect(try await query.pks() == expected.pks)
    }

    @Test func aCancelledTaskGetsNothing() async throws {
        let store = try filled()
        let query = store.query(Patient.self)
        let results: [@Sendable () async throws -> Void] = [
            { _ = try await query.all() }, { _ = try await query.first() }, { _ = try await query.count() },
            { _ = try await query.exists() },
            { _ = try await query.ids() }, { _ = try await query.pks() },
        ]
        for result in results {
            let task = _Concurrency.Task<Void, any Error> {
                withUnsafeCurrentTask { $0?.cancel() }
                try await result()
            }
            let outcome = await task.result
            #expect(throws: CancellationError.self) { try outcome.get() }
        }
        #expect(try await query.count() == 50)
    }

    /// A statement that would never end ends with its task, and the store reads and writes on.
    ///
    ///     task     | begin, query … for ever | CancellationError |
    ///     test     |                  cancel |                   | write | read
    @Test(arguments: [false, true]) func cancellingEndsAStatement(isInFile: Bool) async throws {
        let store = try freshStore(isInFile: isInFile)
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        let task = _Concurrency.Task<Int, any Error> {
            try await store.read { transaction in
                signal.yield()
                var count = 0
                try transaction.perform {
                    try transaction.forEachRow(SQLFragment(raw: endless)) { row in
                        count = Int(row.int(0))
                        return true
                    }
                }
                return count
            }
        }
        for await _ in began { break }
        task.cancel()
        let outcome = await task.result
        #expect(throws: CancellationError.self) { try outcome.get() }
        try await store.write { transaction in try transaction.add(Patient { $0.id = "a" }) }
        let query = store.query(Patient.self)
        #expect(try await query.ids() == ["a"])
    }

    /// However many statements run, tasks go on, and one of them may cancel the others.
    @Test func endlessStatementsLeaveRoomForTasks() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 2
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        let tasks = try (0..<count).map { _ in
            let store = try freshStore()
            return _Concurrency.Task<Void, any Error> {
                try await store.read { transaction in
                    signal.yield()
                    try transaction.perform { try transaction.forEachRow(SQLFragment(raw: endless)) { _ in true } }
                }
            }
        }
        var begun = 0
        for await _ in began {
            begun += 1
            if begun == count { break }
        }
        for task in tasks { task.cancel() }
        for task in tasks {
            let outcome = await task.result
            #expect(throws: CancellationError.self) { try outcome.get() }
        }
    }

    /// Between the resources that are put together it ends as well.
    @Test func cancellingEndsLoading() async throws {
        let store = try filled()
        let cancellation = Cancellation(interruptsWrites: true)
        var checks = 0
        #expect(throws: CancellationError.self) {
            try cancellation.run {
                try store.query(Patient.self).forEach(batch: 256) { _ in
                    checks += 1
                    if checks == 3 { cancellation.request() }
                }
            }
        }
        #expect(checks == 3)
    }
}
