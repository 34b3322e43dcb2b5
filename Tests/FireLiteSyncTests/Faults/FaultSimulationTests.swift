import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// `FIRELITE_FAULT_SIMULATION_SEEDS=7` runs one seed, `0..<2000` those of a range; 20 by day, 5,000 with `FIRELITE_NIGHTLY=1`.
@Suite(.ownThread) struct FaultSimulationTests {
    private static let seeds: Swift.Range<UInt64> =
        Effort.seeds(of: "FIRELITE_FAULT_SIMULATION_SEEDS") ?? 0..<(Effort.isNightly ? 5_000 : 20)

    /// Nothing is lost, nothing counts as sent that the server does not have, nothing is deleted without a word of the server or of a user, and
    /// everything arrives or is listed, whatever answers in the server's place.
    @Test func nothingIsLostWhateverAnswers() async throws {
        var faults = 0
        for seed in Self.seeds {
            var simulation = try FaultSimulation(seed: seed)
            try await simulation.run(steps: 40)
            faults += simulation.faults
        }
        #expect(faults > 0 || Self.seeds.count == 1)
        print("faults: \(Self.seeds.count) seeds, \(faults) bogus answers, no violation")
    }
}
