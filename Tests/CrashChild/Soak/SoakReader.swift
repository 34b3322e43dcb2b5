import FireLite
import FireLiteR4
import Foundation
import TestSupport

/// Reads in all ways there are, each time on another snapshot, and checks that it is whole and no older than what it knows of.
final class SoakReader {
    let store: FHIRStore
    let board: SoakBoard
    let log: SoakLog
    let name: String
    private var random: SeededGenerator
    /// How many commits of each writer this reader has seen.
    private var seen = SoakContent.writers.map { _ in 0 }

    init(store: FHIRStore, board: SoakBoard, log: SoakLog, name: String, seed: UInt64) {
        self.store = store
        self.board = board
        self.log = log
        self.name = name
        random = SeededGenerator(seed: seed)
    }

    func step() throws {
        switch random.int(0...99) {
        case 0..<35: try snapshot()
        case 35..<45: try scan()
        case 45..<65: try query()
        case 65..<75: try taskReads()
        case 75..<95: try cancelled()
        default: try cancelledSQL()
        }
    }

    /// Runs `body` on a snapshot that must have every commit that had returned before.
    private func reading<Value>(_ what: String, _ body: (ReadTransaction) throws -> Value) throws -> Value {
        log.begin(what, name)
        let returned = try SoakContent.writers.indices.map { try board.commits(of: $0) }
        let (result, found) = try store.read { transaction in
            let result = try body(transaction)
            return (result, try SoakContent.writers.indices.map { try SoakContent.progress(of: $0, transaction).commits })
        }
        try note(found, returned)
        log.count(what)
        return result
    }

    private func note(_ found: [Int], _ returned: [Int]) throws {
        for writer in SoakContent.writers.indices {
            guard found[writer] >= returned[writer] else {
                throw SoakContent.Broken(description: "a snapshot has \(found) commits after \(returned) had returned")
            }
            guard found[writer] >= seen[writer] else {
                throw SoakContent.Broken(description: "a snapshot has \(found) commits after one with \(seen)")
            }
        }
        seen = found
    }

    private func snapshot() throws {
        let offset = random.int(-3...SoakContent.window + 3)
        _ = try reading("snapshots") { transaction in
            try SoakContent.check(transaction) { [$0.low + offset, $0.low, $0.high - 1, $0.high].filter { $0 >= 0 } }
        }
    }

    /// Goes through everything between two looks at the same snapshot.
    private func scan() throws {
        try reading("scans") { transaction in
            let before = try SoakContent.check(transaction) { _ in [] }
            var found = 0
            try transaction.forEach(Observation.self) { _ in found += 1 }
            guard found == before.reduce(SoakContent.pairs.count, { $0 + $1.high - $1.low }) else {
                throw SoakContent.Broken(description: "a scan met \(found) observations after \(before)")
            }
            guard try SoakContent.check(transaction, comparing: { _ in [] }) == before else {
                throw SoakContent.Broken(description: "a snapshot has changed")
            }
        }
    }

    private func query() throws {
        let pair = random.int(0...SoakContent.pairs.count - 1)
        try reading("queries") { transaction in
            let token = try SoakContent.token(ofPair: pair, transaction)
            let observations = try transaction.query(Observation.self).where { $0.valueString == token }.ids()
            let patients = try transaction.query(Patient.self).where { $0.name.family == token }.ids()
            guard observations == patients, observations.contains("pair-\(pair)") else {
                throw SoakContent.Broken(description: "\(token) is in \(observations) and \(patients)")
            }
        }
    }

    private func taskReads() throws {
        log.begin("reads of tasks", name)
        let store = store
        let returned = try SoakContent.writers.indices.map { try board.commits(of: $0) }
        let found = try waitFor {
            try await store.read { transaction in try SoakContent.check(transaction) { [$0.low] }.map(\.commits) }
        }
        try note(found, returned)
        log.count("reads of tasks")
    }

    /// A query whose task is cancelled at some moment gives all of a snapshot, or ends as cancelled.
    private func cancelled() throws {
        log.begin("queries that are cancelled", name)
        let query = store.query(Observation.self).where { $0.valueString != "nothing" || $0.id != "nothing" }.sort { $0.id.ascending }
        let task = _Concurrency.Task<[String], any Error> { try await query.all().compactMap(\.id) }
        let moment = DispatchTime.now() + .microseconds(random.int(0...40_000))
        while DispatchTime.now() < moment { sched_yield() }
        task.cancel()
        do {
            let ids = try waitFor { try await task.value }
            let own = ids.filter { !$0.hasPrefix("pair-") }
            guard ids == ids.sorted(), Set(ids).count == ids.count, ids.count - own.count == SoakContent.pairs.count else {
                throw SoakContent.Broken(description: "a query gave \(ids.count) of which \(own.count) are of writers")
            }
            log.count("queries done before they were cancelled")
        } catch is CancellationError {
            log.count("queries cancelled")
        }
    }

    private func cancelledSQL() throws {
        log.begin("statements that are cancelled", name)
        let limit = random.int(1...20)
        var asked = 0
        do {
            _ = try store.sql(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
                isCancelled: {
                    asked += 1
                    return asked >= limit
                })
        } catch let error as FHIRStoreError where error.code == .interrupted {
            log.count("statements cancelled")
            return
        }
        throw SoakContent.Broken(description: "a statement that was cancelled went on to its end")
    }
}
