import Dispatch
import FireLite
import FireLiteR4
import Foundation

/// What it costs that queries follow the store, and how soon they do.
struct LiveWorkloads: Workload {
    static let commit = "commit with 100 live queries on other tables, against none"
    static let arrival = "a change reaches a live list of 50, against reading it again"
    static let mainThread = "main thread: one change in a live list of all observations, against one of 50"
    static let idle = "idle for two seconds with ten live queries"
    /// On Linux, Dispatch looks after its own threads once a second in every process that uses it.
    private static let systemsWakeUps = 3
    private static let commits = 500
    private static let rounds = 11
    private static let observers = 100

    var names: [String] { [Self.commit, Self.arrival, Self.mainThread, Self.idle] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        var measurements: [Measurement] = []
        // First, while no other store is open.
        if bench.wants(Self.idle) { measurements.append(try idle(bench, path)) }
        if bench.wants(Self.commit) { measurements.append(try commit(bench, path)) }
        if bench.wants(Self.arrival) { measurements.append(try arrival(bench, path)) }
        if bench.wants(Self.mainThread) {
            // Workloads run on the main thread.
            nonisolated(unsafe) let bench = bench
            measurements.append(try MainActor.assumeIsolated { try mainThread(bench, path) })
        }
        return measurements
    }

    /// A store that nobody writes to: none of its threads runs, so that a phone's processor can sleep.
    private func idle(_ bench: Bench, _ path: String) throws -> Measurement {
        let store = try bench.openStore(path)
        let followers = Followers(10) { number, ready in
            for try await _ in store.query(Patient.self).where({ $0.name.family == "\(number)" }).updates() { ready() }
        }
        defer { followers.end() }
        // The store looks for commits of others again and again after twice the time: 0.1, 0.3, … 12.7 and 25.5 seconds after the last write. The
        // system's threads for it end five seconds after a look.
        Thread.sleep(forTimeInterval: 19)
        let stopwatch = Stopwatch()
        let before = ThreadSwitches.ofOtherThreads()
        stopwatch.measure { Thread.sleep(forTimeInterval: 2) }
        let wakeUps = ThreadSwitches.ofOtherThreads() - before
        return Measurement(
            name: Self.idle, kind: bench.corpus.kind, size: bench.size, operations: 1,
            repetitions: [Measurement.Repetition(cost: stopwatch.cost, floor: nil)], peakMB: ProcessMemory.peakMB,
            isVerified: wakeUps <= Self.systemsWakeUps)
    }

    /// Small commits to a store that is observed, each followed by the same one to a store that nobody observes: what the machine does
    /// meanwhile is the same for both, as the difference is smaller than its noise.
    private func commit(_ bench: Bench, _ path: String) throws -> Measurement {
        let floorPath = try bench.scratch.copy(of: path)
        defer { bench.scratch.delete(floorPath) }
        let stores = try [path, floorPath].map { try bench.openStore($0, durability: .normal) }
        func write(_ store: FHIRStore, _ number: Int) throws {
            let text = "\(number)"
            try store.write { tx in
                _ = try tx.upsert(
                    Basic {
                        $0.id = "live"; $0.language = text
                    })
            }
        }
        let followers = Followers(Self.observers) { [store = stores[0]] number, ready in
            for try await _ in store.query(Patient.self).where({ $0.name.family == "\(number)" }).updates() { ready() }
        }
        defer { followers.end() }
        for number in 0..<Self.commits { for store in stores { try write(store, number) } }
        var repetitions: [Measurement.Repetition] = []
        var last = Self.commits
        for _ in 0..<Self.rounds {
            let (watch, floorWatch) = (Stopwatch(), Stopwatch())
            for _ in 0..<Self.commits {
                last += 1
                try watch.measureThread { try write(stores[0], last) }
                try floorWatch.measureThread { try write(stores[1], last) }
            }
            repetitions.append(Measurement.Repetition(cost: watch.cost, floor: floorWatch.cost))
        }
        let isRight = try stores.allSatisfy { try $0.resource(Basic.self, id: "live")?.language == "\(last)" }
        return Measurement(
            name: Self.commit, kind: bench.corpus.kind, size: bench.size, operations: Self.commits, repetitions: repetitions,
            peakMB: ProcessMemory.peakMB, isVerified: isRight)
    }

