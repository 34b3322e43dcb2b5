import TestSupport
import Testing

/// Random sequences of everything users do to a store, compared with a plain model after each step.
@Suite struct ModelTests {
    private static let blockSize = UInt64(Effort.count(100))

    @Test(arguments: 0..<UInt64(20))
    func sequencesDoWhatTheModelDoes(block: UInt64) throws {
        for seed in block * Self.blockSize..<(block + 1) * Self.blockSize {
            if seed % 10 == 0 {
                try withTemporaryFolder { folder in try ModelSequence(seed: seed, path: folder + "/store.sqlite").run() }
            } else {
                try ModelSequence(seed: seed, path: nil).run()
            }
        }
    }
}
