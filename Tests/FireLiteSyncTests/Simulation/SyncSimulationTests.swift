import Foundation
import Testing

@testable import FireLiteSync

/// `FIRELITE_SIMULATION_STEPS=5000` runs so many steps, `FIRELITE_NIGHTLY=1` ten million, and `FIRELITE_SIMULATION_SEED=7` those of one seed.
@Suite(.enabled(if: SyncSimulationTests.steps > 0, "FIRELITE_SIMULATION_STEPS and FIRELITE_NIGHTLY are not set"))
struct SyncSimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of steps with one seed.
    private static let stepsOfSeed = 500

    static let steps =
        environment["FIRELITE_SIMULATION_STEPS"].flatMap { Int($0) } ?? (environment["FIRELITE_NIGHTLY"] == "1" ? 10_000_000 : 0)

    /// Causal order, atomic Bundles, convergence, nothing lost, nothing twice, whatever the network does and whenever processes die.
    @Test func devicesConvergeWhateverHappens() async throws {
        let only = Self.environment["FIRELITE_SIMULATION_SEED"].flatMap { UInt64($0) }
        for seed in only.map({ $0..<$0 + 1 }) ?? 0..<UInt64(max(Self.steps / Self.stepsOfSeed, 1)) {
            var simulation = try SyncSimulation(seed: seed)
            try await simulation.run(steps: Self.stepsOfSeed)
        }
    }
}