    /// What the main thread does when one of many results has changed, beside the same for few. The differences are computed elsewhere, so it hardly
    /// depends on their number.
    @MainActor private func mainThread(_ bench: Bench, _ path: String) throws -> Measurement {
        let store = try bench.openStore(path, durability: .normal)
        let query = store.query(Observation.self)
        var number = 0
        /// Changes one of the first 50, and waits until the list has the change.
        func change(_ list: LiveQuery<Observation>, _ stopwatch: Stopwatch) throws {
            number += 1
            let (place, text) = (number % 50, "\(number)")
            let pk = list.results[place].pk
            try store.write { tx in try tx.resource(Observation.self, pk: pk)?.language = text }
            stopwatch.measureThread {
                while list.results[place].language != text { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
            }
        }
        func loaded(_ pageSize: Int?) -> LiveQuery<Observation> {
            let list = LiveQuery(query, pageSize: pageSize, every: .zero)
            while list.isLoading { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
            return list
        }
        let changes = 20
        return try bench.measure(
            Self.mainThread, operations: changes,
            subject: { stopwatch in
                let list = loaded(nil)
                for _ in 0..<changes { try change(list, stopwatch) }
            },
            floor: { stopwatch in
                let list = loaded(50)
                for _ in 0..<changes { try change(list, stopwatch) }
            },
            verify: { try store.query(Observation.self).where { $0.language == "\(number)" }.count() == 1 })
    }

    /// The time from a change to the new results of a query that it changes, beside the change and the same query again.
    private func arrival(_ bench: Bench, _ path: String) throws -> Measurement {
        let store = try bench.openStore(path, durability: .normal)
        try store.createIndex(Observation.self) { $0.effectiveDateTime }
        let query = store.query(Observation.self).sort { $0.effectiveDateTime.descending }.limit(50)
        let ids = try query.ids()
        var number = 0
        func change() throws {
            number += 1
            let (id, text) = (ids[number % ids.count], "\(number)")
            try store.write { tx in try tx.resource(Observation.self, id: id)?.language = text }
        }
        let changes = min(Self.commits, 200)
        let arrived = DispatchSemaphore(value: 0)
        return try bench.measure(
            Self.arrival, operations: changes,
            subject: { stopwatch in
                let followers = Followers(1) { _, ready in
                    for try await _ in query.updates(every: .zero) {
                        ready()
                        arrived.signal()
                    }
                }
                defer { followers.end() }
                arrived.wait()
                try stopwatch.measure {
                    for _ in 0..<changes {
                        try change()
                        arrived.wait()
                    }
                }
            },
            floor: { stopwatch in
                try stopwatch.measure {
                    for _ in 0..<changes {
                        try change()
                        _ = try query.all()
                    }
                }
            },
            verify: { try store.resource(Observation.self, id: ids[number % ids.count])?.language == "\(number)" })
    }
}

/// Tasks that follow queries until they are ended.
private final class Followers: Sendable {
    private let tasks: [_Concurrency.Task<Void, any Error>]

    /// Returns when each of the tasks has called its `ready` once.
    init(_ count: Int, _ follow: @escaping @Sendable (Int, () -> Void) async throws -> Void) {
        let isReady = DispatchSemaphore(value: 0)
        tasks = (0..<count).map { number in
            _Concurrency.Task { try await follow(number) { isReady.signal() } }
        }
        for _ in 0..<count { isReady.wait() }
    }

    func end() { for task in tasks { task.cancel() } }
}
