import FireLite
import FireLiteR4
import Foundation
import Testing

/// One writer and many readers, on tasks and on threads.
@Suite(.soundStores) struct TaskTests {
    private static let (patients, names) = (4, 12)

    private func withNames(maximumReaders: Int = 8, _ body: (FHIRStore) async throws -> Void) async throws {
        var configuration = FHIRStore.Configuration()
        configuration.maximumReaders = maximumReaders
        let store = try freshStore(isInFile: true, configuration)
        try await store.write { tx in
            for id in 0..<Self.patients {
                let names = (0..<Self.names / Self.patients).map { _ in HumanName { $0.text = "x" } }
                try tx.add(
                    Patient {
                        $0.id = "\(id)"
                        $0.name = names
                    })
            }
        }
        try await body(store)
    }

    /// Moves a name from one patient to another, in two steps of one write.
    @Sendable private static func move(_ tx: WriteTransaction, _ turn: Int) throws {
        let all = try tx.resources(Patient.self, ids: (0..<patients).map(String.init))
        let (from, to) = (all[turn % patients], all[(turn + 1) % patients])
        guard !from.name.isEmpty else { return }
        let name = from.name.removeLast()
        try tx.saveChanges()
        to.name.append(name)
    }

    @Sendable private static func total(_ read: ReadTransaction) throws -> Int {
        var total = 0
        try read.forEach(Patient.self) { total += $0.name.count }
        return total
    }

    ///     writer        | move | move | move …
    ///     eight tasks   | sum, sum, sum …        each the same
    @Test func readersOnTasksSeeWholeStatesOnly() async throws {
        try await withNames { store in
            let totals = try await withThrowingTaskGroup(of: [Int].self) { group in
                group.addTask {
                    for turn in 0..<40 { try await store.write { try Self.move($0, turn) } }
                    return []
                }
                for _ in 0..<8 {
                    group.addTask {
                        var totals: [Int] = []
                        for _ in 0..<20 { totals.append(try await store.read { try Self.total($0) }) }
                        return totals
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(totals == Array(repeating: Self.names, count: 160))
        }
    }

    ///     32 tasks, 2 connections   | at most 2 read at once, all come to their turn
    @Test func readersBeyondTheNumberOfConnectionsWait() async throws {
        final class Readers: @unchecked Sendable {
            // `lock` guards both.
            private let lock = NSLock()
            private var now = 0
            private(set) var most = 0

            func change(by difference: Int) {
                lock.lock()
                defer { lock.unlock() }
                now += difference
                most = max(most, now)
            }
        }
        try await withNames(maximumReaders: 2) { store in
            let readers = Readers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        try await store.read { transaction in
                            readers.change(by: 1)
                            let total = try Self.total(transaction)
                            #expect(total == Self.names)
                            readers.change(by: -1)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(readers.most == 1 || readers.most == 2)
        }
    }

    ///     thread        | begin                               | commit |
    ///     eight tasks   |       write … wait | are cancelled |        | CancellationError, no block has run
    @Test func writesThatAreCancelledWhileTheyWait() async throws {
        try await withNames { store in
            let (began, signal) = AsyncStream.makeStream(of: Void.self)
            let (isCancelled, threads) = (Gate(), Threads())
            threads.start {
                try store.write { tx in
                    signal.yield()
                    #expect(isCancelled.wait())
                    try tx.add(Patient { $0.id = "thread" })
                }
            }
            for await _ in began { break }
            let tasks = (0..<8).map { _ in
                _Concurrency.Task<Void, any Error> { try await store.write { tx in try tx.add(Patient { $0.id = "task" }) } }
            }
            // Reads go by the waiting writes, which have their threads by then.
            for _ in 0..<8 { _ = try await store.read { try Self.total($0) } }
            for task in tasks { task.cancel() }
            isCancelled.open()
            for task in tasks {
                let outcome = await task.result
                #expect(throws: CancellationError.self) { try outcome.get() }
            }
            try threads.finish()
            let query = store.query(Patient.self)
            #expect(try await query.where { $0.id == "thread" }.exists())
            #expect(try await !query.where { $0.id == "task" }.exists())
        }
    }

    ///     task   | begin, change | is cancelled | goes on | commits: what has begun is done whole
    @Test func aWriteThatIsCancelledWhileItRuns() async throws {
        try await withNames { store in
            let (began, signal) = AsyncStream.makeStream(of: Void.self)
            let isCancelled = Gate()
            let task = _Concurrency.Task<Void, any Error> {
                try await store.write { tx in
                    try Self.move(tx, 0)
                    signal.yield()
                    #expect(isCancelled.wait())
                    try tx.add(Patient { $0.id = "task" })
                }
            }
            for await _ in began { break }
            task.cancel()
            isCancelled.open()
            try await task.value
            #expect(try await store.read { try Self.total($0) } == Self.names)
            #expect(try await store.query(Patient.self).where { $0.id == "task" }.exists())
        }
    }
}
