import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// By default 6,000 steps; `FIRELITE_SIMULATION_STEPS=5000` runs so many, `FIRELITE_NIGHTLY=1` ten million, which are those of the seeds from 0 to
/// 19,999; `FIRELITE_SIMULATION_SEEDS=7` runs those of one seed, and `4000..<8000` a part of the ten million. A step takes about 1.5 ms of the processor
/// in a debug build.
enum SimulationSize {
    private static let environment = ProcessInfo.processInfo.environment

    static let steps =
        environment["FIRELITE_SIMULATION_STEPS"].flatMap { Int($0) } ?? (environment["FIRELITE_NIGHTLY"] == "1" ? 10_000_000 : 6_000)
    static let stepsOfSeed = 500
    /// By night on every processor; by day the others run other tests.
    static let threads = environment["FIRELITE_NIGHTLY"] == "1" ? ProcessInfo.processInfo.activeProcessorCount : 1
    static let seeds: Swift.Range<UInt64> = Effort.seeds(of: "FIRELITE_SIMULATION_SEEDS") ?? 0..<UInt64(max(steps / stepsOfSeed, 1))
}

@Suite(.ownThread) struct SyncSimulationTests {
    /// Causal order, atomic Bundles, convergence, nothing lost, nothing twice, whatever the network does and whenever processes die.
    @Test func devicesConvergeWhateverHappens() async throws {
        let begin = Date()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<SimulationSize.threads {
                group.addTask {
                    try await onOwnThread {
                        for seed in SimulationSize.seeds where Int(seed) % SimulationSize.threads == first {
                            var simulation = try SyncSimulation(seed: seed)
                            try await simulation.run(steps: SimulationSize.stepsOfSeed)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let steps = SimulationSize.seeds.count * SimulationSize.stepsOfSeed
        print(
            "simulation: \(steps) steps of \(SimulationSize.seeds.count) seeds in \(Int(Date().timeIntervalSince(begin))) s, no violation")
    }

    /// Seeds with which a fault was found: 59, a change that was sent although the server had its content; 17, an edit during a request that was replaced
    /// by the resource in the answer; 1880, the parts of a refused Bundle of which one was edited meanwhile, and what refers to it was sent.
    @Test(arguments: [59 as UInt64, 17, 1880]) func faultsStayMended(seed: UInt64) async throws {
        var simulation = try SyncSimulation(seed: seed)
        try await simulation.run(steps: SimulationSize.stepsOfSeed)
    }
}
