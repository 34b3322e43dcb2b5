import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// `FIRELITE_FAULT_SEEDS=2000` runs so many seeds, `FIRELITE_FAULT_SEED=7` one alone; 20 by day, 5,000 with `FIRELITE_NIGHTLY=1`.
@Suite(.ownThread) struct FaultSimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds: Swift.Range<UInt64> = {
        if let seed = environment["FIRELITE_FAULT_SEED"].flatMap({ UInt64($0) }) { return seed..<seed + 1 }
        let count = environment["FIRELITE_FAULT_SEEDS"].flatMap { UInt64($0) } ?? (environment["FIRELITE_NIGHTLY"] == "1" ? 5_000 : 20)
        return 0..<count
    }()

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
