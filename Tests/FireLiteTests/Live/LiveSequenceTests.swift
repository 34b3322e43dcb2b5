import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import CrashChild

/// Random sequences of eight writes. After each write the live results, the commits reported, the log and the history are compared with a
/// model that uses no store.
///
/// `FIRELITE_SEQUENCES` sets how many; default: 60, and 2,000 with `FIRELITE_NIGHTLY`. Every tenth sequence also runs with a second process.
@Suite(.timeLimit(.minutes(60))) struct LiveSequenceTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let sequences = Effort.count(
        environment["FIRELITE_SEQUENCES"].flatMap(Int.init) ?? (environment["FIRELITE_NIGHTLY"] == nil ? 60 : 2_000))
    private static let writes = 8
    /// How often a file is written on after a kill.
    private static let kills = 3

    /// The seeds of a setup: each setup gets its share.
    private static func seeds(_ setup: ModelSetup, one step: Int = 1) -> StrideTo<Int> {
        stride(from: ModelSetup.allCases.firstIndex(of: setup) ?? 0, to: max(sequences / step, 5), by: ModelSetup.allCases.count)
    }

    @Test(arguments: ModelSetup.allCases) func everythingAgreesWithTheModelAfterEveryWrite(_ setup: ModelSetup) async throws {
        for seed in Self.seeds(setup) {
            try await withSeed(UInt64(seed)) { seed in
                try await setup.withStore { store in try await Self.run(seed, setup, store, nil) }
            }
        }
    }

    @Test(arguments: [ModelSetup.file, .trackedFile, .partlyTracked]) func everythingAgreesWhileAnotherProcessWrites(
        _ setup: ModelSetup
    ) async throws {
        for seed in Self.seeds(setup, one: 10) {
            try await withSeed(UInt64(seed + 100_000)) { seed in
                try await setup.withStore { store in
                    let other = try OtherProcess(path: store.path)
                    try await Self.run(seed, setup, store, other)
                    try other.end()
                }
            }
        }
    }

    /// - Parameter other: the process that does about half of the writes.
    private static func run(_ seed: UInt64, _ setup: ModelSetup, _ store: FHIRStore, _ other: OtherProcess?) async throws {
        var model = StoreModel(kept: setup.kept)
        var observers = try await ModelObservers(store)
        var random = SeededGenerator(seed: seed &+ 77)
        // The newest change before each write.
        var places: [Int64] = []
        for number in 0..<writes {
            places.append(try newest(store))
            let write = ModelWrite(seed: seed, number: number)
            let isForeign = other != nil && random.percent(50)
            if isForeign { try other?.expect("model \(seed) \(number)", "done") } else { try write.run(in: store) }
            model.apply(write)
            try model.expectState(of: store)
            try await observers.expect(model, isForeign: isForeign)
            guard !setup.logged.isEmpty else { continue }
            try model.expectLog(of: store, since: places[number], first: number, setup.logged, hasCurrent: true)
            let first = random.int(0...number)
            try model.expectSquashedLog(of: store, since: places[first], first: first, setup.logged)
            let key = StoreModel.Key(type: random.pick(setup.kept.sorted()), id: "\(random.int(0...ModelWrite.ids - 1))")
            try model.expectHistory(of: store, key)
        }
        guard !setup.logged.isEmpty else { return }
        try model.expectLog(of: store, since: places[0], first: 0, setup.logged, hasCurrent: setup.kept == setup.logged)
        try model.expectHistory(of: store, of: setup.kept)
    }

    private static func newest(_ store: FHIRStore) throws -> Int64 { try store.newestChange() }

    // MARK: - Kills

    @Test func whatAKilledProcessCommittedIsInTheLogAndTheHistory() async throws {
        var (commits, inFlight) = (0, 0)
        for seed in 0..<max(Self.sequences / 40, 2) {
            let counts = KillCounts()
            try await withSeed(UInt64(seed + 200_000)) { seed in
                try await ModelSetup.trackedFile.withStore { store in try await Self.runKills(seed, .trackedFile, store, counts) }
            }
            commits += counts.commits
            inFlight += counts.inFlight
        }
        print("sequences: \(commits) commits of processes that were killed, \(inFlight) of them not reported")
    }

    /// Set by the sequence and read after it has ended.
    private final class KillCounts: @unchecked Sendable {
        var commits = 0
        var inFlight = 0
    }

    private static func runKills(_ seed: UInt64, _ setup: ModelSetup, _ store: FHIRStore, _ counts: KillCounts) async throws {
        var model = StoreModel(kept: setup.kept)
        var observers = try await ModelObservers(store)
        var random = SeededGenerator(seed: seed)
        let start = try newest(store)
        var next = 0
        for _ in 0..<kills {
            let reported = try kill(store.path, seed, from: next, &random)
            let stored = try number(store) + 1
            try #require(stored == reported || stored == reported + 1)
            for number in next..<stored { model.apply(ModelWrite(seed: seed, number: number, isCounted: true)) }
            try model.expectState(of: store)
            try model.expectLog(of: store, since: start, first: 0, ModelSetup.trackedFile.logged, hasCurrent: true)
            try model.expectSquashedLog(of: store, since: start, first: 0, ModelSetup.trackedFile.logged)
            try model.expectHistory(of: store, of: ModelSetup.trackedFile.kept)
            try await observers.reach(model)
            counts.commits += stored - next
            counts.inFlight += stored - reported
            next = stored
        }
    }

    /// The number of the last write that was committed; -1 if there was none.
    private static func number(_ store: FHIRStore) throws -> Int {
        try store.resource(Basic.self, id: ModelWrite.counter)?.language.flatMap { Int($0) } ?? -1
    }

    /// Lets a process write, kills it at a random moment, and returns the number after the last commit that it reported.
    private static func kill(_ path: String, _ seed: UInt64, from first: Int, _ random: inout SeededGenerator) throws -> Int {
        let output = Pipe()
        let child = try ChildProgram.process(["model", path, "\(seed)", "\(first)"], output: output)
        try child.run()
        let reports = output.fileHandleForReading
        var received = Data()
        let wanted = random.int(0...12)
        while received.count(where: { $0 == 10 }) < wanted {
            let more = reports.availableData
            if more.isEmpty { break }
            received.append(more)
        }
        // Somewhere within the next commits, or within opening.
        let moment = DispatchTime.now() + .microseconds(random.int(0...20_000))
        while DispatchTime.now() < moment {}
        #expect(child.isRunning, "the child ended by itself")
        Foundation.kill(child.processIdentifier, SIGKILL)
        received.append(reports.readDataToEndOfFile())
        child.waitUntilExit()
        let numbers = String(decoding: received, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        return numbers.last.map { $0 + 1 } ?? first
    }
}
